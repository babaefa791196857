#include "editor/heat_chooser.h"

#include <QSignalBlocker>

#include <algorithm>

namespace kw::editor {

HeatChooser::HeatChooser(QWidget* parent) : QComboBox(parent) {
    setAccessibleName(tr("Heat by line"));
    setToolTip(tr("What the margin shows for each line"));
    setSizeAdjustPolicy(QComboBox::AdjustToContents);
    connect(this, &QComboBox::activated, this, [this](int index) {
        chosen_ = itemData(index).toString().toStdString();
        Q_EMIT chosen();
    });
    set_columns({});
}

void HeatChooser::set_columns(std::vector<HeatColumn> columns) {
    columns_ = std::move(columns);
    {
        const QSignalBlocker quiet(this);
        clear();
        addItem(columns_.empty() ? tr("No profile yet") : tr("No heat"), QString());
        for (const auto& column : columns_) {
            addItem(QString::fromStdString(column.label), QString::fromStdString(column.id));
            setItemData(count() - 1, QString::fromStdString(column.about), Qt::ToolTipRole);
        }
    }
    setEnabled(!columns_.empty());
    choose(std::string(chosen_));
}

void HeatChooser::choose(const std::string& id) {
    chosen_ = id;
    {
        const QSignalBlocker quiet(this);
        setCurrentIndex(std::max(0, findData(QString::fromStdString(id))));
    }
    Q_EMIT chosen();
}

const HeatColumn* HeatChooser::current() const {
    const auto found = std::ranges::find(columns_, chosen_, &HeatColumn::id);
    return found == columns_.end() ? nullptr : &*found;
}

} // namespace kw::editor
