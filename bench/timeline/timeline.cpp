// Writes a trace of ten million events, opens it, and zooms and pans through it, as one who looks for something does.
//
//   timeline_bench [--events N] [--file TRACE] [--folder DIR] [--shuffled] [--gzip] [--size WxH] [--scale S] [--aims]
//
// Off-screen. With --aims, exits with 1 where a number misses the aim that docs/design.md or the issue names.
#include "bench/timeline/synthetic.h"
#include "engine/base/process.h"
#include "engine/timeline/open.h"
#include "profiler_views/timeline/canvas.h"
#include "profiler_views/timeline/timeline_view.h"
#include "widgets/theme.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QElapsedTimer>

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

using namespace kw;

namespace {

double status_mb(const char* key) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(key)) return std::stod(line.substr(line.find(':') + 1)) / 1024;
    return 0;
}

/// Of all threads: what the opening takes where nobody else works.
double processor_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Milliseconds of each frame: from the change to the last pixel.
class Frames {
public:
    Frames(profiler_views::TimelineCanvas& canvas, std::string name) : canvas_(canvas), name_(std::move(name)) {}
    void frame(const std::function<void()>& change) {
        const double processor = processor_seconds();
        QElapsedTimer timer;
        timer.start();
        change();
        canvas_.repaint();
        times_.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
        processor_ += (processor_seconds() - processor) * 1e3;
    }
    /// Median and the worst 1 %.
    std::pair<double, double> report() {
        std::ranges::sort(times_);
        const double median = times_[times_.size() / 2], worst = times_[times_.size() * 99 / 100];
        fmt::print(
            "  {:<34} {:4} frames   median {:6.2f} ms   99 % {:6.2f} ms   most {:6.2f} ms   processor {:6.2f} ms\n",
            name_, times_.size(), median, worst, times_.back(), processor_ / static_cast<double>(times_.size()));
        return {median, worst};
    }

private:
    profiler_views::TimelineCanvas& canvas_;
    std::string name_;
    std::vector<double> times_;
    double processor_ = 0; ///< ms of all threads
};

} // namespace

int main(int argc, char** argv) {
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    QCommandLineParser parser;
    const QCommandLineOption events(QStringLiteral("events"), {}, QStringLiteral("n"), QStringLiteral("10000000"));
    const QCommandLineOption file(QStringLiteral("file"), {}, QStringLiteral("trace"));
    const QCommandLineOption folder(QStringLiteral("folder"), {}, QStringLiteral("dir"), QStringLiteral("/tmp"));
    const QCommandLineOption size(QStringLiteral("size"), {}, QStringLiteral("wxh"), QStringLiteral("1920x1080"));
    const QCommandLineOption scale(QStringLiteral("scale"), {}, QStringLiteral("s"), QStringLiteral("1"));
    const QCommandLineOption shuffled(QStringLiteral("shuffled")), gzip(QStringLiteral("gzip")),
        aims(QStringLiteral("aims"));
    parser.addOptions({events, file, folder, size, scale, shuffled, gzip, aims});
    QStringList arguments;
    for (int i = 0; i < argc; ++i) arguments << QString::fromLocal8Bit(argv[i]);
    if (!parser.parse(arguments)) {
        fmt::print(stderr, "{}\n", parser.errorText().toStdString());
        return 2;
    }
    qputenv("QT_SCALE_FACTOR", parser.value(scale).toLatin1());
    QApplication application(argc, argv);
    widgets::Theme::instance().apply(application, widgets::Scheme::dark);

    std::filesystem::path path = parser.value(file).toStdString();
    const bool own = path.empty();
    if (own) {
        path = std::filesystem::path(parser.value(folder).toStdString()) / "kernelwright_timeline_bench.json";
        timeline_bench::SyntheticTrace what;
        what.events = parser.value(events).toULongLong();
        what.shuffled = parser.isSet(shuffled);
        if (auto done = timeline_bench::write_synthetic(path, what); !done) {
            fmt::print(stderr, "{}\n", done.error().message);
            return 3;
        }
        if (parser.isSet(gzip)) {
            if (auto done = run({"gzip", "-1", "-f", "-k", path.string()}, {.timeout = std::chrono::minutes{10}});
                !done) {
                fmt::print(stderr, "{}\n", done.error().message);
                return 3;
            }
        }
    }
    bool met = true;
    const auto aim = [&](bool reached) { met &= reached; };
    const auto open = [&](const std::filesystem::path& trace) {
        const double before = status_mb("VmRSS"), processor_before = processor_seconds();
        QElapsedTimer timer;
        timer.start();
        auto store = timeline::open_trace(trace);
        const double seconds = static_cast<double>(timer.nsecsElapsed()) / 1e9;
        const double processor = processor_seconds() - processor_before;
        if (!store) {
            fmt::print(stderr, "{}\n", store.error().message);
            std::exit(3);
        }
        const auto count = static_cast<double>((*store)->size());
        const double mb = static_cast<double>(std::filesystem::file_size(trace)) / 1e6;
        fmt::print("{}: {} events, {} flows, {:.0f} MB ({:.0f} B an event)\n", trace.filename().string(),
                   (*store)->size(), (*store)->flows().size(), mb, mb * 1e6 / count);
        fmt::print("  opened in {:.2f} s ({:.0f} MB/s, {:.2f} s of processor); {:.1f} B an event held, {:.1f} by the "
                   "process, {:.1f} at the peak\n",
                   seconds, mb / seconds, processor, static_cast<double>((*store)->memory_bytes()) / count,
                   (status_mb("VmRSS") - before) * 1048576 / count, (status_mb("VmHWM") - before) * 1048576 / count);
        for (const auto& warning : (*store)->warnings()) fmt::print("  warning: {}\n", warning);
        aim(seconds <= 5 && static_cast<double>((*store)->memory_bytes()) / count <= 64);
        return *store;
    };
    auto store = open(path);
    if (own && parser.isSet(gzip)) {
        store.reset();
        store = open(path.string() + ".gz");
    }

    const QStringList wh = parser.value(size).split(QLatin1Char('x'));
    profiler_views::TimelineView view;
    view.resize(wh.value(0).toInt(), wh.value(1).toInt());
    view.show();
    QElapsedTimer timer;
    timer.start();
    view.show(store);
    fmt::print("  shown in {:.1f} ms\n", static_cast<double>(timer.nsecsElapsed()) / 1e6);
    QApplication::processEvents();
    auto& canvas = view.canvas();
    const double ratio = canvas.devicePixelRatioF();
    fmt::print("frames of {} × {} pixels, {} lanes\n", std::lround(canvas.width() * ratio),
               std::lround(canvas.height() * ratio), store->lanes().size());
    const auto end = static_cast<double>(store->end());
    const auto measure = [&](const char* name, int count, const std::function<void(int)>& change) {
        Frames frames(canvas, name);
        for (int i = 0; i < count; ++i) frames.frame([&] { change(i); });
        const auto [median, worst] = frames.report();
        aim(median <= 16 && worst <= 33);
    };
    canvas.fit_to(0, end);
    measure("zoom in from all to a ns", 160, [&](int i) {
        const double x = canvas.scene().view.width * (0.3 + 0.4 * std::fmod(i * 0.61803, 1.0));
        canvas.set_view(profiler_views::zoomed(canvas.scene().view, x, 0.87));
    });
    measure("zoom out again", 160, [&](int) {
        canvas.set_view(profiler_views::zoomed(canvas.scene().view, canvas.scene().view.width / 2, 1 / 0.87));
    });
    for (const auto& [name, share] :
         {std::pair{"pan over all", 0.9}, std::pair{"pan at a tenth", 0.1}, std::pair{"pan at a hundredth", 0.01},
          std::pair{"pan at a ten-thousandth", 1e-4}, std::pair{"pan at a millionth", 1e-6}}) {
        canvas.fit_to(end * 0.4, end * (0.4 + share));
        measure(name, 120, [&](int) { canvas.set_view(profiler_views::panned(canvas.scene().view, 37)); });
    }
    canvas.fit_to(0, end);
    canvas.set_matches(
        timeline::NameSet(store->names(), [](std::string_view n) { return n.find("linear") != n.npos; }));
    measure("pan with a search", 60, [&](int i) { canvas.fit_to(0, end * (1 - 0.005 * i)); });
    if (own) {
        std::filesystem::remove(path);
        std::filesystem::remove(path.string() + ".gz");
    }
    if (parser.isSet(aims)) fmt::print("{}\n", met ? "every aim is met" : "an aim is missed");
    return parser.isSet(aims) && !met ? 1 : 0;
}
