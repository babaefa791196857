#pragma once

#include "app/desktop/docks.h"
#include "app/desktop/workbench.h"
#include "editor/listing.h"

#include <QObject>
#include <QTimer>

namespace kw::editor {
class HeatChooser;
class KernelStrip;
class ListingPane;
} // namespace kw::editor

namespace kw::desktop {

class SourceTabs;

/// What is made of the source: PTX and SASS beside it, what each kernel takes of a multiprocessor, and what each line
/// costs by the selected step's profile.
class CodePanes : public QObject {
    Q_OBJECT
public:
    CodePanes(Docks& docks, Workbench& workbench, WorkerSession& worker, SourceTabs& sources, QObject* parent);

    /// Which metric is shown beside the lines, and what the kernels take; for the window to place.
    [[nodiscard]] editor::HeatChooser* heat_chooser() const { return heat_; }
    [[nodiscard]] editor::KernelStrip* kernel_strip() const { return strip_; }

    /// The text in front compiles, or is another one: what is shown of it is to be brought up to date soon.
    void source_changed();
    /// Compiles at once; compiled() tells.
    void compile() {
        step_.reset();
        ask();
    }
    void set_device(const device::Info& info);
    /// Whether the text is that of the selected step, which its profile is about.
    void set_profile_fits(bool fits);
    /// The listing is that of the selected step's source until source_changed(); of the text where they are the same.
    void follow_step();

Q_SIGNALS:
    /// The text as it is now. Answers about an earlier one are left out.
    void compiled(const kw::pipeline::CompileReport& report);

private:
    void ask();
    void update_title();
    void show_kernels(const std::vector<compile::Kernel>& kernels);
    void show_heat();

    Workbench& workbench_;
    WorkerSession& worker_;
    SourceTabs& sources_;
    std::optional<device::Info> device_;
    QTimer timer_;
    std::string asked_; ///< the candidate that was compiled last
    quint64 asked_revision_ = 0;
    editor::Listing::Kind kind_ = editor::Listing::Kind::ptx;
    bool fits_ = false;
    std::shared_ptr<const StepRecord> step_{}; ///< whose source the listing is of, in place of the text
    bool following_ = false;                   ///< the caret moves because the other pane's did

    Pane* pane_;
    editor::ListingPane* listing_ = nullptr;
    editor::HeatChooser* heat_;
    editor::KernelStrip* strip_;
};

} // namespace kw::desktop
