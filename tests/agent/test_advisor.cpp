#include "agent/drivers/advisor.h"
#include "tests/agent/session_fixture.h"

#include <QTest>

#include <algorithm>

using namespace kw;
using namespace kw::agent;

namespace {

constexpr const char* kTask = R"(name = "t"
kernel = "k.cu"
reference = "k.cu"
[sizes]
n = 16777216
[[case]]
n = 33
[[tensor]]
name = "x"
type = "f32"
shape = ["n"]
role = "input"
fill = "normal"
[[tensor]]
name = "y"
type = "f32"
shape = ["n"]
role = "inout"
fill = "normal"
[scalars]
a = { type = "f32", value = 1.5 }
[tolerance]
atol = 0.0
rtol = 1e-5
)";

task::Task make_task() { return task::parse_task({{"task.toml", kTask}, {"k.cu", ""}}).value(); }

/// An evaluation whose profile has these metrics of kernel `k`, and whose lines have conflicts in `conflicts_in`.
Json evaluation(std::map<std::string, double> metrics = {}, std::vector<int> conflicts_in = {}, int registers = 16,
                int spilled = 0) {
    profile::Report report;
    report.device.id = "sim:h200";
    report.device.name = "NVIDIA H200 (simulated)";
    report.device.arch = "sm_90";
    report.estimated = true;
    profile::LaunchProfile launch;
    launch.kernel = "k";
    launch.grid = {65536, 1, 1};
    launch.block = {256, 1, 1};
    launch.metrics = std::move(metrics);
    for (int line = 1; line < 9 && !conflicts_in.empty(); ++line) {
        const bool here = std::ranges::find(conflicts_in, line) != conflicts_in.end();
        launch.lines.push_back({"k.cu", line, {{"shared_bank_conflicts", here ? 31.0 : 0.0}}});
    }
    report.launches.push_back(launch);
    return {
        {"profile", profile::to_json(report)},
        {"compile", {{"kernels", Json::array({{{"name", "k"}, {"registers", registers}, {"spill_bytes", spilled}}})}}}};
}

std::vector<Advice> advise(const std::unique_ptr<AdviceRule>& rule, const std::string& text,
                           const Json& known = evaluation(), task::Sizes fixed = {}) {
    const auto source = CudaSource::read(text);
    const auto plan = task::parse_plan(text, "k.cu", make_task());
    if (!source || !plan) qFatal("the test's source cannot be read");
    const auto made_task = make_task();
    const Evidence evidence{known};
    auto configuration = plan->defaults();
    for (const auto& [name, value] : fixed) configuration[name] = value;
    return rule->advise({*source, made_task, *plan, evidence, configuration, std::move(fixed)});
}

/// The one advice's source; what else there is, in words.
std::string after(const std::unique_ptr<AdviceRule>& rule, const std::string& text, const Json& known = evaluation()) {
    const auto list = advise(rule, text, known);
    if (list.size() != 1) return std::to_string(list.size()) + " pieces of advice";
    return list[0].reason.empty() ? "no reason" : list[0].source;
}

const std::string kNothing = "0 pieces of advice";

std::string tile_kernel(const std::string& declaration, const std::string& use) {
    return "//@ launch k<<<1, dim3(32, 32)>>>(x, y)\n__global__ void k(const float* x, float* y) {\n    " + declaration
           + "\n    tile[threadIdx.y][threadIdx.x] = x[0];\n    __syncthreads();\n    " + use + "\n}\n";
}

const std::string kUse = "y[0] = tile[threadIdx.x][threadIdx.y];";

std::string element_kernel(const std::string& body, const std::string& grid = "ceil_div(n, BLOCK)",
                           const std::string& before = {}) {
    return before + "//@ tune BLOCK = 256 128\n//@ launch k<<<" + grid
           + ", BLOCK>>>(x, y, a, n)\n__global__ void k(const float* x, float* y, float a, int n) {\n" + body + "}\n";
}

const std::string kIndex = "    const int i = blockIdx.x * BLOCK + threadIdx.x;\n";

} // namespace

class TestAdvisor : public QObject {
    Q_OBJECT

private slots:
    void a_source_is_read_by_tokens() {
        const auto source =
            CudaSource::read("// __global__ void no() {}\n#define N 4\nconst char* s = \"__global__ void no() {}\";\n"
                             "template<int N> __global__ void __launch_bounds__(256)\nk(const float* __restrict__ x, "
                             "unsigned int* y, int n) { if (n) { y[0] = 1; } }\n__global__ void later(int* p);\n");
        QVERIFY(source.has_value());
        QCOMPARE(source->kernels().size(), std::size_t{1});
        const auto& kernel = source->kernels()[0];
        QCOMPARE(kernel.name, std::string{"k"});
        QVERIFY(kernel.templated && kernel.bounded && source->is(kernel.end, "}") && source->is_macro("N"));
        QCOMPARE(kernel.parameters.size(), std::size_t{3});
        QVERIFY(kernel.parameters[0].constant && kernel.parameters[0].restricted && kernel.parameters[0].pointer);
        QCOMPARE(kernel.parameters[1].type, std::string{"unsigned int"});
        QVERIFY(!kernel.parameters[2].pointer);
    }

    void what_is_not_understood_is_left_alone_data() {
        QTest::addColumn<QString>("text");
        QTest::newRow("brackets") << "__global__ void k(int* p) { p[0) = 1; }";
        QTest::newRow("half of a kernel") << "__global__ void k(int* p) {";
        QTest::newRow("conditional code") << "__global__ void k(int* p) {\n#ifdef A\np[0] = 1;\n#endif\n}";
        QTest::newRow("a type of its own") << "__global__ void k(Thing* p) { }";
        QTest::newRow("a macro as type") << "#define float double\n__global__ void k(float* p) { }";
        QTest::newRow("a default") << "__global__ void k(int n = 3) { }";
        QTest::newRow("carriage returns") << "__global__ void k(int* p) {\r\n}";
    }
    void what_is_not_understood_is_left_alone() {
        QFETCH(QString, text);
        const auto source = CudaSource::read(text.toStdString());
        QVERIFY(!source || source->kernels().empty());
    }

    void writes_are_found_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("writes");
        for (const char* text : {"p = 1", "p[1] = 1", "p[q[1]] += 1", "p <<= 1", "p++", "--p", "f(&p)", "p[0][1] |= 2"})
            QTest::newRow(text) << text << true;
        for (const char* text : {"p == 1", "p[1] <= 1", "p >= 1", "p != 1", "q = p + 1", "q - -p", "f(p)", "p < q"})
            QTest::newRow(text) << text << false;
    }
    void writes_are_found() {
        QFETCH(QString, text);
        QFETCH(bool, writes);
        const auto source = CudaSource::read("; " + text.toStdString() + "; ;");
        std::size_t at = 0;
        while (!source->is(at, "p")) ++at;
        QCOMPARE(source->may_write(at), writes);
    }

    void shared_rows_are_padded() {
        const auto before = tile_kernel("__shared__ float tile[32][32];", kUse);
        const auto padded = tile_kernel("__shared__ float tile[32][32 + 1];", kUse);
        QCOMPARE(after(pad_shared_rule(), before, evaluation({{"shared_bank_conflicts", 31}})), padded);
        QCOMPARE(after(pad_shared_rule(), before, evaluation({{"shared_bank_conflicts", 31}}, {4, 6})), padded);
        QCOMPARE(after(pad_shared_rule(), before, Json::object()), padded);
        // The profile has something to say against it.
        QCOMPARE(after(pad_shared_rule(), before, evaluation({{"shared_bank_conflicts", 0}})), kNothing);
        QCOMPARE(after(pad_shared_rule(), before, evaluation({{"shared_bank_conflicts", 31}}, {8})), kNothing);
        QCOMPARE(after(pad_shared_rule(), padded, Json::object()), kNothing);
    }

    void shared_rows_whose_place_matters_are_not() {
        const Json conflicts = evaluation({{"shared_bank_conflicts", 31}});
        const auto none = [&](const char* declaration, const std::string& use) {
            return after(pad_shared_rule(), tile_kernel(declaration, use), conflicts) == kNothing;
        };
        QVERIFY(none("__shared__ float tile[32][32];", "y[0] = *reinterpret_cast<float*>(&tile[0][0]);"));
        QVERIFY(none("__shared__ float tile[32][32];", "y[0] = reinterpret_cast<float2&>(tile[0][2]).x;"));
        QVERIFY(none("__shared__ float tile[32][32];", "y[0] = tile[0][0] + sizeof(tile);"));
        QVERIFY(none("__shared__ float tile[32][32];", "const float* row = tile[3]; y[0] = row[threadIdx.x];"));
        QVERIFY(none("__shared__ float4 tile[32][32];", kUse));
        QVERIFY(none("__shared__ float tile[32][32][2];", kUse));
        QVERIFY(none("extern __shared__ float tile[][32];", "y[0] = tile[0][0] + *tile;"));
    }

    void barriers_that_order_nothing_are_removed() {
        const std::string head = "//@ launch k<<<1, 32>>>(x, y)\n__global__ void k(const float* x, float* y) {\n";
        QCOMPARE(after(barrier_rule(),
                       head
                           + "    __syncthreads();\n    y[0] = 1;\n    __syncthreads();\n    __syncthreads();\n"
                             "    y[1] = 2;\n    __syncthreads();\n}\n"),
                 head + "    y[0] = 1;\n    __syncthreads();\n    y[1] = 2;\n}\n");
        QCOMPARE(after(barrier_rule(), head + "    y[0] = 1;\n    __syncthreads();\n    y[1] = 2;\n}\n"), kNothing);
        // One that only some pass is no reason to remove the next.
        QCOMPARE(
            after(barrier_rule(),
                  head + "    y[0] = 1;\n    if (x[0] > 0) __syncthreads();\n    __syncthreads();\n    y[1] = 2;\n}\n"),
            kNothing);
    }

    void pointers_are_qualified() {
        const std::string plan = "//@ launch k<<<1, 32>>>(x, y)\n";
        QCOMPARE(after(restrict_rule(), plan + "__global__ void k(float* x, float *y) { y[0] = x[0]; }\n"),
                 plan + "__global__ void k(const float* __restrict__ x, float *__restrict__ y) { y[0] = x[0]; }\n");
        QCOMPARE(
            after(restrict_rule(),
                  plan + "__global__ void k(const float* __restrict__ x, float* __restrict__ y) { y[0] = x[0]; }\n"),
            kNothing);
        // The same buffer by two names, or one that nobody launches.
        QCOMPARE(after(restrict_rule(),
                       "//@ launch k<<<1, 32>>>(y, y)\n__global__ void k(const float* x, float* y) { y[0] = x[0]; }\n"),
                 kNothing);
        QCOMPARE(after(restrict_rule(), "//@ launch k<<<1, 32>>>(x, y)\n//@ launch k<<<1, 32>>>(y, y)\n"
                                        "__global__ void k(const float* x, float* y) { y[0] = x[0]; }\n"),
                 kNothing);
        QCOMPARE(after(restrict_rule(), plan + "__global__ void j(const float* x, float* y) { y[0] = x[0]; }\n"),
                 kNothing);
        // x may be written through the other name.
        QCOMPARE(
            after(restrict_rule(), plan + "__global__ void k(float* x, float* y) { float* z = x; z[0] = y[0]; }\n"),
            plan
                + "__global__ void k(float* __restrict__ x, const float* __restrict__ y) { float* z = x; z[0] = y[0]; "
                  "}\n");
    }

    void blocks_are_bounded_where_registers_are_scarce() {
        const std::string plan = "//@ tune ROWS = 4 8\n//@ launch k<<<1, dim3(32, ROWS)>>>(x, y)\n";
        const auto kernel = plan + "__global__ void k(const float* x, float* y) { y[0] = x[0]; }\n";
        QCOMPARE(after(launch_bounds_rule(), kernel, evaluation({}, {}, 64)),
                 plan + "__global__ void __launch_bounds__(32 * ROWS) k(const float* x, float* y) { y[0] = x[0]; }\n");
        QCOMPARE(after(launch_bounds_rule(), kernel, evaluation({}, {}, 32)), kNothing);
        QCOMPARE(after(launch_bounds_rule(), kernel, Json::object()), kNothing);
        // The number of threads is no constant, or not one number.
        QCOMPARE(after(launch_bounds_rule(),
                       "//@ launch k<<<1, min(n, 64)>>>(x, y)\n__global__ void k(const float* x, float* y) { }\n",
                       evaluation({}, {}, 64, 8)),
                 kNothing);
        QCOMPARE(after(launch_bounds_rule(),
                       "//@ launch k<<<1, 32>>>(x, y)\n//@ launch k<<<1, 64>>>(x, y)\n__global__ void k(const float* "
                       "x, float* y) { }\n",
                       evaluation({}, {}, 64, 8)),
                 kNothing);
    }

    void neighbouring_block_sizes_are_tried() {
        const std::string kernel =
            "//@ tune BLOCK = 256 64 128 512\n//@ tune OTHER = 1 2\n//@ launch k<<<1, BLOCK>>>(x, y)\n"
            "__global__ void k(const float* x, float* y) { }\n";
        const auto list = advise(block_size_rule(), kernel);
        QCOMPARE(list.size(), std::size_t{2});
        QCOMPARE(list[0].title, std::string{"BLOCK = 512"});
        QCOMPARE(list[1].configuration.at("BLOCK"), std::int64_t{128});
        QCOMPARE(list[1].configuration.at("OTHER"), std::int64_t{1});
        QVERIFY(advise(block_size_rule(), kernel, evaluation(), {{"BLOCK", 64}}).empty());
    }

    void elements_are_taken_by_four() {
        QCOMPARE(after(vectorize_rule(), element_kernel(kIndex + "    if (i < n) y[i] = a * x[i] + y[i];\n")),
                 element_kernel("    const int first = 4 * (blockIdx.x * BLOCK + threadIdx.x);\n"
                                "    if (first + 3 < n) {\n"
                                "        const float4 x4 = *reinterpret_cast<const float4*>(x + first);\n"
                                "        float4 y4 = *reinterpret_cast<const float4*>(y + first);\n"
                                "        y4.x = a * x4.x + y4.x;\n"
                                "        y4.y = a * x4.y + y4.y;\n"
                                "        y4.z = a * x4.z + y4.z;\n"
                                "        y4.w = a * x4.w + y4.w;\n"
                                "        *reinterpret_cast<float4*>(y + first) = y4;\n"
                                "    } else {\n"
                                "        for (int i = first; i < n; ++i) y[i] = a * x[i] + y[i];\n"
                                "    }\n",
                                "ceil_div(ceil_div(n, 4), BLOCK)"));
        // What is certainly stored need not be loaded; what may not be stored must.
        QVERIFY(after(vectorize_rule(), element_kernel(kIndex + "    if (i < n) y[i] = x[i];\n"))
                    .contains("        float4 y4;\n"));
        QVERIFY(after(vectorize_rule(), element_kernel(kIndex + "    if (i < n) { if (a > x[i]) y[i] = x[i]; }\n"))
                    .contains("float4 y4 = *reinterpret_cast"));
    }

    void what_one_thread_cannot_do_for_four_is_left_alone_data() {
        QTest::addColumn<QString>("text");
        const auto row = [](const char* name, const std::string& text) {
            QTest::newRow(name) << QString::fromStdString(text);
        };
        row("a neighbour", element_kernel(kIndex + "    if (i < n) y[i] = x[i + 1];\n"));
        row("the index", element_kernel(kIndex + "    if (i < n) y[i] = x[i] * i;\n"));
        row("a pointer", element_kernel(kIndex + "    if (i < n) y[i] = *x;\n"));
        row("an atomic", element_kernel(kIndex + "    if (i < n) atomicAdd(&y[i], x[i]);\n"));
        row("more after it", element_kernel(kIndex + "    if (i < n) y[i] = x[i];\n    y[0] = 1;\n"));
        row("another branch", element_kernel(kIndex + "    if (i < n) y[i] = x[i]; else y[0] = 1;\n"));
        row("another bound", element_kernel(kIndex + "    if (i < n - 1) y[i] = x[i];\n"));
        row("another grid", element_kernel(kIndex + "    if (i < n) y[i] = x[i];\n", "ceil_div(n, 128)"));
        row("a macro",
            element_kernel(kIndex + "    if (i < n) y[i] = M(x[i]);\n", "ceil_div(n, BLOCK)", "#define M(v) v\n"));
        row("a comment", element_kernel(kIndex + "    // careful\n    if (i < n) y[i] = x[i];\n"));
        row("taken names", element_kernel(kIndex + "    if (i < n) { float x4 = 1; y[i] = x[i] * x4; }\n"));
        row("a shuffle", element_kernel(kIndex + "    if (i < n) y[i] = __shfl_xor_sync(~0u, x[i], 1);\n"));
    }
    void what_one_thread_cannot_do_for_four_is_left_alone() {
        QFETCH(QString, text);
        QCOMPARE(after(vectorize_rule(), text.toStdString()), kNothing);
    }

    void grids_become_strides() {
        // 132 SMs hold 8 blocks of 256 threads each.
        QCOMPARE(after(grid_stride_rule(), element_kernel(kIndex + "    if (i < n) y[i] = x[i + 1] * i;\n")),
                 element_kernel("    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) "
                                "y[i] = x[i + 1] * i;\n",
                                "min(ceil_div(n, BLOCK), 1056)"));
        QCOMPARE(
            after(grid_stride_rule(),
                  element_kernel(kIndex + "    if (i >= n) return;\n    const float v = x[i];\n\n    y[i] = v;\n")),
            element_kernel("    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) {\n"
                           "        const float v = x[i];\n\n        y[i] = v;\n    }\n",
                           "min(ceil_div(n, BLOCK), 1056)"));
        // Without a profile nothing is known of the GPU.
        QCOMPARE(after(grid_stride_rule(), element_kernel(kIndex + "    if (i < n) y[i] = x[i];\n"), Json::object()),
                 kNothing);
    }

    void what_a_loop_would_change_is_left_alone_data() {
        QTest::addColumn<QString>("body");
        QTest::newRow("a barrier") << "    if (i >= n) return;\n    y[i] = 1;\n    __syncthreads();\n";
        QTest::newRow("a way out") << "    if (i >= n) return;\n    if (x[i] > 0) return;\n    y[i] = 1;\n";
        QTest::newRow("its place") << "    if (i < n) y[i] = threadIdx.x;\n";
        QTest::newRow("a function that knows its place") << "    if (i < n) y[i] = lane();\n";
    }
    void what_a_loop_would_change_is_left_alone() {
        QFETCH(QString, body);
        QCOMPARE(after(grid_stride_rule(), element_kernel(kIndex + body.toStdString(), "ceil_div(n, BLOCK)",
                                                          "__device__ int lane() { return threadIdx.x % 32; }\n")),
                 kNothing);
    }

    void loops_are_unrolled() {
        const auto kernel = [](const std::string& loop) {
            return "//@ launch k<<<1, 32>>>(x, y, n)\n__global__ void k(const float* x, float* y, int n) {\n    float "
                   "s = 0;\n"
                   + loop + "    y[0] = s;\n}\n";
        };
        const std::string loop = "    for (int i = 0; i < n; ++i) s += x[i];\n";
        QCOMPARE(after(unroll_rule(), kernel(loop)), kernel("#pragma unroll 4\n" + loop));
        QCOMPARE(after(unroll_rule(), kernel("#pragma unroll 4\n" + loop)), kNothing);
        QCOMPARE(after(unroll_rule(), kernel("    for (int i = 0; i < 8; ++i) s += x[i];\n")), kNothing);
        QCOMPARE(after(unroll_rule(), kernel("    if (n > 3)\n        for (int i = 0; i < n; ++i) s += x[i];\n")),
                 kNothing);
        QCOMPARE(after(unroll_rule(), kernel("    for (int i = 0; i < n; ++i) s += i;\n")), kNothing);
        QCOMPARE(after(unroll_rule(), kernel("    for (int i = 0; i < n; ++i) { s += x[i]; __syncthreads(); }\n")),
                 kNothing);
    }

    void approximations_need_tolerance() {
        const auto kernel = [](const std::string& value, const std::string& before = {}) {
            return before + "//@ launch k<<<1, 32>>>(x, y)\n__global__ void k(const float* x, float* y) { y[0] = "
                   + value + "; }\n";
        };
        QCOMPARE(after(fast_math_rule(), kernel("expf(x[0])")), kernel("__expf(x[0])"));
        QCOMPARE(after(fast_math_rule(), kernel("sinf(x[0])")), kNothing); // atol is 0
        QCOMPARE(after(fast_math_rule(), kernel("__expf(x[0])")), kNothing);
        QCOMPARE(after(fast_math_rule(), kernel("expf(x[0])", "__device__ float expf(float v) { return v; }\n")),
                 kNothing);
        QCOMPARE(
            after(fast_math_rule(), kernel("expf(x[0])"), evaluation({{"dram_throughput", 90}, {"sm_throughput", 20}})),
            kNothing);
    }

    void it_builds_on_what_is_right_and_better() {
        const auto kernel = element_kernel(kIndex + "    if (i < n) y[i] = a * x[i] + y[i];\n");
        Advisor advisor{make_task(), "k.cu", kernel, {}};
        trajectory::StepId id = 0;
        const auto tell = [&](const Proposal& proposal, double reward, double time) {
            auto step = test::step(proposal.source, reward, 1, time, proposal.parent);
            for (const auto& [name, value] : proposal.configuration) step.configuration[name] = value;
            auto known = evaluation();
            known.update(*step.evaluation);
            step.evaluation = known;
            trajectory::summarize_evaluation(step);
            step.summary.id = ++id;
            advisor.learn(step);
        };
        const auto first = advisor.propose({}).value().value();
        QCOMPARE(first.source, kernel);
        QVERIFY(!first.parent);
        tell(first, 1, 10);
        const auto second = advisor.propose({}).value().value();
        QCOMPARE(second.title, std::string{"four elements a thread in k"});
        QCOMPARE(second.parent, std::optional<trajectory::StepId>{1});
        tell(second, 1, 5);
        const auto third = advisor.propose({}).value().value();
        QVERIFY2(third.thought.contains("Step 2 was kept"), third.thought.c_str());
        QCOMPARE(third.parent, std::optional<trajectory::StepId>{2});
        tell(third, -1, 1);
        std::set<std::string> seen;
        for (auto next = advisor.propose({}).value(); next; next = advisor.propose({}).value()) {
            QCOMPARE(next->parent, std::optional<trajectory::StepId>{2});
            QVERIFY(seen.insert(next->source + task::sizes_text(next->configuration)).second);
            QVERIFY(next->thought.contains("was not kept"));
            tell(*next, 1, 4.99);
        }
        QVERIFY(!seen.empty());
    }

    void nothing_is_built_on_a_candidate_that_is_wrong() {
        Advisor advisor{make_task(), "k.cu", element_kernel(kIndex + "    if (i < n) y[i] = x[i];\n"), {}};
        const auto first = advisor.propose({}).value().value();
        auto step = test::step(first.source, -1, 1, 1);
        trajectory::summarize_evaluation(step);
        advisor.learn(step);
        QVERIFY(!advisor.propose({}).value());
    }
};

QTEST_APPLESS_MAIN(TestAdvisor)
#include "test_advisor.moc"
