#pragma once

#include "engine/timeline/store.h"

#include <QAbstractTableModel>

#include <utility>
#include <vector>

namespace kw::profiler_views {

/// What is known about one event: names and values.
class DetailsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    using QAbstractTableModel::QAbstractTableModel;
    /// Reads what the source knows; that it cannot be read is a row too.
    void set(const timeline::Store* store, timeline::EventId event);
    [[nodiscard]] QString tsv() const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<std::pair<QString, QString>> rows_;
};

} // namespace kw::profiler_views
