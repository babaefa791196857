#pragma once

#include "profiler_views/metrics/cell_model.h"

#include <QTableView>

namespace kw::profiler_views {

/// A table of cells: sorts, filters, draws bars, copies what is selected as TSV, and remembers which columns are shown
/// and how wide they are.
class CellTable : public QTableView {
    Q_OBJECT
public:
    /// `settings_key` names the table among the settings; empty: nothing is remembered.
    CellTable(const QString& accessible_name, const QString& settings_key, QWidget* parent = nullptr);

    void set(std::vector<CellColumn> columns, std::vector<CellRow> rows);
    void set_filter(const QString& text);
    [[nodiscard]] CellModel& cells() { return *model_; }
    /// The id of the current row; empty when there is none.
    [[nodiscard]] QString current_id() const;
    void select_id(const QString& id);
    /// As high as its rows, without scrolling: for a table that is part of a page.
    void set_whole(bool whole);
    void set_sortable(bool sortable);

    /// Selected rows, or all when none is, of the columns that are shown, with all digits.
    [[nodiscard]] QString tsv() const;
    void copy() const;
    [[nodiscard]] bool is_column_shown(const QString& id) const;
    void show_column(const QString& id, bool shown);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    void current_id_changed(const QString& id);
    /// Enter or a double click on a row.
    void row_activated(const QString& id, const QString& file, int line);

protected:
    void changeEvent(QEvent* event) override;

private:
    void ask_columns(const QPoint& at);
    void apply_columns();
    void apply_row_height();
    [[nodiscard]] int column_of(const QString& id) const;

    CellModel* model_;
    CellFilter* filter_;
    QString settings_key_;
    QStringList shown_ids_;
    bool whole_ = false;
};

} // namespace kw::profiler_views
