#include "agent/review/agent_branches.h"

#include "widgets/numbers.h"
#include "widgets/theme.h"

#include <QHeaderView>
#include <QLocale>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace kw::review {
namespace {

using trajectory::StepId;
using trajectory::StepSummary;

const StepSummary* find(const std::vector<StepSummary>& steps, StepId id) {
    const auto found = std::ranges::lower_bound(steps, id, {}, &StepSummary::id);
    return found != steps.end() && found->id == id ? &*found : nullptr;
}

/// What the steps behind `from` up to `to` have taken.
struct Way {
    int steps = 0;
    trajectory::Usage usage;
};

Way way_to(const std::vector<StepSummary>& steps, const StepSummary& to, std::optional<StepId> from) {
    Way way;
    for (const auto* step = &to; step && step->id != from; step = step->parent ? find(steps, *step->parent) : nullptr) {
        ++way.steps;
        way.usage += step->usage;
    }
    return way;
}

QString text(const char* source) { return BranchTable::tr(source); }

const QString& none() {
    static const QString dash = QStringLiteral("–");
    return dash;
}

int sign(double left, double right) { return left > right ? -1 : left < right ? 1 : 0; }

int more_is_better(const std::optional<double>& left, const std::optional<double>& right) {
    return left && right ? sign(*left, *right) : 0;
}

QString cost(const trajectory::Usage& usage) {
    if (!usage.cost_usd) return text("not known");
    return *usage.cost_usd > 0 ? QStringLiteral("$%1").arg(*usage.cost_usd, 0, 'f', 4) : none();
}

} // namespace

std::optional<StepId> common_step(const std::vector<StepSummary>& steps, StepId a, StepId b) {
    // A parent is always written before its step, so the later of the two is the one to go back from.
    while (a != b) {
        auto& later = a > b ? a : b;
        const auto* step = find(steps, later);
        if (!step || !step->parent) return std::nullopt;
        later = *step->parent;
    }
    return find(steps, a) ? std::optional{a} : std::nullopt;
}

std::vector<BranchRow> compare_branches(const std::vector<StepSummary>& steps, StepId a, StepId b) {
    const auto* left = find(steps, a);
    const auto* right = find(steps, b);
    if (!left || !right) return {};
    const auto common = common_step(steps, a, b);
    const auto to_left = way_to(steps, *left, common), to_right = way_to(steps, *right, common);
    const auto row = [](const QString& what, auto&& write, const auto& l, const auto& r, int better = 0) {
        return BranchRow{what, write(l), write(r), better};
    };
    const auto number = [](const std::optional<double>& value) { return value ? QString::number(*value) : none(); };
    const auto ratio = [](const std::optional<double>& value) {
        return value ? widgets::format_ratio(*value) : none();
    };
    // An estimate and a measurement are no comparison.
    const bool alike = left->estimated == right->estimated;
    const auto time = [alike](const StepSummary* step) {
        if (!step->median_us) return none();
        const auto value = widgets::format_time_us(*step->median_us);
        if (alike) return value;
        return step->estimated ? BranchTable::tr("%1 estimated").arg(value) : BranchTable::tr("%1 measured").arg(value);
    };
    const auto change = [](const StepSummary* step) {
        return QStringLiteral("+%1\u00a0−%2").arg(step->lines_added).arg(step->lines_removed);
    };
    const auto tokens = [](const Way& way) {
        const auto all = way.usage.prompt_tokens + way.usage.completion_tokens;
        return all > 0 ? QLocale().toString(static_cast<qlonglong>(all)) : none();
    };
    return {row(
                text("Driver"), [](const StepSummary* s) { return QString::fromStdString(s->driver); }, left, right),
            row(text("Change"), change, left, right),
            row(text("Reward"), number, left->reward, right->reward, more_is_better(left->reward, right->reward)),
            row(text("Speed-up"), ratio, left->speedup, right->speedup,
                alike ? more_is_better(left->speedup, right->speedup) : 0),
            row(alike && left->estimated ? text("Time, estimated") : text("Time"), time, left, right,
                alike ? -more_is_better(left->median_us, right->median_us) : 0),
            row(
                common ? BranchTable::tr("Steps since step %1").arg(*common) : text("Steps"),
                [](const Way& way) { return QString::number(way.steps); }, to_left, to_right),
            row(text("Tokens on the way"), tokens, to_left, to_right),
            row(text("Cost on the way"), [](const Way& way) { return cost(way.usage); }, to_left, to_right)};
}

BranchTable::BranchTable(QWidget* parent) : QWidget(parent), table_(new QTableWidget(0, 3)) {
    table_->setAccessibleName(tr("Two steps beside each other"));
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setSelectionMode(QAbstractItemView::NoSelection);
    table_->setFocusPolicy(Qt::NoFocus);
    table_->setShowGrid(false);
    table_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setDefaultSectionSize(22);
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    table_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(table_);
}

void BranchTable::show_branches(const std::vector<StepSummary>& steps, StepId a, StepId b) {
    const auto rows = compare_branches(steps, a, b);
    table_->setHorizontalHeaderLabels({QString(), tr("Step %1").arg(a), tr("Step %1").arg(b)});
    table_->setRowCount(static_cast<int>(rows.size()));
    for (int i = 0; i < static_cast<int>(rows.size()); ++i) {
        const auto& row = rows[static_cast<std::size_t>(i)];
        const auto put = [&](int column, const QString& value, bool better) {
            auto* item = new QTableWidgetItem(better ? tr("%1 ✓").arg(value) : value);
            if (column > 0) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            table_->setItem(i, column, item);
        };
        put(0, row.what, false);
        put(1, row.left, row.better < 0);
        put(2, row.right, row.better > 0);
    }
    int height = table_->horizontalHeader()->sizeHint().height() + 2;
    for (int i = 0; i < table_->rowCount(); ++i) height += table_->rowHeight(i);
    setFixedHeight(height);
}

} // namespace kw::review
