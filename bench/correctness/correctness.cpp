// Looks at an output of 64 Mi elements as one who searches it does: opens it, zooms, pans, moves a tolerance.
//
//   correctness_bench [--rows N] [--columns N] [--size WxH] [--aims]
//
// Off-screen, the values in this process. With --aims, exits with 1 where a frame takes longer than 16 ms (median) or
// 33 ms (worst 1 %).
#include "engine/verify/inspection.h"
#include "engine/verify/local_source.h"
#include "profiler_views/correctness/map_canvas.h"
#include "widgets/theme.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QElapsedTimer>
#include <QMouseEvent>
#include <QWheelEvent>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

using namespace kw;

namespace {

struct Data {
    std::vector<float> expected, actual;
};

/// Right up to rounding, with a block of wrong tiles, a wrong column, a few NaN.
std::shared_ptr<Data> make(std::uint64_t rows, std::uint64_t columns) {
    auto data = std::make_shared<Data>();
    data->expected.resize(rows * columns);
    data->actual.resize(rows * columns);
    std::uint32_t state = 1;
    for (std::uint64_t i = 0; i < data->expected.size(); ++i) {
        state = state * 1664525u + 1013904223u;
        const float e = static_cast<float>(state >> 8) * 0x1p-23f - 1;
        float a = e;
        if (state & 0x40) a = std::nextafter(e, 2.0f);
        const std::uint64_t row = i / columns, column = i % columns;
        if (row % 1024 > 1000 && column % 2048 > 1500) a = e * 1.5f;
        if (column == columns / 3) a = e + 0.01f;
        if (i % 9999991 == 5) a = std::nanf("");
        data->expected[i] = e;
        data->actual[i] = a;
    }
    return data;
}

double milliseconds(const QElapsedTimer& timer) { return static_cast<double>(timer.nsecsElapsed()) / 1e6; }

class Frames {
public:
    Frames(profiler_views::MapCanvas& canvas, std::string name) : canvas_(canvas), name_(std::move(name)) {}
    void frame(const std::function<void()>& change) {
        QElapsedTimer timer;
        timer.start();
        change();
        canvas_.repaint();
        // Answers that have come meanwhile are part of what the interface's thread does.
        QApplication::processEvents();
        times_.push_back(milliseconds(timer));
    }
    bool report() {
        std::ranges::sort(times_);
        const double median = times_[times_.size() / 2], worst = times_[times_.size() * 99 / 100];
        fmt::print("  {:<36} {:4} frames   median {:6.2f} ms   99 % {:6.2f} ms   most {:6.2f} ms\n", name_,
                   times_.size(), median, worst, times_.back());
        return median <= 16 && worst <= 33;
    }

private:
    profiler_views::MapCanvas& canvas_;
    std::string name_;
    std::vector<double> times_;
};

void wait_until_complete(profiler_views::MapCanvas& canvas) {
    while (!canvas.complete()) QApplication::processEvents(QEventLoop::WaitForMoreEvents);
    canvas.repaint();
}

} // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    QCommandLineParser parser;
    parser.addHelpOption();
    parser.addOptions({{QStringLiteral("rows"), {}, QStringLiteral("N"), QStringLiteral("8192")},
                       {QStringLiteral("columns"), {}, QStringLiteral("N"), QStringLiteral("8192")},
                       {QStringLiteral("size"), {}, QStringLiteral("WxH"), QStringLiteral("1400x700")},
                       {QStringLiteral("aims"), {}}});
    parser.process(application);
    widgets::Theme::instance().apply(application, widgets::Scheme::dark);
    const auto rows = parser.value(QStringLiteral("rows")).toULongLong(),
               columns = parser.value(QStringLiteral("columns")).toULongLong();
    const auto size = parser.value(QStringLiteral("size")).split(QLatin1Char('x'));
    if (rows == 0 || columns == 0 || size.size() != 2) parser.showHelp(2);
    const auto data = make(rows, columns);
    fmt::print("{} × {} f32, {} in all\n", rows, columns, rows * columns);

    QElapsedTimer timer;
    timer.start();
    auto output = std::make_shared<verify::Inspection>(
        data, std::as_bytes(std::span(data->expected)), std::as_bytes(std::span(data->actual)),
        verify::TensorOutput{.name = "y",
                             .type = task::ScalarType::f32,
                             .shape = {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)},
                             .map = {},
                             .tolerance = {},
                             .comparison = {}});
    fmt::print("  compared in {:.0f} ms, {} wrong\n", milliseconds(timer), output->tensor().comparison.mismatches);
    const auto tensor = output->tensor();

    profiler_views::MapCanvas canvas;
    canvas.resize(size[0].toInt(), size[1].toInt());
    canvas.show();
    timer.restart();
    const auto source =
        std::make_shared<verify::LocalSource>(std::vector<std::shared_ptr<const verify::Inspection>>{output});
    canvas.show_outputs(source, 0, tensor);
    wait_until_complete(canvas);
    fmt::print("  first picture after {:.0f} ms, the pyramid included\n", milliseconds(timer));
    timer.restart();
    const auto histogram = output->histogram();
    fmt::print("  histograms in {:.0f} ms, {} joint bins\n", milliseconds(timer), histogram.joint.bins.size());
    timer.restart();
    const auto passing = histogram.joint.passing({1e-4, 1e-4});
    fmt::print("  what would pass, from the histogram: {:.3f} ms, {} to {}\n", milliseconds(timer), passing.at_least,
               passing.at_most);
    timer.restart();
    const auto exact = output->mismatches({1e-4, 1e-4});
    fmt::print("  the same exactly: {:.0f} ms, {}\n", milliseconds(timer), rows * columns - exact.value_or(0));

    bool aims = true;
    const QPointF middle(canvas.width() / 2.0, canvas.height() / 2.0);
    const auto wheel = [&](int notches) {
        QWheelEvent event(middle, middle, {}, {0, 120 * notches}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                          false);
        QApplication::sendEvent(&canvas, &event);
    };
    const auto drag = [&](QPointF by) {
        QMouseEvent press(QEvent::MouseButtonPress, middle, middle, Qt::LeftButton, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&canvas, &press);
        QMouseEvent move(QEvent::MouseMove, middle + by, middle + by, Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&canvas, &move);
        QMouseEvent release(QEvent::MouseButtonRelease, middle + by, middle + by, Qt::LeftButton, Qt::NoButton,
                            Qt::NoModifier);
        QApplication::sendEvent(&canvas, &release);
    };
    Frames zoom(canvas, "zoom to an element and back");
    for (int round = 0; round < 5; ++round) {
        for (int i = 0; i < 24; ++i) zoom.frame([&] { wheel(1); });
        for (int i = 0; i < 24; ++i) zoom.frame([&] { wheel(-1); });
    }
    aims = zoom.report() && aims;
    for (const int notches : {0, 4, 8, 12, 16, 24}) {
        canvas.fit();
        for (int i = 0; i < notches; ++i) wheel(1);
        wait_until_complete(canvas);
        Frames pan(canvas, fmt::format("pan, {} notches in", notches));
        for (int i = 0; i < 60; ++i) pan.frame([&] { drag(QPointF(i < 30 ? 37 : -31, i % 20 < 10 ? 23 : -19)); });
        aims = pan.report() && aims;
        timer.restart();
        wait_until_complete(canvas);
        fmt::print("    whole again after {:.0f} ms\n", milliseconds(timer));
    }
    canvas.fit();
    wait_until_complete(canvas);
    Frames tolerance(canvas, "move the tolerance");
    for (int i = 0; i < 60; ++i) tolerance.frame([&] { canvas.set_tolerance({1e-6 * std::pow(1.2, i), 1e-5}, false); });
    aims = tolerance.report() && aims;
    timer.restart();
    canvas.set_tolerance({1e-3, 1e-3}, true);
    wait_until_complete(canvas);
    fmt::print("  exact colours under another tolerance after {:.0f} ms\n", milliseconds(timer));
    return parser.isSet(QStringLiteral("aims")) && !aims ? 1 : 0;
}
