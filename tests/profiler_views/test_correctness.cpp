#include "engine/verify/inspection.h"
#include "engine/verify/local_source.h"
#include "profiler_views/correctness/cell_tiles.h"
#include "profiler_views/correctness/check_model.h"
#include "profiler_views/correctness/correctness_view.h"
#include "profiler_views/correctness/element_panel.h"
#include "profiler_views/correctness/error_bars.h"
#include "profiler_views/correctness/map_canvas.h"
#include "profiler_views/correctness/tolerance_panel.h"
#include "widgets/theme.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QWheelEvent>

#include <cmath>

using namespace kw;
using namespace kw::profiler_views;

namespace {

constexpr std::int64_t kRows = 600, kColumns = 500;

struct Data {
    std::vector<float> expected, actual;
};

std::shared_ptr<Data> make_data() {
    auto data = std::make_shared<Data>();
    for (std::int64_t i = 0; i < kRows * kColumns; ++i) {
        const float e = 1.0f + static_cast<float>(i % 97) * 0.01f;
        float a = e;
        if (i % 3 == 0) a = std::nextafter(e, 2.0f);
        const auto row = i / kColumns, column = i % kColumns;
        if (row >= 300 && row < 364 && column >= 100 && column < 164) a = e * 1.01f;
        if (i == 40 * kColumns + 40) a = std::nanf("");
        data->expected.push_back(e);
        data->actual.push_back(a);
    }
    return data;
}

std::shared_ptr<verify::Inspection> inspect(const std::shared_ptr<Data>& data) {
    return std::make_shared<verify::Inspection>(data, std::as_bytes(std::span(data->expected)),
                                                std::as_bytes(std::span(data->actual)),
                                                verify::TensorOutput{.name = "y",
                                                                     .type = task::ScalarType::f32,
                                                                     .shape = {kRows, kColumns},
                                                                     .map = {},
                                                                     .tolerance = {},
                                                                     .comparison = {}});
}

/// Knows who wrote: what a worker would have found.
class FakeSource final : public verify::OutputSource {
public:
    explicit FakeSource(std::shared_ptr<const verify::Inspection> output) : local_({std::move(output)}) {}
    void cells(const verify::CellQuery& query, Answer<verify::Cells> answer) override {
        ++asked;
        if (broken)
            return answer(fail(Stage::rpc, ErrorCode::not_found, "outputs 1 are no longer kept; ask for them again"));
        local_.cells(query, std::move(answer));
    }
    void values(std::size_t tensor, const verify::Region& region, Answer<verify::Values> answer) override {
        local_.values(tensor, region, std::move(answer));
    }
    void histogram(std::size_t tensor, Answer<verify::ErrorHistogram> answer) override {
        local_.histogram(tensor, std::move(answer));
    }
    void mismatches(std::size_t tensor, const task::Tolerance& tolerance, Answer<std::uint64_t> answer) override {
        local_.mismatches(tensor, tolerance, std::move(answer));
    }
    void next_mismatch(std::size_t tensor, std::uint64_t index, bool forward,
                       const std::optional<task::Tolerance>& tolerance,
                       Answer<std::optional<std::uint64_t>> answer) override {
        local_.next_mismatch(tensor, index, forward, tolerance, std::move(answer));
    }
    void writers(std::size_t, std::uint64_t, Answer<verify::WriterReport> answer) override {
        answer(verify::WriterReport{.writes = {{.kernel = "softmax<128>",
                                                .launch = 0,
                                                .block = {3, 0, 0},
                                                .thread = {17, 0, 0},
                                                .where = {"softmax.cu", 42, 5}}},
                                    .more = 0,
                                    .origin = verify::Origin{{"softmax.cu", 40, 1}, "a division gave NaN"},
                                    .note = {}});
    }

    int asked = 0;
    bool broken = false;

private:
    verify::LocalSource local_;
};

pipeline::Evaluation evaluation(const verify::Comparison& wrong) {
    pipeline::Evaluation result;
    result.compile.ok = true;
    result.verify.emplace();
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        pipeline::Check check;
        check.ok = seed != 3;
        check.seed = seed;
        check.sizes = {{"cols", kColumns}, {"rows", kRows}};
        check.tensor = std::string("y");
        check.comparison.elements = kRows * kColumns;
        check.comparison.max_abs = 1e-7;
        check.comparison.max_ulp = 1;
        if (seed == 3) check.comparison = wrong;
        result.verify->checks.push_back(check);
    }
    result.verify->ok = false;
    return result;
}

QString all_text(const QWidget& widget) {
    QStringList texts;
    for (const auto* label : widget.findChildren<QLabel*>())
        if (label->isVisibleTo(&widget)) texts << label->text();
    return texts.join(QLatin1Char('\n'));
}

} // namespace

class TestCorrectness : public QObject {
    Q_OBJECT
private:
    std::shared_ptr<Data> data_ = make_data();
    std::shared_ptr<verify::Inspection> output_ = inspect(data_);
    std::shared_ptr<FakeSource> source_;

    rpc::OutputsRun run(std::uint64_t seed = 3) {
        source_ = std::make_shared<FakeSource>(output_);
        rpc::OutputsRun result;
        result.compile.ok = true;
        result.seed = seed;
        result.sizes = {{"cols", kColumns}, {"rows", kRows}};
        result.tensors = {output_->tensor()};
        result.source = source_;
        return result;
    }
    /// A view that has been given elements.
    std::unique_ptr<CorrectnessView> shown() {
        auto view = std::make_unique<CorrectnessView>();
        view->resize(1300, 520);
        view->show();
        connect(view.get(), &CorrectnessView::rerun_requested, view.get(),
                [this, view = view.get()] { view->show_outputs(run()); });
        view->show_evaluation(evaluation(output_->tensor().comparison), true);
        return view;
    }

private Q_SLOTS:
    void initTestCase() { widgets::Theme::instance().apply(*qApp, widgets::Scheme::dark); }

    void the_transform_goes_there_and_back() {
        MapTransform transform;
        transform.columns = 8192;
        transform.rows = 1000000;
        // Before it has a size, as a window's first moment is.
        transform.fit();
        QVERIFY(std::isfinite(transform.element_at({0, 0}).x()) && transform.fits_whole());
        transform.resize({1000, 500});
        QVERIFY(transform.fits_whole());
        const QPointF pixel(321, 123);
        const auto before = transform.element_at(pixel);
        for (int i = 0; i < 30; ++i) {
            transform.zoom(1.3, pixel);
            const auto at = transform.element_at(pixel);
            QVERIFY(std::abs(at.x() - before.x()) < 1e-6 && std::abs(at.y() - before.y()) < 1e-4);
            const auto back = transform.pixel_at(at.y(), at.x());
            QVERIFY(std::abs(back.x() - pixel.x()) < 1e-3 && std::abs(back.y() - pixel.y()) < 1e-3);
        }
        QVERIFY(transform.scale_x <= MapTransform::kWidest && transform.scale_y <= MapTransform::kTallest);
        for (int i = 0; i < 200; ++i) transform.zoom(0.7, pixel);
        QVERIFY(transform.fits_whole());
        QCOMPARE(transform.column, 0.0);
        QCOMPARE(MapTransform::step_for(4), std::uint64_t{1});
        QCOMPARE(MapTransform::step_for(2), std::uint64_t{1});
        QCOMPARE(MapTransform::step_for(1.9), std::uint64_t{2});
        QCOMPARE(MapTransform::step_for(0.001), std::uint64_t{2048});
        transform.show_element(999999, 0);
        QCOMPARE(transform.visible().row_end, std::uint64_t{1000000});
        QCOMPARE(transform.visible().column, std::uint64_t{0});
    }

    void colours_are_ordered() {
        for (const auto scheme : {widgets::Scheme::dark, widgets::Scheme::light}) {
            const ErrorColors colors(widgets::Theme::tokens_of(scheme));
            const auto background = QColor(colors.of(0.0f));
            // The worst of what passes and what fails are told apart by lightness too.
            QVERIFY(widgets::contrast(QColor(colors.of(1e4f)), background) > 4.5);
            QVERIFY(widgets::contrast(QColor(colors.of(1e4f)), QColor(colors.of(0.9f))) > 1.5);
            double last = 1;
            for (const float ratio : {1e-4f, 1e-3f, 1e-2f, 0.1f, 1.0f}) {
                const double contrast = widgets::contrast(QColor(colors.of(ratio)), background);
                QVERIFY(contrast >= last);
                last = contrast;
            }
            QVERIFY(colors.of(1.0f) != colors.of(std::nextafter(1.0f, 2.0f)));
            QCOMPARE(colors.of(1e-30f), colors.of(1e-4f));
            QCOMPARE(colors.of(1e30f), colors.of(1e5f));
        }
    }

    void models_behave() {
        CheckModel model;
        const QAbstractItemModelTester tester(&model);
        model.set_checks(evaluation(output_->tensor().comparison).verify->checks);
        QCOMPARE(model.rowCount(), 5);
        QVERIFY(!model.check(0).ok); // those that failed first
        model.set_checks({});
        QCOMPARE(model.rowCount(), 0);
    }

    void goes_through_its_states() {
        CorrectnessView view;
        view.resize(1000, 500);
        QVERIFY(all_text(view).contains(QStringLiteral("Nothing checked yet")));
        auto right = evaluation({});
        right.verify->checks.erase(right.verify->checks.begin() + 2);
        right.verify->ok = true;
        view.show_evaluation(right, true);
        QVERIFY2(all_text(view).contains(QStringLiteral("All 4 checks passed; largest error")),
                 qPrintable(all_text(view)));
        // Recorded only: no worker answers.
        QSignalSpy asked(&view, &CorrectnessView::rerun_requested);
        view.show();
        view.show_evaluation(evaluation(output_->tensor().comparison), false);
        QVERIFY(all_text(view).contains(QStringLiteral("1 of 5 checks are wrong")));
        QVERIFY2(all_text(view).contains(QStringLiteral("Recorded by tiles of 10 × 8 elements")),
                 qPrintable(all_text(view)));
        QCOMPARE(asked.count(), 0);
        auto* map = view.findChild<MapCanvas*>();
        QVERIFY(map->complete());
        QVERIFY2(map->text_at({1, 1}).contains(QStringLiteral("rows from 0")), qPrintable(map->text_at({1, 1})));
        view.show_evaluation(evaluation(output_->tensor().comparison), true);
        QCOMPARE(asked.count(), 1);
        QCOMPARE(asked.front().at(0).value<pipeline::OutputsQuery>().seed, std::optional<std::uint64_t>{3});
        view.show_rerun_problem(QStringLiteral("the worker is gone"));
        QVERIFY(all_text(view).contains(QStringLiteral("the worker is gone")));
        view.show_outputs(run(77)); // an answer to another question
        QVERIFY(all_text(view).contains(QStringLiteral("the worker is gone")));
        view.show_outputs(run());
        QTRY_VERIFY(map->complete());
        QVERIFY(!all_text(view).contains(QStringLiteral("the worker is gone")));
        view.forget_outputs();
        QVERIFY(all_text(view).contains(QStringLiteral("Recorded by tiles")));
        view.show_nothing();
        QVERIFY(all_text(view).contains(QStringLiteral("Nothing checked yet")));
    }

    void another_evaluation_ends_the_waiting() {
        CorrectnessView view;
        view.resize(1000, 500);
        view.show();
        auto* progress = view.findChild<QProgressBar*>();
        view.show_evaluation(evaluation(output_->tensor().comparison), true);
        QVERIFY(progress->isVisibleTo(&view));
        auto right = evaluation({});
        right.verify->checks.erase(right.verify->checks.begin() + 2);
        right.verify->ok = true;
        view.show_evaluation(right, true);
        QVERIFY(!progress->isVisibleTo(&view));
    }

    void a_fault_s_text_is_not_a_pattern() {
        CorrectnessView view;
        auto faulted = evaluation({});
        faulted.verify->fault.emplace();
        faulted.verify->fault->message = "%2 and %1";
        view.show_evaluation(faulted, false);
        QVERIFY2(all_text(view).contains(QStringLiteral("%2 and %1 after 5 checks")), qPrintable(all_text(view)));
    }

    void a_large_view_keeps_all_its_tiles() {
        constexpr std::int64_t kTileRows = 10, kTileColumns = 15, kCells = CellTiles::kCells;
        auto data = std::make_shared<Data>();
        data->expected.assign(static_cast<std::size_t>(kTileRows * kTileColumns * kCells * kCells), 1.0f);
        data->actual = data->expected;
        const auto output = std::make_shared<verify::Inspection>(
            data, std::as_bytes(std::span(data->expected)), std::as_bytes(std::span(data->actual)),
            verify::TensorOutput{.name = "y",
                                 .type = task::ScalarType::f32,
                                 .shape = {kTileRows * kCells, kTileColumns * kCells},
                                 .map = {},
                                 .tolerance = {},
                                 .comparison = {}});
        CellTiles tiles;
        tiles.set_colors(std::make_shared<ErrorColors>(widgets::Theme::instance().tokens()));
        tiles.set_source(std::make_shared<FakeSource>(output), 0, output->tensor());
        std::vector<TileKey> keys;
        for (std::uint64_t row = 0; row < kTileRows; ++row)
            for (std::uint64_t column = 0; column < kTileColumns; ++column) keys.push_back({1, 1, row, column});
        QVERIFY(keys.size() > CellTiles::kMostTiles);
        tiles.want(keys);
        QTRY_VERIFY(tiles.idle());
        for (const auto& key : keys) QVERIFY(tiles.picture(key));
    }

    void an_output_without_elements_asks_nothing() {
        const auto output =
            std::make_shared<verify::Inspection>(nullptr, std::span<const std::byte>{}, std::span<const std::byte>{},
                                                 verify::TensorOutput{.name = "y",
                                                                      .type = task::ScalarType::f32,
                                                                      .shape = {0, 5},
                                                                      .map = {},
                                                                      .tolerance = {},
                                                                      .comparison = {}});
        const auto source = std::make_shared<FakeSource>(output);
        MapCanvas map;
        map.resize(400, 300);
        map.show();
        QSignalSpy failed(&map, &MapCanvas::failed);
        map.show_outputs(source, 0, output->tensor());
        map.fit();
        QTest::qWait(20);
        QCOMPARE(source->asked, 0);
        QCOMPARE(failed.count(), 0);
    }

    void zooms_to_single_elements() {
        const auto view = shown();
        auto* map = view->findChild<MapCanvas*>();
        QTRY_VERIFY(map->complete());
        QTRY_COMPARE(map->selected(), std::optional<std::uint64_t>{40 * kColumns + 40}); // the first that is wrong
        // The block of wrong elements has the colour of failures, what surrounds it has not.
        const ErrorColors colors(widgets::Theme::instance().tokens());
        const auto picture = map->grab().toImage();
        const auto pixel = [&](int row, int column) {
            const auto at = map->transform().pixel_at(row + 0.5, column + 0.5);
            return picture.pixel(at.toPoint());
        };
        const QColor failing(pixel(330, 130));
        QVERIFY2(failing.red() > failing.blue() + 60, qPrintable(failing.name()));
        QVERIFY(pixel(500, 400) == colors.of(0.0f) || QColor(pixel(500, 400)).blue() > QColor(pixel(500, 400)).red());
        const auto place = map->transform().pixel_at(330.5, 130.5);
        const auto under = map->transform().element_at(place);
        for (int i = 0; i < 30; ++i) {
            QWheelEvent wheel(place, map->mapToGlobal(place), {}, {0, 120}, Qt::NoButton, Qt::NoModifier,
                              Qt::NoScrollPhase, false);
            QApplication::sendEvent(map, &wheel);
        }
        QVERIFY(std::abs(map->transform().element_at(place).x() - under.x()) < 1e-6);
        QVERIFY(map->transform().shows_numbers());
        QTRY_VERIFY(map->complete());
        const auto text = map->text_at(place);
        QVERIFY2(text.startsWith(QStringLiteral("y[330, 130]: expected ")), qPrintable(text));
        QTest::mouseClick(map, Qt::LeftButton, {}, place.toPoint());
        QCOMPARE(map->selected(), std::optional<std::uint64_t>{330 * kColumns + 130});
        auto* element = view->findChild<ElementPanel*>();
        QTRY_VERIFY(all_text(*element).contains(QStringLiteral("y[330, 130]")));
        QTRY_VERIFY(all_text(*element).contains(QStringLiteral("✗")));
        map->setFocus();
        QTest::keyClick(map, Qt::Key_C, Qt::ControlModifier);
        const auto copied = QApplication::clipboard()->text();
        QVERIFY2(copied.startsWith(QStringLiteral("element\texpected\tactual")), qPrintable(copied.left(100)));
        QVERIFY(copied.contains(QStringLiteral("y[330, 130]\t")));
        QTest::mouseDClick(map, Qt::LeftButton, {}, place.toPoint());
        QVERIFY(map->transform().fits_whole());
    }

    void keys_suffice() {
        const auto view = shown();
        auto* map = view->findChild<MapCanvas*>();
        QTRY_VERIFY(map->complete() && map->selected());
        map->setFocus();
        QTest::keyClick(map, Qt::Key_N);
        QTRY_COMPARE(map->selected(), std::optional<std::uint64_t>{300 * kColumns + 100});
        QTRY_VERIFY(map->transform().shows_numbers());
        QTest::keyClick(map, Qt::Key_N, Qt::ShiftModifier);
        QTRY_COMPARE(map->selected(), std::optional<std::uint64_t>{40 * kColumns + 40});
        QTest::keyClick(map, Qt::Key_Right);
        QTest::keyClick(map, Qt::Key_Down);
        QCOMPARE(map->selected(), std::optional<std::uint64_t>{41 * kColumns + 41});
        QTest::keyClick(map, Qt::Key_F);
        QVERIFY(map->transform().fits_whole());
        QTest::keyClick(map, Qt::Key_Plus);
        QVERIFY(!map->transform().fits_whole());
        const double column = map->transform().column;
        QTest::keyClick(map, Qt::Key_Right, Qt::ControlModifier);
        QVERIFY(map->transform().column > column);
        for (int i = 0; i < 4; ++i) QTest::keyClick(map, Qt::Key_Minus);
        QVERIFY(map->transform().fits_whole());
    }

    void dragging_pans_and_selects_nothing() {
        const auto view = shown();
        auto* map = view->findChild<MapCanvas*>();
        QTRY_VERIFY(map->complete() && map->selected());
        map->setFocus();
        for (int i = 0; i < 3; ++i) QTest::keyClick(map, Qt::Key_Plus);
        const auto selected = map->selected();
        const auto before = map->transform().element_at({200, 150});
        QTest::mousePress(map, Qt::LeftButton, {}, {200, 150});
        QTest::mouseMove(map, {170, 140});
        QMouseEvent move(QEvent::MouseMove, QPointF(160, 130), map->mapToGlobal(QPointF(160, 130)), Qt::NoButton,
                         Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(map, &move);
        QTest::mouseRelease(map, Qt::LeftButton, {}, {160, 130});
        QCOMPARE(map->selected(), selected);
        const auto after = map->transform().element_at({160, 130});
        QVERIFY(std::abs(after.x() - before.x()) < 1 && std::abs(after.y() - before.y()) < 1);
    }

    void a_tolerance_recolours_and_counts() {
        const auto view = shown();
        auto* map = view->findChild<MapCanvas*>();
        auto* panel = view->findChild<TolerancePanel*>();
        auto* passing = panel->findChild<QLabel*>(QStringLiteral("passing"));
        QTRY_VERIFY(map->complete());
        const auto total = QLocale().toString(qulonglong{kRows * kColumns});
        const auto wrong = std::uint64_t{64} * 64 + 1;
        QTRY_VERIFY(passing->text().startsWith(QLocale().toString(qulonglong{kRows * kColumns - wrong})));
        const auto block = map->transform().pixel_at(330.5, 130.5).toPoint();
        const auto before = map->grab().toImage().pixel(block);
        auto* rtol = panel->findChildren<QSlider*>().at(1);
        rtol->setFocus();
        QSignalSpy changed(panel, &TolerancePanel::changed);
        rtol->setValue(rtol->maximum() - 20 * 3); // 0.1: above the 1 % that the block is off
        QCOMPARE(changed.count(), 1);
        QVERIFY(!changed.front().at(1).toBool());
        // At once, without an answer.
        QVERIFY2(passing->text().contains(total), qPrintable(passing->text()));
        QVERIFY(map->grab().toImage().pixel(block) != before);
        // NaN passes never.
        QTRY_COMPARE(
            passing->text(),
            QStringLiteral("%1 of %2 would pass").arg(QLocale().toString(qulonglong{kRows * kColumns - 1}), total));
        QTRY_VERIFY(map->complete());
        QTest::keyClick(rtol, Qt::Key_Home);
        QCOMPARE(panel->tolerance().rtol, 0.0);
        panel->findChild<QPushButton*>()->click();
        QCOMPARE(panel->tolerance().rtol, task::Tolerance{}.rtol);
        QTRY_COMPARE(map->grab().toImage().pixel(block), before);
    }

    void says_who_wrote_it_and_goes_there() {
        const auto view = shown();
        auto* map = view->findChild<MapCanvas*>();
        auto* element = view->findChild<ElementPanel*>();
        QTRY_VERIFY(all_text(*element).contains(QStringLiteral("y[40, 40]")));
        QSignalSpy wanted(view.get(), &CorrectnessView::go_to_requested);
        map->setFocus();
        QTest::keyClick(map, Qt::Key_W);
        QTRY_VERIFY2(
            all_text(*element).contains(QStringLiteral("written by softmax<128>, block (3, 0, 0), thread (17, 0, 0)")),
            qPrintable(all_text(*element)));
        QVERIFY(all_text(*element).contains(QStringLiteral("a division gave NaN")));
        QList<QPushButton*> buttons;
        for (auto* button : element->findChildren<QPushButton*>())
            if (button->text().startsWith(QStringLiteral("Go to"))) buttons << button;
        QCOMPARE(buttons.size(), 2);
        QTest::mouseClick(buttons.front(), Qt::LeftButton);
        QCOMPARE(wanted.count(), 1);
        QCOMPARE(wanted.front().at(0).toString(), QStringLiteral("softmax.cu"));
        QCOMPARE(wanted.front().at(1).toInt(), 42);
    }

    void histograms_read_out() {
        const auto view = shown();
        const auto bars = view->findChildren<ErrorBars*>();
        QTRY_VERIFY(!bars.at(0)->bars().empty());
        std::uint64_t total = 0;
        for (const auto& bar : bars.at(0)->bars()) total += bar.count;
        QCOMPARE(total, std::uint64_t{kRows * kColumns});
        bars.at(0)->setFocus();
        QTest::keyClick(bars.at(0), Qt::Key_Right);
        QVERIFY2(bars.at(0)->readout().startsWith(QStringLiteral("exact: ")), qPrintable(bars.at(0)->readout()));
    }

    void a_lost_source_is_told_in_place() {
        const auto view = shown();
        auto* map = view->findChild<MapCanvas*>();
        QTRY_VERIFY(map->complete());
        source_->broken = true;
        map->setFocus();
        for (int i = 0; i < 4; ++i) QTest::keyClick(map, Qt::Key_Plus);
        QTRY_VERIFY2(all_text(*view).contains(QStringLiteral("no longer kept")), qPrintable(all_text(*view)));
    }

    void answers_after_the_end_are_dropped() {
        auto view = shown();
        view->findChild<MapCanvas*>()->grab();
        view.reset();
        QTest::qWait(20);
        source_.reset();
    }

    void a_fault_leads_to_its_line_and_its_check() {
        CorrectnessView view;
        view.resize(1000, 500);
        auto faulting = evaluation({});
        faulting.verify->checks.resize(2);
        faulting.verify->checks[1].ok = true;
        faulting.verify->seed = 99;
        faulting.verify->fault = device::Fault{.kind = device::FaultKind::out_of_bounds,
                                               .message = "4-byte write past the end of y.",
                                               .kernel = "k",
                                               .where = {"k.cu", 12, 3},
                                               .space = {},
                                               .allocation = {}};
        QSignalSpy asked(&view, &CorrectnessView::rerun_requested), wanted(&view, &CorrectnessView::go_to_requested);
        view.show();
        view.show_evaluation(faulting, true);
        QVERIFY(all_text(view).contains(QStringLiteral("past the end of y")));
        QCOMPARE(asked.count(), 1);
        QCOMPARE(asked.front().at(0).value<pipeline::OutputsQuery>().seed,
                 std::optional<std::uint64_t>{pipeline::check_seed(99, 2)});
        for (auto* button : view.findChildren<QPushButton*>())
            if (button->text() == QStringLiteral("Go to k.cu:12")) button->click();
        QCOMPARE(wanted.count(), 1);
    }

    void pictures() {
        const auto folder = qEnvironmentVariable("KW_PICTURES");
        const QTemporaryDir temporary;
        for (const auto scheme : {widgets::Scheme::dark, widgets::Scheme::light}) {
            widgets::Theme::instance().apply(*qApp, scheme);
            const auto name = scheme == widgets::Scheme::dark ? QStringLiteral("dark") : QStringLiteral("light");
            const auto view = shown();
            auto* map = view->findChild<MapCanvas*>();
            QTRY_VERIFY(map->complete());
            QTRY_VERIFY(!view->findChildren<ErrorBars*>().at(0)->bars().empty());
            const auto path = temporary.filePath(name + QStringLiteral(".png"));
            QVERIFY(view->export_picture(path).isEmpty());
            QCOMPARE(QImage(path).size(), map->size() * map->devicePixelRatio());
            QVERIFY(view->export_picture(QStringLiteral("/nowhere/a.png")).contains(QStringLiteral("/nowhere/a.png")));
            if (folder.isEmpty()) continue;
            view->grab().save(folder + QStringLiteral("/correctness-") + name + QStringLiteral(".png"));
            map->setFocus();
            QTest::keyClick(map, Qt::Key_N);
            QTRY_VERIFY(map->transform().shows_numbers());
            QTest::keyClick(map, Qt::Key_W);
            QTRY_VERIFY(map->complete());
            QTest::qWait(50);
            view->grab().save(folder + QStringLiteral("/correctness-close-") + name + QStringLiteral(".png"));
        }
    }
};

QTEST_MAIN(TestCorrectness)
#include "test_correctness.moc"
