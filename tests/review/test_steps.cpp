#include "agent/review/steps_model.h"
#include "agent/review/steps_view.h"
#include "widgets/theme.h"

#include <QAbstractItemModelTester>
#include <QAbstractProxyModel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

using namespace kw;
using namespace kw::review;
using trajectory::StepId;
using trajectory::StepSummary;

namespace {

StepSummary step(StepId id, std::optional<StepId> parent = {}, std::optional<double> reward = 1,
                 std::optional<double> speedup = {}) {
    StepSummary summary;
    summary.id = id;
    summary.parent = parent;
    summary.driver = "human";
    summary.title = "change " + std::to_string(id);
    summary.reward = reward;
    if (reward) summary.correct = *reward > 0;
    summary.speedup = speedup;
    return summary;
}

/// 1 → 2 → 3 → 7, with 4 → 5 from 2 and 6 from 4.
std::vector<StepSummary> branched() {
    return {step(1), step(2, 1), step(3, 2), step(4, 2), step(5, 4), step(6, 4), step(7, 3)};
}

/// Ids in the order of rows, those below a row in parentheses.
QString shape(const QAbstractItemModel& model, const QModelIndex& parent = {}) {
    QStringList rows;
    for (int row = 0; row < model.rowCount(parent); ++row) {
        const auto index = model.index(row, 0, parent);
        QString text = QString::number(index.data(StepsModel::kIdRole).toLongLong());
        if (model.rowCount(index) > 0) text += QStringLiteral(" (") + shape(model, index) + QLatin1Char(')');
        rows << text;
    }
    return rows.join(QLatin1Char(' '));
}

} // namespace

class TestSteps : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { widgets::Theme::instance().apply(*qApp, widgets::Scheme::dark); }

    void branches_stand_below_what_they_were_made_from() {
        StepsModel model;
        const QAbstractItemModelTester tester(&model);
        model.set(branched(), 3);
        QCOMPARE(shape(model), QStringLiteral("1 2 3 4 5 6 7"));
        QVERIFY(model.branched());
        model.set_by_branch(true);
        QCOMPARE(shape(model), QStringLiteral("1 2 (4 (6) 5) 3 7"));
        QCOMPARE(model.index_of(5).parent(), model.index_of(2));
        model.set({step(1), step(2, 1)}, {});
        QVERIFY(!model.branched());
    }

    void a_growing_session_takes_the_same_shape_as_a_whole_one() {
        for (const bool by_branch : {false, true}) {
            StepsModel grown, whole;
            const QAbstractItemModelTester tester(&grown);
            grown.set_by_branch(by_branch);
            whole.set_by_branch(by_branch);
            const auto all = branched();
            QSignalSpy resets(&grown, &QAbstractItemModel::modelReset);
            for (std::size_t count = 1; count <= all.size(); ++count)
                grown.set({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)}, {});
            whole.set(all, {});
            QCOMPARE(shape(grown), shape(whole));
            QCOMPARE(resets.count(), 0);
        }
    }

    void what_becomes_known_of_a_step_changes_its_row_alone() {
        StepsModel model;
        auto steps = branched();
        model.set(steps, {});
        QSignalSpy changed(&model, &QAbstractItemModel::dataChanged), resets(&model, &QAbstractItemModel::modelReset);
        steps[2].reward = 3;
        steps[2].speedup = 2.5;
        steps[3].findings = 1;
        model.set(steps, 3);
        QCOMPARE(resets.count(), 0);
        QCOMPARE(changed.count(), 2); // 3, also the best now, and 4
        QCOMPARE(model.index_of(3, StepsModel::kSpeedup).data().toString(), QStringLiteral("2.50×"));
    }

    void marks_tell_by_shape_and_by_word() {
        StepsModel model;
        auto suspicious = step(3, 2, 1);
        suspicious.findings = 2;
        suspicious.finding_severity = "suspicious";
        model.set({step(1, {}, -1), step(2, 1, 2), suspicious, step(4, 3, std::nullopt)}, 2);
        const auto mark = [&](StepId id) { return model.index_of(id).data().toString(); };
        const auto word = [&](StepId id) { return model.index_of(id).data(Qt::AccessibleTextRole).toString(); };
        QCOMPARE(mark(1), QStringLiteral("✗"));
        QCOMPARE(mark(2), QStringLiteral("★"));
        QCOMPARE(mark(3), QStringLiteral("●⚠2"));
        QCOMPARE(mark(4), QStringLiteral("·"));
        QCOMPARE(word(1), QStringLiteral("wrong"));
        QCOMPARE(word(3), QStringLiteral("correct, 2 finding(s), suspicious"));
    }

    void columns_sort_with_the_unknown_last() {
        StepsModel model;
        StepsFilter filter;
        const QAbstractItemModelTester tester(&filter);
        filter.setSourceModel(&model);
        model.set({step(1, {}, 1, 1.5), step(2, 1, 1), step(3, 2, 1, 0.5), step(4, 3, 1, 11.0)}, {});
        filter.sort(StepsModel::kSpeedup, Qt::AscendingOrder);
        QCOMPARE(shape(filter), QStringLiteral("3 1 4 2"));
        filter.sort(StepsModel::kSpeedup, Qt::DescendingOrder);
        QCOMPARE(shape(filter), QStringLiteral("4 1 3 2"));
        filter.sort(-1);
        QCOMPARE(shape(filter), QStringLiteral("1 2 3 4"));
    }

    void words_filter_and_keep_what_leads_to_a_match() {
        StepsView view;
        view.resize(420, 400);
        view.show();
        QVERIFY(QTest::qWaitForWindowActive(&view));
        auto steps = branched();
        steps[5].reward = -1;
        steps[5].correct = false;
        view.show_steps(steps, {});
        auto* words = view.findChild<QLineEdit*>();
        words->setFocus();
        words->setText(QStringLiteral("wrong change"));
        QCOMPARE(shape(*view.tree().model()), QStringLiteral("2 (4 (6))"));
        QTest::keyClick(words, Qt::Key_Escape);
        QVERIFY(words->text().isEmpty());
        QCOMPARE(shape(*view.tree().model()), QStringLiteral("1 2 (4 (6) 5) 3 7"));
    }

    void what_was_collapsed_stays_so_when_steps_come() {
        StepsView view;
        view.resize(420, 400);
        view.show();
        auto steps = branched();
        view.show_steps(steps, {});
        const auto row = [&](StepId id) {
            const auto at = view.model().index_of(id);
            return static_cast<QAbstractProxyModel*>(view.tree().model())->mapFromSource(at);
        };
        QVERIFY(view.tree().isExpanded(row(2)) && view.tree().isExpanded(row(4)));
        view.tree().collapse(row(4));
        steps.push_back(step(8, 2));
        view.show_steps(steps, {});
        QVERIFY(view.tree().isExpanded(row(2)) && !view.tree().isExpanded(row(4)));
        // Also through another form, and back.
        auto* branches = view.findChild<QToolButton*>();
        branches->click();
        QCOMPARE(shape(*view.tree().model()), QStringLiteral("1 2 3 4 5 6 7 8"));
        branches->click();
        QVERIFY(view.tree().isExpanded(row(2)) && !view.tree().isExpanded(row(4)));
    }

    void choosing_asks_and_marking_does_not() {
        StepsView view;
        view.resize(420, 400);
        view.show();
        QVERIFY(QTest::qWaitForWindowActive(&view));
        view.show_steps(branched(), {});
        view.tree().setFocus();
        QSignalSpy chosen(&view, &StepsView::step_chosen), restored(&view, &StepsView::restore_requested);
        view.mark_selected(3);
        QCOMPARE(chosen.count(), 0);
        QTest::keyClick(&view.tree(), Qt::Key_Down);
        QCOMPARE(chosen.count(), 1);
        QCOMPARE(chosen[0][0].toLongLong(), 7);
        QTest::keyClick(&view.tree(), Qt::Key_Return);
        QCOMPARE(restored.count(), 1);
        view.mark_selected({});
        QVERIFY(!view.tree().selectionModel()->hasSelection());
        QCOMPARE(chosen.count(), 1);
    }

    void the_change_has_room_in_a_narrow_pane() {
        StepsView view;
        auto steps = branched();
        for (auto& each : steps) each.usage.prompt_tokens = 12'345;
        view.show();
        for (const int width : {220, 281, 700}) {
            view.resize(width, 400);
            view.show_steps(steps, 3);
            QCoreApplication::processEvents();
            const int letters = view.tree().fontMetrics().horizontalAdvance(QStringLiteral("change 1"));
            QVERIFY2(view.tree().columnWidth(StepsModel::kChange) >= letters, qPrintable(QString::number(width)));
            QVERIFY(!view.tree().isColumnHidden(StepsModel::kVerdict));
            QCOMPARE(!view.tree().isColumnHidden(StepsModel::kTook), width == 700);
        }
    }

    void the_mark_of_a_deep_branch_is_whole() {
        StepsView view;
        auto steps = branched();
        steps.push_back(step(8, 6, -1)); // goes on
        steps.push_back(step(9, 6, -1)); // a branch of a branch of a branch
        for (auto& each : steps) each.findings = 12;
        view.resize(300, 400);
        view.show();
        view.show_steps(steps, 9);
        QCoreApplication::processEvents();
        const auto& model = *view.tree().model();
        int deepest = 0;
        for (const auto& each : steps) {
            const auto found = model.match(model.index(0, 0), StepsModel::kIdRole, qlonglong{each.id}, 1,
                                           Qt::MatchExactly | Qt::MatchRecursive);
            QCOMPARE(found.size(), 1);
            int depth = 0;
            for (auto above = found[0].parent(); above.isValid(); above = above.parent()) ++depth;
            deepest = std::max(deepest, depth);
            const auto room = view.tree().visualRect(found[0]).width();
            const auto needed = view.tree().sizeHintForIndex(found[0]).width();
            QVERIFY2(room >= needed,
                     qPrintable(QStringLiteral("step %1: %2 of %3").arg(each.id).arg(room).arg(needed)));
        }
        QCOMPARE(deepest, 3);
    }
};

QTEST_MAIN(TestSteps)
#include "test_steps.moc"
