#include "agent/review/steps_model.h"

#include "widgets/numbers.h"
#include "widgets/theme.h"

#include <algorithm>

namespace kw::review {
namespace {

using trajectory::StepSummary;

/// Shape and colour say the same, so that either is enough.
QString mark(const StepSummary& step, bool best) {
    if (best) return QStringLiteral("★");
    if (!step.correct) return QStringLiteral("·");
    return *step.correct ? QStringLiteral("●") : QStringLiteral("✗");
}

QString spoken(const StepSummary& step, bool best) {
    if (best) return StepsModel::tr("best");
    if (!step.correct) return StepsModel::tr("not evaluated");
    return *step.correct ? StepsModel::tr("correct") : StepsModel::tr("wrong");
}

bool same(const StepSummary& a, const StepSummary& b) {
    return a.id == b.id && a.title == b.title && a.correct == b.correct && a.reward == b.reward
           && a.speedup == b.speedup && a.source_sha256 == b.source_sha256;
}

} // namespace

void StepsModel::set(const std::vector<StepSummary>& steps, std::optional<trajectory::StepId> best) {
    const bool grown = steps.size() >= steps_.size() && std::equal(steps_.begin(), steps_.end(), steps.begin(), same);
    if (!grown) {
        beginResetModel();
        steps_ = steps;
        best_ = best;
        endResetModel();
        return;
    }
    if (steps.size() > steps_.size()) {
        beginInsertRows({}, rowCount(), static_cast<int>(steps.size()) - 1);
        steps_ = steps;
        endInsertRows();
    }
    if (best == best_) return;
    best_ = best;
    if (!steps_.empty()) Q_EMIT dataChanged(index(0, kVerdict), index(rowCount() - 1, kVerdict));
}

int StepsModel::row_of(trajectory::StepId id) const {
    const auto found = std::ranges::lower_bound(steps_, id, {}, &StepSummary::id);
    return found != steps_.end() && found->id == id ? static_cast<int>(found - steps_.begin()) : -1;
}

int StepsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(steps_.size());
}
int StepsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : kColumns; }

QString StepsModel::text(const StepSummary& step, int column) const {
    switch (column) {
    case kVerdict: return mark(step, best_ == step.id);
    case kNumber: return QString::number(step.id);
    case kReward: return step.reward ? QString::number(*step.reward) : QStringLiteral("–");
    case kSpeedup: return step.speedup ? widgets::format_ratio(*step.speedup) : QStringLiteral("–");
    case kChange: return QString::fromStdString(step.title);
    default: return {};
    }
}

QVariant StepsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const auto& step = steps_[static_cast<std::size_t>(index.row())];
    const auto& tokens = widgets::Theme::instance().tokens();
    switch (role) {
    case Qt::DisplayRole: return text(step, index.column());
    case kIdRole: return static_cast<qlonglong>(step.id);
    case Qt::TextAlignmentRole:
        if (index.column() == kChange) return static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter);
        return static_cast<int>((index.column() == kVerdict ? Qt::AlignHCenter : Qt::AlignRight) | Qt::AlignVCenter);
    case Qt::ForegroundRole:
        if (index.column() == kVerdict) {
            if (best_ == step.id) return tokens.warn;
            return step.correct ? *step.correct ? tokens.good : tokens.bad : tokens.text3;
        }
        return index.column() == kNumber ? tokens.text2 : tokens.text1;
    case Qt::AccessibleTextRole:
        if (index.column() == kVerdict) return spoken(step, best_ == step.id);
        return text(step, index.column());
    case Qt::ToolTipRole: {
        QStringList lines{QString::fromStdString(step.title)};
        if (step.median_us)
            lines << (step.estimated ? tr("%1 estimated") : tr("%1 measured"))
                         .arg(widgets::format_time_us(*step.median_us));
        if (!step.because.empty()) lines << QString::fromStdString(step.because);
        lines << tr("%1 · +%2 −%3 lines")
                     .arg(QString::fromStdString(step.driver), QString::number(step.lines_added),
                          QString::number(step.lines_removed));
        return lines.join(QLatin1Char('\n'));
    }
    default: return {};
    }
}

QVariant StepsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((section == kChange ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    switch (section) {
    case kNumber: return tr("#");
    case kReward: return tr("Reward");
    case kSpeedup: return tr("Speed-up");
    case kChange: return tr("Change");
    default: return QString();
    }
}

} // namespace kw::review
