#include "profiler_views/timeline/details_model.h"

#include "profiler_views/timeline/time_text.h"

namespace kw::profiler_views {
namespace {

QString text_of(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

} // namespace

void DetailsModel::set(const timeline::Store* store, timeline::EventId event) {
    beginResetModel();
    rows_.clear();
    if (store && event != timeline::kNoEvent) {
        const auto& lane = store->lanes()[store->lane_of(event)];
        rows_.emplace_back(tr("Name"), text_of(store->name(event)));
        if (const auto category = store->category(event); !category.empty())
            rows_.emplace_back(tr("Category"), text_of(category));
        rows_.emplace_back(tr("Start"), exact_text(store->start(event)));
        rows_.emplace_back(tr("Duration"),
                           store->duration(event) > 0 ? exact_text(store->duration(event)) : tr("an instant"));
        rows_.emplace_back(tr("Lane"), QString::fromStdString(store->groups()[lane.group].label) % QStringLiteral(" › ")
                                           % QString::fromStdString(lane.label));
        for (const auto& flow : store->flows_to(event))
            rows_.emplace_back(tr("Started by"), text_of(store->name(flow.from)));
        for (const auto& flow : store->flows_from(event))
            rows_.emplace_back(tr("Starts"), text_of(store->name(flow.to)));
        if (const auto details = store->details(event)) {
            for (const auto& detail : *details)
                rows_.emplace_back(QString::fromStdString(detail.name), QString::fromStdString(detail.value));
        } else {
            rows_.emplace_back(tr("More"), QString::fromStdString(details.error().message));
        }
    }
    endResetModel();
}

int DetailsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int DetailsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : 2; }

QVariant DetailsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || (role != Qt::DisplayRole && role != Qt::ToolTipRole)) return {};
    const auto& [name, value] = rows_[static_cast<std::size_t>(index.row())];
    return index.column() == 0 ? name : value;
}

QVariant DetailsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    return section == 0 ? tr("Property") : tr("Value");
}

QString DetailsModel::tsv() const {
    QString text;
    for (const auto& [name, value] : rows_) text += name % QLatin1Char('\t') % value % QLatin1Char('\n');
    return text;
}

} // namespace kw::profiler_views
