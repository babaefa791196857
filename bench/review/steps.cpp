// Goes through a long session as a reviewer does: opens it, then from step to step, in the list alone and in the whole
// window.
//
//   steps_bench [--steps N] [--moves N] [--aims]
//
// Off-screen. A move is from the key to the picture: the step is read, everything that shows it is brought up to date
// and painted. With --aims, exits with 1 where opening takes longer than 1 s, or a move longer than 16 ms (median) or
// 33 ms (worst 1 %).
#include "agent/review/steps_model.h"
#include "agent/review/steps_view.h"
#include "agent/trajectory/session_file.h"
#include "app/desktop/main_window.h"
#include "app/desktop/worker_session.h"
#include "widgets/theme.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QElapsedTimer>
#include <QTemporaryDir>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

using namespace kw;

namespace {

constexpr const char* kToml = R"(name = "scale"
title = "Scale a vector"
kernel = "scale.cu"
reference = "reference.cu"
[sizes]
n = 1000
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
role = "output"
)";

/// A kernel of some 120 lines, another for each step.
std::string source_of(std::int64_t step) {
    std::string text = fmt::format("//@ launch scale<<<ceil_div(n, 128), 128>>>(x, y, n)\n// step {}\n"
                                   "__global__ void scale(const float* x, float* y, int n) {{\n"
                                   "    int i = blockIdx.x * 128 + threadIdx.x;\n    float a = {};\n",
                                   step, step);
    for (int line = 0; line < 110; ++line)
        text += fmt::format("    a = a * {}.0f + x[min(i + {}, n - 1)]; // line {}\n", line, step % (line + 1), line);
    return text + "    if (i < n) y[i] = a;\n}\n";
}

pipeline::Evaluation evaluation_of(std::int64_t step) {
    pipeline::Evaluation evaluation;
    evaluation.task = "scale";
    evaluation.device.name = "NVIDIA H200 (simulated)";
    evaluation.device.id = "sim:H200";
    evaluation.compile.ok = true;
    evaluation.compile.milliseconds = 96;
    evaluation.compile.kernels.emplace_back();
    evaluation.compile.kernels.back().name = "scale";
    evaluation.compile.kernels.back().registers = 32;
    evaluation.verify.emplace();
    const bool ok = step % 7 != 3;
    evaluation.verify->ok = ok;
    evaluation.verify->because = ok ? "" : "y[17] is 3 where 2 is expected";
    for (int i = 0; i < 10; ++i) {
        pipeline::Check check;
        check.ok = ok;
        check.sizes = {{"n", i < 5 ? 1000 : 4096}};
        check.tensor = "y";
        check.comparison.max_abs = 1e-7 * static_cast<double>(step);
        check.comparison.elements = 1000;
        evaluation.verify->checks.push_back(check);
    }
    evaluation.reward = reward::Reward{.value = ok ? 2.0 : -1.0,
                                       .rule = "cuda-agent",
                                       .because = ok ? "faster than the reference" : "wrong",
                                       .speedups = {}};
    if (!ok) return evaluation;
    const double us = 40 + static_cast<double>(step % 13);
    evaluation.bench.emplace();
    evaluation.bench->estimated = true;
    evaluation.bench->time = {us, us, us, 1};
    evaluation.bench->limited_by = {"DRAM"};
    evaluation.bench->baselines.push_back({.name = "reference.cu",
                                           .time = {100, 100, 100, 1},
                                           .ratio = 100 / us,
                                           .ratio_ci = {100 / us, 100 / us},
                                           .problem = {}});
    evaluation.reward->speedups.push_back(
        {.baseline = "reference.cu", .value = 100 / us, .interval = {100 / us, 100 / us}});
    return evaluation;
}

Result<void> write_session(const std::filesystem::path& path, int steps) {
    auto session = trajectory::SessionFile::create(
        path, {{"task.toml", kToml}, {"scale.cu", source_of(0)}, {"reference.cu", source_of(0)}}, "scale");
    if (!session) return std::unexpected(session.error());
    return session->at_once([&]() -> Result<void> {
        for (std::int64_t i = 1; i <= steps; ++i) {
            trajectory::Step step;
            step.file = "scale.cu";
            step.source = source_of(i);
            step.summary.driver = "llm:model";
            step.summary.title = fmt::format("Try unrolling by {} and reading four floats per load", i % 9);
            // Every fiftieth begins a branch.
            if (i > 1) step.summary.parent = i % 50 == 0 ? i / 2 : i - 1;
            step.summary.started_ms = 1'700'000'000'000 + i * 60'000;
            step.summary.ended_ms = step.summary.started_ms + 4'321;
            step.summary.usage.prompt_tokens = 12'000 + i;
            step.summary.usage.completion_tokens = 800;
            step.thought = "The rows are contiguous, so four floats per load.";
            step.evaluation = pipeline::to_json(evaluation_of(i));
            if (auto added = session->add(std::move(step)); !added) return std::unexpected(added.error());
        }
        return {};
    });
}

double milliseconds(const QElapsedTimer& timer) { return static_cast<double>(timer.nsecsElapsed()) / 1e6; }

/// Of this thread, in milliseconds: what a move costs, whatever else the machine is doing.
double processor_ms() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

struct Moves {
    std::vector<double> times, processor;
};

/// Prints, and tells whether 60 frames a second are held.
bool report(const char* name, Moves moves) {
    auto& times = moves.times;
    std::ranges::sort(times);
    std::ranges::sort(moves.processor);
    const double median = times[times.size() / 2], worst = times[times.size() - 1 - times.size() / 100];
    std::printf("%-34s median %6.2f ms   worst 1 %% %6.2f ms   processor %6.2f ms   (%zu moves)\n", name, median, worst,
                moves.processor[times.size() / 2], times.size());
    return median <= 16 && worst <= 33;
}

/// Lays out and paints what has changed; painting may ask for more of that.
void settle() {
    for (int round = 0; round < 3; ++round) QCoreApplication::processEvents();
}

} // namespace

int main(int argc, char** argv) {
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    QTemporaryDir home;
    qputenv("XDG_CONFIG_HOME", home.filePath(QStringLiteral("config")).toUtf8());
    qputenv("XDG_DATA_HOME", home.filePath(QStringLiteral("data")).toUtf8());
    QApplication application(argc, argv);
    QCommandLineParser parser;
    parser.addHelpOption();
    const QCommandLineOption steps_option(QStringLiteral("steps"), QStringLiteral("Steps of the session."),
                                          QStringLiteral("N"), QStringLiteral("5000"));
    const QCommandLineOption moves_option(QStringLiteral("moves"), QStringLiteral("Moves from step to step."),
                                          QStringLiteral("N"), QStringLiteral("1000"));
    const QCommandLineOption aims_option(QStringLiteral("aims"), QStringLiteral("Exit with 1 where an aim is missed."));
    parser.addOptions({steps_option, moves_option, aims_option});
    parser.process(application);
    const int steps = std::max(2, parser.value(steps_option).toInt());
    const int moves = std::max(100, parser.value(moves_option).toInt());
    widgets::Theme::instance().apply(application, widgets::Scheme::dark);

    const std::filesystem::path path = home.filePath(QStringLiteral("long.kwsession")).toStdString();
    if (auto written = write_session(path, steps); !written) {
        std::fprintf(stderr, "steps_bench: %s\n", written.error().message.c_str());
        return 2;
    }

    bool good = true;
    {
        const auto session = trajectory::SessionFile::open(path, trajectory::SessionFile::Access::read);
        const auto summaries = session ? session->steps() : std::unexpected(session.error());
        if (!summaries) return 2;
        review::StepsView view;
        view.resize(320, 800);
        view.show();
        QElapsedTimer clock;
        clock.start();
        view.show_steps(*summaries, 9);
        settle();
        std::printf("%-34s %6.1f ms\n", "list of the steps, first shown", milliseconds(clock));
        Moves times;
        for (int move = 0; move < moves; ++move) {
            const double before = processor_ms();
            clock.restart();
            view.mark_selected((*summaries)[static_cast<std::size_t>(move) % summaries->size()].id);
            settle();
            times.times.push_back(milliseconds(clock));
            times.processor.push_back(processor_ms() - before);
        }
        good = report("step to step in the list", std::move(times)) && good;
    }

    desktop::WorkerSession worker{rpc::WorkerCommand{}};
    worker.refuse({.stage = Stage::rpc, .code = ErrorCode::unsupported, .message = "nothing runs here"});
    desktop::MainWindow window(worker);
    window.resize(1440, 900);
    window.show();
    settle();
    bool selected = false;
    QObject::connect(&window.workbench(), &desktop::Workbench::step_selected, &window,
                     [&] { selected = window.workbench().selected() != nullptr; });
    const auto wait = [&] {
        while (!selected) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
        settle();
    };
    QElapsedTimer clock;
    clock.start();
    window.open(path);
    wait();
    const double opening = milliseconds(clock);
    std::printf("%-34s %6.1f ms\n", "opening the session", opening);
    good = opening <= 1000 && good;
    int direction = -1;
    for (const char* pane : {"verdict", "correctness", "timeline", "metrics", "roofline", "problems"}) {
        if (!window.docks().reveal(QLatin1String(pane))) continue;
        settle();
        Moves times;
        for (int move = 0; move < moves; ++move) {
            if (const auto id = window.workbench().selected()->step.summary.id; id == 1 || id == steps)
                direction = id == 1 ? 1 : -1;
            const double before = processor_ms();
            clock.restart();
            selected = false;
            window.workbench().select_neighbour(direction);
            wait();
            times.times.push_back(milliseconds(clock));
            times.processor.push_back(processor_ms() - before);
        }
        const std::string name = fmt::format("step to step, {} in front", pane);
        good = report(name.c_str(), std::move(times)) && good;
    }
    return parser.isSet(aims_option) && !good ? 1 : 0;
}
