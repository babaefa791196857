// Tasks whose reference is a PyTorch problem, through `kw-worker serve` and a real PyTorch on the CPU.

#include "engine/rpc/worker_client.h"
#include "engine/task/from_torch.h"
#include "tests/cli/task_folder.h"

#include <QtTest/QtTest>

#include <chrono>
#include <filesystem>
#include <thread>

using kw::Json;
using kw::rpc::WorkerClient;

namespace {

constexpr const char* kHead = "import torch\nimport torch.nn as nn\n";

constexpr const char* kScale = R"(
class Model(nn.Module):
    """Scale each column by a weight, then add."""
    def __init__(self, columns):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(columns))
        self.register_buffer("offset", torch.ones(columns))

    def forward(self, x, factor):
        return x * self.weight * factor + self.offset

rows = 4096
columns = 512

def get_inputs():
    return [torch.randn(rows, columns), 3.0]

def get_init_inputs():
    return [columns]
)";

constexpr const char* kRightKernel =
    R"(//@ launch scale<<<ceil_div(rows * columns, 256), 256>>>(x, weight, offset, out, factor, rows, columns)
__global__ void scale(const float* x, const float* weight, const float* offset, float* out, float factor, int rows, int columns) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * columns) out[i] = x[i] * weight[i % columns] * factor + offset[i % columns];
}
)";

std::string forward(const std::string& body, const std::string& inputs = "[torch.randn(8, 8)]") {
    return std::string(kHead) + "class Model(nn.Module):\n    def forward(self, x):\n        " + body
           + "\n\ndef get_inputs():\n    return " + inputs + "\n\ndef get_init_inputs():\n    return []\n";
}

} // namespace

class TorchTest : public QObject {
    Q_OBJECT
    std::unique_ptr<WorkerClient> worker_;

    Json described(const std::string& problem) {
        const auto about = worker_->describe_torch("p.py", problem);
        if (!about) {
            QTest::qFail(about.error().message.c_str(), __FILE__, __LINE__);
            return {};
        }
        return *about;
    }
    kw::Error refused(const std::string& problem) {
        const auto about = worker_->describe_torch("p.py", problem);
        return about ? kw::Error{.message = "not refused: " + about->dump()} : about.error();
    }
    static std::vector<std::string> names(const Json& about, std::string_view role) {
        std::vector<std::string> found;
        for (const auto& tensor : about.at("tensors"))
            if (tensor.at("role") == role) found.push_back(tensor.at("name"));
        return found;
    }

private Q_SLOTS:
    void initTestCase() {
        if (!std::filesystem::exists(KW_TORCH_PYTHON)) QSKIP("no PyTorch for tests: packaging/test.sh installs one");
        qputenv("KERNELWRIGHT_PYTHON", KW_TORCH_PYTHON);
        worker_ = std::make_unique<WorkerClient>(
            kw::rpc::WorkerCommand{{kw::test::program("kw-worker"), "serve"}, "the worker"});
    }

    void a_problem_is_described() {
        const auto about = described(std::string(kHead) + kScale);
        QCOMPARE(about.at("title"), "Scale each column by a weight, then add.");
        QCOMPARE(about.at("sizes"), (Json{{"rows", 4096}, {"columns", 512}}));
        QCOMPARE(names(about, "input"), (std::vector<std::string>{"x", "weight", "offset"}));
        QCOMPARE(names(about, "output"), (std::vector<std::string>{"out"}));
        QCOMPARE(about.at("tensors").at(0).at("shape"), (Json{"rows", "columns"}));
        QCOMPARE(about.at("scalars").at(0).at("name"), "factor");
        // A simulator gets sizes that it can manage.
        QVERIFY(about.at("small").at("rows").get<int>() * about.at("small").at("columns").get<int>() <= 65536);
    }

    void a_kernel_is_held_against_the_problem() {
        const std::string problem = std::string(kHead) + kScale;
        auto files = kw::task::task_from_torch(described(problem), problem, "scale");
        QVERIFY2(files, files ? "" : files.error().message.c_str());
        kw::pipeline::Options options;
        options.device = "sim";
        auto evaluation = worker_->evaluate(*files, options);
        if (!evaluation && evaluation.error().code == kw::ErrorCode::unsupported)
            QSKIP(evaluation.error().message.c_str());
        QVERIFY2(evaluation, evaluation ? "" : evaluation.error().message.c_str());
        QVERIFY(!evaluation->ok()); // the body is to be written
        (*files)["kernel.cu"] = kRightKernel;
        evaluation = worker_->evaluate(*files, options);
        QVERIFY2(evaluation, evaluation ? "" : evaluation.error().message.c_str());
        QVERIFY2(evaluation->ok(), evaluation->verify ? evaluation->verify->because.c_str() : "not verified");
        QCOMPARE(evaluation->verify->checks.size(), std::size_t{5});
        // Both baselines ran, but on the CPU: no yardstick for a GPU, so nothing is beaten.
        QCOMPARE(evaluation->bench->baselines.size(), std::size_t{2});
        for (const auto& baseline : evaluation->bench->baselines) {
            QVERIFY2(QString::fromStdString(baseline.problem).contains("cannot be compared"), baseline.problem.c_str());
            QCOMPARE(baseline.ratio, 0.0);
        }
        QCOMPARE(evaluation->reward->value, 1);
        auto wrong = std::string(kRightKernel);
        wrong.replace(wrong.find("* factor"), 8, "* 2.9f  ");
        (*files)["kernel.cu"] = wrong;
        evaluation = worker_->evaluate(*files, options);
        QVERIFY(evaluation);
        QCOMPARE(evaluation->reward->value, -1);
        QVERIFY(evaluation->verify->because.find("out[") != std::string::npos);
    }

    void results_of_every_form() {
        QCOMPARE(names(described(forward("return x, x + 1, None")), "output"), (std::vector<std::string>{"out1"}));
        QCOMPARE(names(described(forward("return {'sum': x.sum(1), 'half': x.half()}")), "output"),
                 (std::vector<std::string>{"out_sum", "out_half"}));
        const auto in_place = described(forward("return x.mul_(2)"));
        QCOMPARE(names(in_place, "inout"), (std::vector<std::string>{"x"}));
        QVERIFY(names(in_place, "output").empty());
        // Norms change their buffers while they train; those are no results.
        const auto norm = described(std::string(kHead)
                                    + "class Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                                      "        self.norm = nn.BatchNorm1d(4)\n    def forward(self, x):\n"
                                      "        return self.norm(x)\n"
                                      "def get_inputs(): return [torch.randn(16, 4)]\n");
        QCOMPARE(names(norm, "output"), (std::vector<std::string>{"out"}));
        QVERIFY(names(norm, "inout").empty());
    }

    void names_are_such_as_a_kernel_can_have() {
        const std::string problem =
            std::string(kHead)
            + "class Model(nn.Module):\n    def forward(self, new, min, N):\n        return new + min + N\n"
              "N = 8\ndef get_inputs(): return [torch.randn(N, N), torch.randn(N, N), torch.randn(N, N)]\n";
        const auto about = described(problem);
        QCOMPARE(names(about, "input"), (std::vector<std::string>{"new_", "min_", "N_"}));
        QCOMPARE(about.at("title"), "");
        QVERIFY(kw::task::task_from_torch(about, problem, "t"));
    }

    void seeds_of_the_problem_do_not_count() {
        const auto seeded = described(forward("return x * 2", "(torch.manual_seed(0), [torch.randn(8, 8)])[1]"));
        QVERIFY(seeded.at("notes").empty());
        const auto constant = described(forward("return x * 2", "[torch.ones(8, 8)]"));
        QVERIFY2(constant.at("notes").dump().find("same values") != std::string::npos, constant.dump().c_str());
    }

    void weights_that_begin_alike_cannot_be_left_out() {
        const std::string problem = std::string(kHead)
                                    + "class Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                                      "        self.scale = nn.Parameter(torch.ones(64))\n"
                                      "    def forward(self, x):\n        return x * self.scale\n"
                                      "def get_inputs(): return [torch.randn(64)]\n";
        auto files = kw::task::task_from_torch(described(problem), problem, "scale");
        QVERIFY(files);
        (*files)["kernel.cu"] =
            "//@ launch copy<<<1, 64>>>(x, out)\n__global__ void copy(const float* x, float* out) { "
            "out[threadIdx.x] = x[threadIdx.x]; }\n";
        kw::pipeline::Options options;
        options.device = "sim";
        options.stages = {.verify = true, .bench = false, .profile = false};
        const auto evaluation = worker_->evaluate(*files, options);
        if (!evaluation && evaluation.error().code == kw::ErrorCode::unsupported)
            QSKIP(evaluation.error().message.c_str());
        QVERIFY2(evaluation, evaluation ? "" : evaluation.error().message.c_str());
        QVERIFY(!evaluation->ok());
    }

    void what_no_task_can_state_is_refused_data() {
        QTest::addColumn<QString>("problem");
        QTest::addColumn<QString>("said");
        const auto row = [](const char* name, const std::string& problem, const char* said) {
            QTest::newRow(name) << QString::fromStdString(problem) << QString::fromLatin1(said);
        };
        row("random", forward("return torch.nn.functional.dropout(x, 0.5)"), "random");
        row("nothing", forward("return None"), "nothing to compare");
        row("text", forward("return 'x'"), "compares tensors");
        row("complex", forward("return torch.fft.fft(x)"), "complex");
        row("sparse", forward("return x.to_sparse()"), "sparse");
        row("empty", forward("return x[:0]"), "empty");
        row("no model", "x = 1\n", "no Model");
        row("raises", forward("raise ValueError('nope')"), "nope");
        row("ends", forward("raise SystemExit(3)"), "SystemExit");
        row("syntax", "def (:\n", "SyntaxError");
        row("too large", forward("return x", "[torch.empty(1 << 50)]"), "memory");
        row("shape by values", forward("return x[x > 0]"), "follows from values");
        row("too many", forward("return x", "[torch.randn(2), torch.randn(2)]"), "forward takes 1");
        row("dies", forward("import os; os._exit(7)"), "ended while it ran p.py");
    }
    void what_no_task_can_state_is_refused() {
        QFETCH(QString, problem);
        QFETCH(QString, said);
        const auto error = refused(problem.toStdString());
        QVERIFY2(QString::fromStdString(error.message).contains(said), error.message.c_str());
        QVERIFY2(error.message.find('\n') == std::string::npos, error.message.c_str());
    }

    void an_error_has_its_line() {
        const auto error = refused(forward("raise ValueError('nope')"));
        QCOMPARE(error.where.file, std::string("p.py"));
        QCOMPARE(error.where.line, 5);
    }

    void one_that_never_ends_can_be_stopped() {
        std::stop_source stop;
        const std::string endless = forward("\n        while True: pass");
        std::thread later([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
            stop.request_stop();
        });
        const auto about = worker_->describe_torch("p.py", endless, stop.get_token());
        later.join();
        QVERIFY(!about);
        QCOMPARE(about.error().code, kw::ErrorCode::cancelled);
        QVERIFY(!described(forward("return x + 1")).empty()); // the next one works
    }

    void without_torch_the_remedy_is_named() {
        qputenv("KERNELWRIGHT_PYTHON", "/usr/bin/python3");
        WorkerClient worker(kw::rpc::WorkerCommand{{kw::test::program("kw-worker"), "serve"}, "the worker"});
        const auto about = worker.describe_torch("p.py", forward("return x"));
        qputenv("KERNELWRIGHT_PYTHON", KW_TORCH_PYTHON);
        if (about) QSKIP("the system's python3 has PyTorch");
        QVERIFY2(about.error().message.find("$KERNELWRIGHT_PYTHON") != std::string::npos,
                 about.error().message.c_str());
    }
};

QTEST_GUILESS_MAIN(TorchTest)
#include "test_torch.moc"
