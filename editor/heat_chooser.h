#pragma once

#include "editor/heat.h"

#include <QComboBox>

#include <optional>
#include <string>
#include <vector>

namespace kw::editor {

/// Which metric is shown per line: what a profile has, or none. The choice outlives the profile that it was made in.
class HeatChooser : public QComboBox {
    Q_OBJECT
public:
    explicit HeatChooser(QWidget* parent = nullptr);

    void set_columns(std::vector<HeatColumn> columns);
    /// The id of the choice; empty: none. An id that the profile lacks is kept for the next.
    void choose(const std::string& id);
    [[nodiscard]] const std::string& chosen_id() const { return chosen_; }
    /// Null where the choice is none, or the profile has it not.
    [[nodiscard]] const HeatColumn* current() const;

Q_SIGNALS:
    /// Another choice, or other values of the same: ask current().
    void chosen();

private:
    std::vector<HeatColumn> columns_;
    std::string chosen_ = "warp_instructions"; ///< the simulator's and, by counters, every GPU's
};

} // namespace kw::editor
