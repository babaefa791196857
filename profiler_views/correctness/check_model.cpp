#include "profiler_views/correctness/check_model.h"

#include "profiler_views/ulp_text.h"
#include "widgets/icons.h"
#include "widgets/numbers.h"
#include "widgets/theme.h"

#include <QStringList>

#include <algorithm>
#include <array>
#include <utility>

namespace kw::profiler_views {
namespace {

QString text_of(const pipeline::Check& check, int column) {
    const auto& comparison = check.comparison;
    switch (column) {
    case CheckModel::state: return check.ok ? CheckModel::tr("right") : CheckModel::tr("wrong");
    case CheckModel::tensor: return QString::fromStdString(check.tensor);
    case CheckModel::sizes: return sizes_text(check.sizes);
    case CheckModel::seed: return QString::number(check.seed);
    case CheckModel::wrong: return QString::number(comparison.mismatches);
    case CheckModel::worst: return widgets::format_number(comparison.max_abs);
    case CheckModel::ulp:
        return comparison.max_ulp > kMostUlp ? CheckModel::tr("near zero") : QString::number(comparison.max_ulp);
    default: return {};
    }
}

QVariant key_of(const pipeline::Check& check, int column) {
    const auto& comparison = check.comparison;
    switch (column) {
    case CheckModel::state: return check.ok ? 1 : 0;
    case CheckModel::seed: return static_cast<quint64>(check.seed);
    case CheckModel::wrong: return static_cast<quint64>(comparison.mismatches);
    case CheckModel::worst: return comparison.max_abs;
    case CheckModel::ulp: return static_cast<quint64>(comparison.max_ulp);
    default: return text_of(check, column);
    }
}

bool is_number(int column) {
    return column != CheckModel::state && column != CheckModel::tensor && column != CheckModel::sizes;
}

} // namespace

QString sizes_text(const task::Sizes& sizes) {
    QStringList parts;
    for (const auto& [name, value] : sizes)
        parts << QStringLiteral("%1 %2").arg(QString::fromStdString(name)).arg(value);
    return parts.join(QStringLiteral(", "));
}

void CheckModel::set_checks(std::vector<pipeline::Check> checks) {
    beginResetModel();
    checks_ = std::move(checks);
    std::ranges::stable_partition(checks_, [](const auto& check) { return !check.ok; });
    endResetModel();
}

int CheckModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(checks_.size());
}
int CheckModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

QVariant CheckModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount() || index.column() >= column_count) return {};
    const auto& check = this->check(index.row());
    const auto& tokens = widgets::Theme::instance().tokens();
    switch (role) {
    case Qt::DisplayRole: return text_of(check, index.column());
    case Qt::AccessibleTextRole: return text_of(check, index.column());
    case kSortRole: return key_of(check, index.column());
    case Qt::TextAlignmentRole:
        return static_cast<int>((is_number(index.column()) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::DecorationRole:
        if (index.column() != state) return {};
        return check.ok ? widgets::icon(QStringLiteral("good"), tokens.good, tokens.good)
                        : widgets::icon(QStringLiteral("error"), tokens.bad, tokens.bad);
    case Qt::ForegroundRole:
        if (index.column() == state) return check.ok ? tokens.good : tokens.bad;
        return {};
    case Qt::ToolTipRole:
        if (!check.problem.empty()) return QString::fromStdString(check.problem);
        return tr("%1 of %2 elements of %3 are wrong, at %4, seed %5")
            .arg(QString::number(check.comparison.mismatches), QString::number(check.comparison.elements),
                 QString::fromStdString(check.tensor), sizes_text(check.sizes), QString::number(check.seed));
    default: return {};
    }
}

QVariant CheckModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= column_count) return {};
    static const std::array<const char*, column_count> kTitles{
        QT_TR_NOOP("check"),           QT_TR_NOOP("output"),  QT_TR_NOOP("sizes"), QT_TR_NOOP("wrong"),
        QT_TR_NOOP("largest |error|"), QT_TR_NOOP("max ULP"), QT_TR_NOOP("seed")};
    if (role == Qt::DisplayRole) return tr(kTitles[static_cast<std::size_t>(section)]);
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((is_number(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    return {};
}

} // namespace kw::profiler_views
