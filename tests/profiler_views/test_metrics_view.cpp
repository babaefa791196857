#include "engine/profile/findings.h"
#include "engine/profile/metrics.h"
#include "profiler_views/metrics/cell_table.h"
#include "profiler_views/metrics/metric_panel.h"
#include "profiler_views/metrics/metrics_view.h"
#include "tests/profiler_views/recorded.h"
#include "widgets/empty_state.h"
#include "widgets/theme.h"

#include <QAbstractItemModelTester>
#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QSettings>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTest>

using namespace kw;
using namespace kw::profiler_views;

namespace {

class Fixture {
public:
    explicit Fixture(const profile::Report& report, const std::optional<profile::Report>& before = {}) {
        view.resize(1400, 900);
        view.QWidget::show();
        view.show(report, before, QStringLiteral("step 1"));
        QApplication::processEvents();
    }
    CellTable& table(const char* name) {
        for (auto* found : view.findChildren<CellTable*>())
            if (found->accessibleName() == QLatin1String(name)) return *found;
        qFatal("no such table");
    }
    QString all_text() {
        QStringList texts;
        for (const auto* label : view.findChildren<QLabel*>())
            if (label->isVisible()) texts << label->text();
        return texts.join(QLatin1Char('\n'));
    }
    MetricsView view;
};

QString cell(CellTable& table, const QString& id, const QString& column) {
    auto* model = table.model();
    for (int row = 0; row < model->rowCount(); ++row) {
        if (model->index(row, 0).data(CellModel::kIdRole).toString() != id) continue;
        const auto& columns = table.cells().columns();
        for (std::size_t c = 0; c < columns.size(); ++c)
            if (columns[c].id == column)
                return model->index(row, static_cast<int>(c)).data().toString().replace(QChar(0xa0), QLatin1Char(' '));
    }
    return {};
}

profile::Report tiny(double sm, double memory) {
    profile::Report report;
    report.device.name = "NVIDIA H200";
    report.device.arch = "sm_90";
    report.device.kind = device::Kind::cuda;
    auto& launch = report.launches.emplace_back();
    launch.kernel = "k";
    launch.grid = {1320, 1, 1};
    launch.block = {256, 1, 1};
    report.launches[0].registers = 32;
    report.launches[0].metrics = {{"sm_throughput", sm}, {"memory_throughput", memory}, {"dram_throughput", memory}};
    return report;
}

bool mentions(const std::vector<profile::Finding>& found, profile::Finding::Kind kind, std::string_view part) {
    return std::ranges::any_of(
        found, [&](const profile::Finding& f) { return f.kind == kind && f.text.find(part) != std::string::npos; });
}

} // namespace

class TestMetricsView : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setOrganizationName(QStringLiteral("kernelwright-test"));
        QCoreApplication::setApplicationName(QStringLiteral("test_metrics_view"));
        QSettings().clear();
        widgets::Theme::instance().apply(*qApp, widgets::Scheme::dark);
    }

    void nothing_yet_says_what_would_be_here() {
        MetricsView view;
        view.resize(800, 400);
        view.QWidget::show();
        QVERIFY(view.findChild<widgets::EmptyState*>()->isVisible());
    }

    void values_are_those_of_the_report() {
        const auto report = test::recorded("softmax");
        Fixture f(report);
        auto& all = f.table("All metrics");
        const QAbstractItemModelTester tester(&all.cells(), QAbstractItemModelTester::FailureReportingMode::Fatal);
        const QAbstractItemModelTester filtered(all.model(), QAbstractItemModelTester::FailureReportingMode::Fatal);
        QCOMPARE(static_cast<std::size_t>(all.cells().rowCount()), report.launches[0].metrics.size());
        QCOMPARE(cell(all, QStringLiteral("duration_us"), QStringLiteral("value")), QStringLiteral("16.3 µs"));
        QCOMPARE(cell(all, QStringLiteral("dram_bandwidth"), QStringLiteral("value")), QStringLiteral("2.24 TB/s"));
        QCOMPARE(cell(all, QStringLiteral("dram_throughput"), QStringLiteral("kind")), QStringLiteral("measured"));
        QCOMPARE(cell(all, QStringLiteral("dram_throughput"), QStringLiteral("source")),
                 QStringLiteral("CUPTI counters"));
        QCOMPARE(cell(f.table("Speed of light"), QStringLiteral("l2_throughput"), QStringLiteral("value")),
                 QStringLiteral("65.6 %"));
        QCOMPARE(cell(f.table("Memory"), QStringLiteral("l2_bytes"), QStringLiteral("bytes")),
                 QStringLiteral("81.0 MB"));
        QCOMPARE(cell(f.table("Stalls"), QStringLiteral("stall_long_scoreboard"), QStringLiteral("share")),
                 QStringLiteral("50.0 %"));
        // The largest reason comes first, and is explained.
        QCOMPARE(f.table("Stalls").model()->index(0, 0).data().toString(), QStringLiteral("Long scoreboard"));
        QVERIFY(f.all_text().contains(QStringLiteral("waits for data from global or local memory")));
        QVERIFY(f.all_text().contains(QStringLiteral("measured")));
    }

    void a_selected_metric_is_explained() {
        Fixture f(test::recorded("softmax"));
        auto& speed = f.table("Speed of light");
        speed.select_id(QStringLiteral("dram_throughput"));
        const auto* metric = profile::find_metric("dram_throughput");
        const QString text = f.all_text();
        QVERIFY(text.contains(QString::fromStdString(metric->about)));
        QVERIFY(text.contains(QStringLiteral("Speed of light · DRAM throughput")));
        QCOMPARE(f.table("All metrics").current_id(), QStringLiteral("dram_throughput"));
        const auto* how = f.view.findChild<MetricPanel*>()->findChild<QLineEdit*>();
        QCOMPARE(how->text(), QString::fromStdString(metric->names.front()));
    }

    void filtering_sorting_and_copying() {
        Fixture f(test::recorded("softmax"));
        f.view.show_page(MetricsView::Page::metrics);
        auto& all = f.table("All metrics");
        const int rows = all.model()->rowCount();
        auto* filter = f.view.findChild<QLineEdit*>();
        QCOMPARE(filter->accessibleName(), QStringLiteral("Filter metrics"));
        QTest::keyClicks(filter, QStringLiteral("dram THROUGH"));
        QVERIFY(all.model()->rowCount() > 0 && all.model()->rowCount() < rows);
        for (int row = 0; row < all.model()->rowCount(); ++row)
            QVERIFY(all.model()->index(row, 0).data(CellModel::kIdRole).toString().contains(QStringLiteral("dram")));
        all.sortByColumn(2, Qt::DescendingOrder);
        double last = std::numeric_limits<double>::max();
        for (int row = 0; row < all.model()->rowCount(); ++row) {
            const double value = all.model()->index(row, 2).data(CellModel::kValueRole).toDouble();
            QVERIFY(value <= last);
            last = value;
        }
        all.setFocus();
        QTest::keyClick(&all, Qt::Key_C, Qt::ControlModifier);
        const QStringList lines = QApplication::clipboard()->text().split(QLatin1Char('\n'));
        QCOMPARE(lines.size(), all.model()->rowCount() + 2); // a title, and a newline at the end
        QCOMPARE(lines[0].split(QLatin1Char('\t'))[2], QStringLiteral("Value"));
        // Every digit, so that a spreadsheet can go on with it.
        QVERIFY(lines[1].split(QLatin1Char('\t'))[2].size() > 8);
        filter->clear();
        QCOMPARE(all.model()->rowCount(), rows);
    }

    void the_choice_of_columns_is_remembered() {
        {
            Fixture f(test::recorded("softmax"));
            auto& all = f.table("All metrics");
            QVERIFY(!all.is_column_shown(QStringLiteral("id")));
            all.show_column(QStringLiteral("id"), true);
            all.show_column(QStringLiteral("how"), false);
        }
        Fixture f(test::recorded("matmul"));
        QVERIFY(f.table("All metrics").is_column_shown(QStringLiteral("id")));
        QVERIFY(!f.table("All metrics").is_column_shown(QStringLiteral("how")));
        QSettings().clear();
    }

    void before_and_after_are_compared() {
        const auto now = test::recorded("softmax_online"), before = test::recorded("softmax");
        Fixture f(now, before);
        auto& all = f.table("All metrics");
        const double a = now.launches[0].metrics.at("duration_us"), b = before.launches[0].metrics.at("duration_us");
        const QString ratio = cell(all, QStringLiteral("duration_us"), QStringLiteral("ratio"));
        QVERIFY(ratio.endsWith(QStringLiteral("×")));
        QVERIFY(std::abs(ratio.chopped(1).toDouble() - a / b) < 0.01 * a / b);
        QVERIFY(f.all_text().contains(QStringLiteral("compared with step 1")));
        f.view.show(now);
        QVERIFY(cell(f.table("All metrics"), QStringLiteral("duration_us"), QStringLiteral("ratio")).isEmpty());
    }

    void lines_lead_to_the_source() {
        const auto report = test::recorded("softmax");
        Fixture f(report);
        f.view.set_sources({{"softmax.cu", "a\nb\nc\nd\n  the fifth\n"}});
        f.view.show_page(MetricsView::Page::lines);
        auto& lines = f.table("Metrics of source lines");
        const QAbstractItemModelTester tester(&lines.cells(), QAbstractItemModelTester::FailureReportingMode::Fatal);
        QCOMPARE(static_cast<std::size_t>(lines.model()->rowCount()), report.launches[0].lines.size());
        QCOMPARE(cell(lines, QStringLiteral("softmax.cu:5"), QStringLiteral("source")), QStringLiteral("the fifth"));
        QCOMPARE(cell(lines, QStringLiteral("softmax.cu:5"), QStringLiteral("samples")), QStringLiteral("250"));
        QSignalSpy asked(&f.view, &MetricsView::go_to_requested);
        lines.select_id(QStringLiteral("softmax.cu:5"));
        lines.setFocus();
        QTest::keyClick(&lines, Qt::Key_Return);
        QCOMPARE(asked.count(), 1);
        QCOMPARE(asked[0][0].toString(), QStringLiteral("softmax.cu"));
        QCOMPARE(asked[0][1].toInt(), 5);
    }

    void what_is_missing_says_why() {
        auto report = test::recorded("softmax");
        for (auto& state : report.rungs)
            if (state.rung == profile::Rung::pc_sampling || state.rung == profile::Rung::counters)
                state = {.rung = state.rung,
                         .state = profile::RungState::State::skipped,
                         .reason = "the driver keeps counters for administrators",
                         .remedy = "Load the module with NVreg_RestrictProfilingToAdminUsers=0"};
        report.launches[0].metrics.clear();
        report.launches[0].lines.clear();
        Fixture f(report);
        const QString text = f.all_text();
        QVERIFY(text.contains(QStringLiteral("Counters was skipped. The driver keeps counters for administrators.")));
        QVERIFY(text.contains(QStringLiteral("NVreg_RestrictProfilingToAdminUsers=0")));
        QVERIFY(text.contains(QStringLiteral("Stalls: Counters was skipped.")));
        f.view.show_page(MetricsView::Page::lines);
        QVERIFY(f.all_text().contains(QStringLiteral("PC sampling was skipped.")));
        report.launches.clear();
        f.view.show(report);
        QVERIFY(f.view.findChild<QComboBox*>()->count() == 0);
    }

    void launches_are_chosen() {
        auto report = test::recorded("softmax");
        report.launches.push_back(report.launches[0]);
        report.launches[1].kernel = "second";
        report.launches[1].metrics = {{"duration_us", 5}};
        Fixture f(report);
        QSignalSpy changed(&f.view, &MetricsView::launch_changed);
        f.view.show_launch(1);
        QCOMPARE(changed.count(), 1);
        QCOMPARE(f.table("All metrics").model()->rowCount(), 1);
        f.view.show_launch(7);
        QCOMPARE(changed.count(), 1);
        f.view.show(report); // the launch that was looked at stays
        QCOMPARE(f.table("All metrics").model()->rowCount(), 1);
    }

    void findings_are_borne_out_by_numbers() {
        using Kind = profile::Finding::Kind;
        QVERIFY(mentions(findings(tiny(20, 91), 0), Kind::bound, "DRAM throughput is at 91 %"));
        QVERIFY(mentions(findings(tiny(85, 30), 0), Kind::bound, "SM throughput is at 85 %"));
        QVERIFY(mentions(findings(tiny(30, 40), 0), Kind::waiting, "neither bounds the kernel"));
        QVERIFY(mentions(findings(tiny(70, 40), 0), Kind::bound, "SM throughput is the busiest unit"));
        auto report = tiny(30, 40);
        auto& launch = report.launches[0];
        launch.metrics["issue_active"] = 20;
        launch.metrics["stall_barrier"] = 6;
        launch.metrics["stall_selected"] = 1;
        QVERIFY(mentions(findings(report, 0), Kind::stall, "Barrier takes 85.7 %"));
        launch.metrics["issue_active"] = 90; // nothing is lost where the schedulers are busy
        QVERIFY(!mentions(findings(report, 0), Kind::stall, ""));
        launch.metrics["theoretical_occupancy"] = 25;
        launch.metrics["eligible_warps"] = 0.3;
        launch.registers = 128;
        QVERIFY(mentions(findings(report, 0), Kind::occupancy, "limited by 128 registers per thread"));
        launch.metrics["eligible_warps"] = 1.5; // few warps are enough where one is always ready
        QVERIFY(!mentions(findings(report, 0), Kind::occupancy, ""));
        launch.metrics["global_load_requests"] = 100;
        launch.metrics["bytes_per_load_sector"] = 8;
        QVERIFY(mentions(findings(report, 0), Kind::memory, "use 8 of the 32 bytes"));
        launch.metrics["shared_bank_conflicts"] = 90;
        launch.metrics["shared_load_wavefronts"] = 100;
        QVERIFY(mentions(findings(report, 0), Kind::memory, "90 % of the wavefronts"));
        launch.metrics["local_bytes"] = 4e6;
        QVERIFY(mentions(findings(report, 0), Kind::memory, "4 MB move through local memory"));
        launch.metrics["threads_per_instruction"] = 8;
        QVERIFY(mentions(findings(report, 0), Kind::divergence, "8 of 32 lanes"));
        launch.grid = {40, 1, 1};
        QVERIFY(mentions(findings(report, 0), Kind::grid, "92 of them have nothing to do"));
        launch.grid = {132 * 2 + 20, 1, 1}; // two blocks of 128 registers fit on an SM
        QVERIFY(mentions(findings(report, 0), Kind::grid, "in the last of 2 waves"));
        QVERIFY(findings(report, 1).empty());
        for (const auto& finding : findings(report, 0)) {
            QVERIFY(!finding.metrics.empty());
            for (const auto& id : finding.metrics) QVERIFY2(profile::find_metric(id), id.c_str());
        }
        // Of an estimate, what the model says.
        auto estimate = tiny(95, 95);
        estimate.estimated = true;
        estimate.launches[0].limited_by = "L2";
        QVERIFY(mentions(findings(estimate, 0), Kind::bound, "bound by L2"));
    }

    void everything_has_a_name_for_those_who_do_not_see() {
        Fixture f(test::recorded("matmul"));
        for (const auto page : {MetricsView::Page::summary, MetricsView::Page::metrics, MetricsView::Page::lines}) {
            f.view.show_page(page);
            for (const auto* widget : f.view.findChildren<QWidget*>()) {
                if (widget->focusPolicy() == Qt::NoFocus || !widget->isVisible()) continue;
                const auto* access = QAccessible::queryAccessibleInterface(const_cast<QWidget*>(widget));
                QVERIFY2(access && !access->text(QAccessible::Name).isEmpty(), widget->metaObject()->className());
            }
        }
    }

    void every_recorded_profile_is_shown_at_every_width() {
        for (const char* name : {"attention", "histogram", "reduction_shuffle", "transpose", "stencil_march"}) {
            Fixture f(test::recorded(name));
            for (const int width : {500, 1000, 2400}) {
                f.view.resize(width, 700);
                QApplication::processEvents();
                QVERIFY2(f.view.width() <= std::max(width, 620), qPrintable(QString::number(f.view.width())));
                // No section reaches beyond the page, and none covers another.
                const auto& speed = f.table("Speed of light");
                QVERIFY(speed.width() > 100 && speed.width() <= f.view.width());
                QVERIFY(!speed.parentWidget()->geometry().intersects(f.table("Memory").parentWidget()->geometry()));
            }
        }
    }
};

QTEST_MAIN(TestMetricsView)
#include "test_metrics_view.moc"
