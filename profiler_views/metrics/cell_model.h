#pragma once

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <QString>

#include <limits>
#include <vector>

/// Tables of values that are shown together: plain cells in, a model out.
namespace kw::profiler_views {

struct Cell {
    enum class Tone { plain, quiet, good, bad };
    QString text{};
    double value = std::numeric_limits<double>::quiet_NaN(); ///< what is sorted by and copied; NaN: the text
    QString tip{};
    double bar = -1; ///< 0 to 1: a bar of this length stands before the text; negative: none
    int color = 0;   ///< of the bar, of the theme's data colours
    Tone tone = Tone::plain;
};

struct CellColumn {
    QString id; ///< by which the choice of columns is remembered
    QString title;
    QString unit{}; ///< of `value`, for copies
    bool numeric = true;
    bool shown = true; ///< until someone chooses
    QString tip{};
};

struct CellRow {
    QString id{}; ///< what the row is about: a metric's id
    std::vector<Cell> cells{};
    QString file{};
    int line = 0;
};

class CellModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Role { kValueRole = Qt::UserRole, kIdRole, kBarRole, kBarColorRole, kToneRole, kFileRole, kLineRole };

    using QAbstractTableModel::QAbstractTableModel;

    /// Every row has a cell for every column. Columns stay as they are where they are the same.
    void set(std::vector<CellColumn> columns, std::vector<CellRow> rows);
    [[nodiscard]] const std::vector<CellColumn>& columns() const { return columns_; }
    [[nodiscard]] const std::vector<CellRow>& rows() const { return rows_; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const final;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const final;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const final;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const final;

private:
    std::vector<CellColumn> columns_;
    std::vector<CellRow> rows_;
};

/// Sorts by value, and keeps rows of which some cell or the id has every word that is looked for.
class CellFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit CellFilter(QObject* parent = nullptr);
    void set_text(const QString& text);

protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
    [[nodiscard]] bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    QStringList words_;
};

} // namespace kw::profiler_views
