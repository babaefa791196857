// Pictures of the views over recorded profiles, to be looked at:
//   profile_pictures FOLDER [SCALE]
#include "profiler_views/metrics/metrics_view.h"
#include "profiler_views/occupancy/occupancy_view.h"
#include "profiler_views/roofline/roofline_view.h"
#include "profiler_views/timeline/canvas.h"
#include "profiler_views/timeline/evaluation_stages.h"
#include "profiler_views/timeline/timeline_view.h"
#include "tests/profiler_views/recorded.h"
#include "widgets/theme.h"

#include <QApplication>
#include <QDir>
#include <QStandardPaths>

#include <fstream>

using namespace kw;
using namespace kw::profiler_views;

namespace {

QString folder;
QString suffix;

void shoot(QWidget& widget, const char* name, QSize size) {
    widget.resize(size);
    widget.QWidget::show();
    for (int i = 0; i < 5; ++i) QApplication::processEvents();
    widget.grab().save(QStringLiteral("%1/%2%3.png").arg(folder, QLatin1String(name), suffix));
    widget.hide();
}

std::string text_of_file(const char* path) {
    std::ifstream in(std::filesystem::path{KW_SOURCE_FOLDER} / path);
    return {std::istreambuf_iterator<char>(in), {}};
}

void pictures() {
    const auto softmax = test::recorded("softmax"), online = test::recorded("softmax_online");
    const auto matmul = test::recorded("matmul_register_tiles"), plain = test::recorded("matmul");
    const QSize pane(1400, 420), large(1400, 900), narrow(700, 600);
    {
        MetricsView view;
        view.show(softmax);
        shoot(view, "metrics_pane", pane);
        shoot(view, "metrics_large", large);
        shoot(view, "metrics_narrow", narrow);
        view.show(matmul, plain, QStringLiteral("step 1"));
        shoot(view, "metrics_compared", large);
        view.show_page(MetricsView::Page::metrics);
        shoot(view, "metrics_all", large);
        view.set_sources(
            {{"matmul_register_tiles.cu", text_of_file("resources/tasks/matmul/matmul_register_tiles.cu")}});
        view.show_page(MetricsView::Page::lines);
        shoot(view, "metrics_lines", pane);
    }
    {
        RooflineView view;
        shoot(view, "roofline_empty", pane);
        view.show(softmax);
        shoot(view, "roofline_launch", pane);
        std::vector<RooflineStep> steps;
        int id = 1;
        for (const char* name : {"matmul", "softmax", "attention", "attention_online", "layernorm", "stencil",
                                 "bias_gelu", "matmul_register_tiles"}) {
            steps.push_back(RooflineView::step_of(id, QString::number(id), test::recorded(name)));
            ++id;
        }
        steps.back().selected = true;
        steps[2].wrong = true;
        view.set_points(steps);
        shoot(view, "roofline_steps", QSize(1000, 560));
    }
    {
        const auto json = test::recorded_json("softmax");
        const auto evaluation = pipeline::evaluation_from_json(json.at("evaluation")).value();
        TimelineView view;
        view.resize(pane);
        view.QWidget::show();
        view.show_report(softmax, stages_of(evaluation));
        shoot(view, "timeline", large);
        view.canvas().fit();
        shoot(view, "timeline_all", pane);
    }
    {
        OccupancyView view;
        view.show(matmul);
        shoot(view, "occupancy", pane);
        view.set_demand({.threads = 192, .registers = 64, .static_shared = 8448, .dynamic_shared = 32768});
        shoot(view, "occupancy_what_if", QSize(1100, 360));
    }
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    if (argc > 2) qputenv("QT_SCALE_FACTOR", argv[2]);
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QStandardPaths::setTestModeEnabled(true);
    QApplication application(argc, argv);
    QCoreApplication::setOrganizationName(QStringLiteral("kernelwright-pictures"));
    folder = QString::fromLocal8Bit(argv[1]);
    QDir().mkpath(folder);
    for (const auto scheme : {widgets::Scheme::dark, widgets::Scheme::light}) {
        widgets::Theme::instance().apply(application, scheme);
        suffix = QStringLiteral("_%1_%2").arg(scheme == widgets::Scheme::dark ? QStringLiteral("dark")
                                                                              : QStringLiteral("light"),
                                              QString::number(application.devicePixelRatio()));
        pictures();
    }
    return 0;
}
