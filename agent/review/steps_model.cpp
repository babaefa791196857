#include "agent/review/steps_model.h"

#include "widgets/numbers.h"
#include "widgets/theme.h"

#include <algorithm>
#include <utility>

namespace kw::review {
namespace {

using trajectory::StepId;
using trajectory::StepSummary;

const QString kNothing = QStringLiteral("–");

bool same(const StepSummary& a, const StepSummary& b) {
    return a.title == b.title && a.correct == b.correct && a.reward == b.reward && a.speedup == b.speedup
           && a.median_us == b.median_us && a.source_sha256 == b.source_sha256 && a.because == b.because
           && a.usage == b.usage && a.findings == b.findings && a.finding_severity == b.finding_severity;
}

bool same_place(const StepSummary& a, const StepSummary& b) { return a.id == b.id && a.parent == b.parent; }

std::int64_t tokens_of(const StepSummary& step) { return step.usage.prompt_tokens + step.usage.completion_tokens; }

double took_us(const StepSummary& step) {
    return step.ended_ms > step.started_ms && step.started_ms > 0
               ? static_cast<double>(step.ended_ms - step.started_ms) * 1000
               : 0;
}

} // namespace

int StepsModel::find(StepId id) const {
    const auto found = std::ranges::lower_bound(steps_, id, {}, &StepSummary::id);
    return found != steps_.end() && found->id == id ? static_cast<int>(found - steps_.begin()) : kRoot;
}

StepsModel::Place StepsModel::next_place() const {
    const auto& step = steps_[nodes_.size()];
    const int from = step.parent ? find(*step.parent) : kRoot;
    const bool known = from != kRoot && from < static_cast<int>(nodes_.size());
    const bool branches = known ? nodes_[static_cast<std::size_t>(from)].goes_on : !nodes_.empty();
    if (!by_branch_ || !known) return {kRoot, static_cast<int>(top_.size()), branches};
    const auto& origin = nodes_[static_cast<std::size_t>(from)];
    if (origin.goes_on) return {from, static_cast<int>(origin.children.size()), true};
    // Right below the one that it goes on from, so that each line stays together.
    return {origin.parent, origin.row + 1, false};
}

void StepsModel::put(const Place& place) {
    const int node = static_cast<int>(nodes_.size());
    const auto& step = steps_[nodes_.size()];
    nodes_.push_back({.parent = place.parent, .row = place.row, .branches = place.branches});
    auto& siblings = children_of(place.parent);
    siblings.insert(siblings.begin() + place.row, node);
    for (std::size_t row = static_cast<std::size_t>(place.row) + 1; row < siblings.size(); ++row)
        ++nodes_[static_cast<std::size_t>(siblings[row])].row;
    if (const int from = step.parent ? find(*step.parent) : kRoot; from != kRoot && from < node)
        nodes_[static_cast<std::size_t>(from)].goes_on = true;
    branched_ = branched_ || place.branches;
    has_tokens_ = has_tokens_ || tokens_of(step) > 0;
}

void StepsModel::place_all() {
    nodes_.clear();
    nodes_.reserve(steps_.size());
    top_.clear();
    branched_ = has_tokens_ = false;
    while (nodes_.size() < steps_.size()) put(next_place());
}

void StepsModel::set(const std::vector<StepSummary>& steps, std::optional<StepId> best) {
    most_findings_ = 0;
    for (const auto& each : steps) most_findings_ = std::max(most_findings_, each.findings);
    const bool grown =
        steps.size() >= steps_.size() && std::equal(steps_.begin(), steps_.end(), steps.begin(), same_place);
    if (!grown) {
        beginResetModel();
        steps_ = steps;
        best_ = best;
        place_all();
        endResetModel();
        return;
    }
    const auto before = steps_.size();
    const auto changed = [&](std::size_t i) {
        const StepId id = steps[i].id;
        return !same(steps_[i], steps[i]) || ((best_ == id) != (best == id));
    };
    std::vector<int> changes;
    for (std::size_t i = 0; i < before; ++i)
        if (changed(i)) changes.push_back(static_cast<int>(i));
    steps_ = steps;
    best_ = best;
    for (const int node : changes) Q_EMIT dataChanged(index_at(node, kVerdict), index_at(node, kColumns - 1));
    while (nodes_.size() < steps_.size()) {
        const Place place = next_place();
        beginInsertRows(index_at(place.parent, 0), place.row, place.row);
        put(place);
        endInsertRows();
    }
}

void StepsModel::set_by_branch(bool by_branch) {
    if (by_branch == by_branch_) return;
    beginResetModel();
    by_branch_ = by_branch;
    place_all();
    endResetModel();
}

QModelIndex StepsModel::index_at(int node, int column) const {
    if (node == kRoot) return {};
    return createIndex(nodes_[static_cast<std::size_t>(node)].row, column, static_cast<quintptr>(node));
}

QModelIndex StepsModel::index_of(StepId id, int column) const { return index_at(find(id), column); }

int StepsModel::depth() const {
    std::vector<int> depths(nodes_.size());
    // A step is written after the one that it was made from.
    for (std::size_t i = 0; i < nodes_.size(); ++i)
        if (nodes_[i].parent != kRoot) depths[i] = depths[static_cast<std::size_t>(nodes_[i].parent)] + 1;
    return depths.empty() ? 0 : *std::ranges::max_element(depths);
}

std::vector<QModelIndex> StepsModel::parents() const {
    std::vector<QModelIndex> found;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
        if (!nodes_[i].children.empty()) found.push_back(index_at(static_cast<int>(i), 0));
    return found;
}

QModelIndex StepsModel::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent)) return {};
    const auto& siblings = parent.isValid() ? nodes_[parent.internalId()].children : top_;
    return createIndex(row, column, static_cast<quintptr>(siblings[static_cast<std::size_t>(row)]));
}

QModelIndex StepsModel::parent(const QModelIndex& index) const {
    return index.isValid() ? index_at(nodes_[index.internalId()].parent, 0) : QModelIndex();
}

int StepsModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid()) return static_cast<int>(top_.size());
    return parent.column() == 0 ? static_cast<int>(nodes_[parent.internalId()].children.size()) : 0;
}
int StepsModel::columnCount(const QModelIndex&) const { return kColumns; }

/// Shape and colour say the same, so that either is enough.
QString StepsModel::mark(const StepSummary& step) const {
    QString text = best_ == step.id ? QStringLiteral("★")
                   : !step.correct  ? QStringLiteral("·")
                   : *step.correct  ? QStringLiteral("●")
                                    : QStringLiteral("✗");
    if (step.findings > 0) text += QStringLiteral("⚠") % QString::number(step.findings);
    return text;
}

QString StepsModel::findings_of(const StepSummary& step) const {
    QString count = tr("%n finding(s)", nullptr, step.findings);
    if (step.finding_severity.empty()) return count;
    if (step.finding_severity == "refuse") return tr("%1, refused").arg(count);
    if (step.finding_severity == "suspicious") return tr("%1, suspicious").arg(count);
    return count;
}

QString StepsModel::spoken(const StepSummary& step) const {
    QStringList words;
    if (best_ == step.id) words << tr("best");
    words << (!step.correct ? tr("not evaluated") : *step.correct ? tr("correct") : tr("wrong"));
    if (step.findings > 0) words << findings_of(step);
    return words.join(QStringLiteral(", "));
}

QString StepsModel::text(int node, int column) const {
    const auto& step = steps_[static_cast<std::size_t>(node)];
    switch (column) {
    case kVerdict: return mark(step);
    case kNumber: {
        const QString number = QString::number(step.id);
        return by_branch_ && nodes_[static_cast<std::size_t>(node)].branches ? QStringLiteral("↳ ") % number : number;
    }
    case kReward:
        return step.reward ? QString::number(*step.reward).replace(QLatin1Char('-'), QChar(0x2212)) : kNothing;
    case kSpeedup: return step.speedup ? widgets::format_ratio(*step.speedup) : kNothing;
    case kChange: return QString::fromStdString(step.title).section(QLatin1Char('\n'), 0, 0);
    case kTokens:
        return tokens_of(step) > 0 ? widgets::format_quantity(static_cast<double>(tokens_of(step)), {}) : kNothing;
    case kTook: return took_us(step) > 0 ? widgets::format_time_us(took_us(step)) : kNothing;
    default: return {};
    }
}

QVariant StepsModel::sort_value(int node, int column) const {
    const auto& step = steps_[static_cast<std::size_t>(node)];
    const auto known = [](const auto& value) { return value ? QVariant(static_cast<double>(*value)) : QVariant(); };
    switch (column) {
    case kVerdict:
        // The best first, what cannot be trusted last.
        return (best_ == step.id ? 0 : !step.correct ? 2 : *step.correct ? 1 : 3) + (step.findings > 0 ? 4 : 0);
    case kNumber: return static_cast<qlonglong>(step.id);
    case kReward: return known(step.reward);
    case kSpeedup: return known(step.speedup);
    case kChange: return QString::fromStdString(step.title);
    case kTokens: return tokens_of(step) > 0 ? QVariant(static_cast<qlonglong>(tokens_of(step))) : QVariant();
    case kTook: return took_us(step) > 0 ? QVariant(took_us(step)) : QVariant();
    default: return {};
    }
}

QString StepsModel::tip(int node) const {
    const auto& step = steps_[static_cast<std::size_t>(node)];
    QStringList lines{QString::fromStdString(step.title)};
    if (step.parent) lines << tr("from step %1").arg(*step.parent);
    if (step.median_us)
        lines
            << (step.estimated ? tr("%1 estimated") : tr("%1 measured")).arg(widgets::format_time_us(*step.median_us));
    if (step.findings > 0) lines << tr("audit: %1").arg(findings_of(step));
    if (!step.because.empty()) lines << QString::fromStdString(step.because);
    lines << tr("%1 · +%2 −%3 lines")
                 .arg(QString::fromStdString(step.driver), QString::number(step.lines_added),
                      QString::number(step.lines_removed));
    if (tokens_of(step) > 0)
        lines << tr("%1 tokens in, %2 out")
                     .arg(widgets::format_exact(static_cast<double>(step.usage.prompt_tokens), {}),
                          widgets::format_exact(static_cast<double>(step.usage.completion_tokens), {}));
    return lines.join(QLatin1Char('\n'));
}

QVariant StepsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const int node = static_cast<int>(index.internalId());
    const auto& step = steps_[index.internalId()];
    const auto& tokens = widgets::Theme::instance().tokens();
    switch (role) {
    case Qt::DisplayRole: return text(node, index.column());
    case kIdRole: return static_cast<qlonglong>(step.id);
    case kSortRole: return sort_value(node, index.column());
    case kFilterRole:
        return QString(QString::number(step.id) % QLatin1Char(' ') % QString::fromStdString(step.title)
                       % QLatin1Char(' ') % QString::fromStdString(step.driver) % QLatin1Char(' ')
                       % QString::fromStdString(step.because) % QLatin1Char(' ') % spoken(step))
            .toLower();
    case Qt::TextAlignmentRole:
        if (index.column() == kChange || index.column() == kVerdict)
            return static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter);
        return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
    case Qt::ForegroundRole:
        if (index.column() == kVerdict) {
            if (step.finding_severity == "refuse") return tokens.bad;
            if (step.findings > 0 || best_ == step.id) return tokens.warn;
            return step.correct ? *step.correct ? tokens.good : tokens.bad : tokens.text3;
        }
        return index.column() == kNumber ? tokens.text2 : tokens.text1;
    case Qt::AccessibleTextRole: return index.column() == kVerdict ? spoken(step) : text(node, index.column());
    case Qt::ToolTipRole: return tip(node);
    default: return {};
    }
}

QVariant StepsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((section == kChange || section == kVerdict ? Qt::AlignLeft : Qt::AlignRight)
                                | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole) {
        switch (section) {
        case kVerdict:
            return tr("● correct, ✗ wrong, · not evaluated, ★ best, ⚠ how much an audit found, red where it refuses "
                      "the step");
        case kReward: return tr("Reward, by the rule of the session");
        case kSpeedup: return tr("How many times as fast as the strongest baseline");
        case kTokens: return tr("Tokens that the model read and wrote");
        case kTook: return tr("How long making and evaluating the step took");
        default: return {};
        }
    }
    if (role != Qt::DisplayRole && role != Qt::AccessibleTextRole) return {};
    switch (section) {
    case kVerdict: return role == Qt::DisplayRole ? QString() : tr("Correctness");
    case kNumber: return tr("#");
    case kReward: return tr("Reward");
    case kSpeedup: return tr("Speed-up");
    case kChange: return tr("Change");
    case kTokens: return tr("Tokens");
    case kTook: return tr("Took");
    default: return QString();
    }
}

StepsFilter::StepsFilter(QObject* parent) : QSortFilterProxyModel(parent) {
    setRecursiveFilteringEnabled(true);
    setSortRole(StepsModel::kSortRole);
}

void StepsFilter::set_words(const QString& text) {
    words_ = text.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    invalidateFilter();
}

bool StepsFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
    if (words_.isEmpty()) return true;
    const QString all = sourceModel()->index(row, 0, parent).data(StepsModel::kFilterRole).toString();
    return std::ranges::all_of(words_, [&](const QString& word) { return all.contains(word); });
}

bool StepsFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    const QVariant a = left.data(StepsModel::kSortRole), b = right.data(StepsModel::kSortRole);
    if (!a.isValid() || !b.isValid())
        return (a.isValid() && !b.isValid()) == (sortOrder() == Qt::AscendingOrder) && a.isValid() != b.isValid();
    if (a.userType() == QMetaType::QString) return a.toString().localeAwareCompare(b.toString()) < 0;
    return a.toDouble() < b.toDouble();
}

} // namespace kw::review
