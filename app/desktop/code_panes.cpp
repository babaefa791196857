#include "app/desktop/code_panes.h"

#include "app/desktop/source_tabs.h"
#include "editor/cuda_editor.h"
#include "editor/heat_chooser.h"
#include "editor/kernel_strip.h"
#include "editor/listing_pane.h"
#include "engine/profile/roofline.h"
#include "engine/task/plan.h"

#include <QApplication>
#include <QScopedValueRollback>

#include <algorithm>
#include <utility>

namespace kw::desktop {
namespace {

/// A whole compilation takes tenths of a second; nobody needs one for each key.
constexpr int kSettledMs = 500;

/// How the plan in a candidate launches its kernels at the timed sizes, by its defaults; as far as it can be told.
std::vector<editor::LaunchShape> launches_of(const task::Task& task, const std::string& file, const std::string& text,
                                             const device::Limits& limits) {
    const auto plan = task::parse_plan(text, file, task);
    if (!plan || task.cases.empty()) return {};
    const auto timed = std::ranges::find(task.cases, true, &task::Case::timed);
    const auto bound = task::bind(*plan, task, (timed == task.cases.end() ? task.cases.front() : *timed).sizes,
                                  plan->defaults(), limits);
    if (!bound) return {};
    std::vector<editor::LaunchShape> shapes;
    shapes.reserve(bound->launches.size());
    for (const auto& launch : bound->launches)
        shapes.push_back({.kernel = launch.kernel,
                          .threads = static_cast<std::uint32_t>(launch.config.block.count()),
                          .dynamic_shared_bytes = launch.config.dynamic_shared_bytes});
    return shapes;
}

} // namespace

CodePanes::CodePanes(Docks& docks, Workbench& workbench, WorkerSession& worker, SourceTabs& sources, QObject* parent)
    : QObject(parent),
      workbench_(workbench),
      worker_(worker),
      sources_(sources),
      heat_(new editor::HeatChooser),
      strip_(new editor::KernelStrip) {
    pane_ = docks.add(QStringLiteral("code"), tr("PTX · SASS"), Docks::Place::right, [this] {
        listing_ = new editor::ListingPane;
        connect(listing_, &editor::ListingPane::kind_requested, this, [this](editor::Listing::Kind kind) {
            kind_ = kind;
            ask();
        });
        connect(listing_, &editor::ListingPane::source_line_activated, this, [this](int line) {
            if (following_) return;
            const QScopedValueRollback following(following_, true);
            auto* focused = QApplication::focusWidget();
            sources_.go_to(asked_, line, 1);
            if (focused) focused->setFocus();
        });
        return listing_;
    });
    connect(pane_, &Pane::came_to_front, this, &CodePanes::ask);
    timer_.setSingleShot(true);
    timer_.setInterval(kSettledMs);
    connect(&timer_, &QTimer::timeout, this, &CodePanes::ask);
    connect(&sources_, &SourceTabs::line_changed, this, [this](int line) {
        if (following_ || !listing_ || sources_.current_file() != asked_) return;
        const QScopedValueRollback following(following_, true);
        listing_->highlight_source_line(line);
    });
    connect(heat_, &editor::HeatChooser::chosen, this, &CodePanes::show_heat);
    connect(&workbench_, &Workbench::task_opened, this, [this] {
        step_.reset();
        update_title();
        strip_->set_kernels({});
        if (listing_) listing_->show_nothing();
    });
    connect(&workbench_, &Workbench::step_selected, this, [this] {
        const auto& step = workbench_.selected();
        heat_->set_columns(step && step->report ? editor::heat_columns_of(*step->report, step->step.file)
                                                : std::vector<editor::HeatColumn>{});
        show_heat();
    });
    connect(&worker_, &WorkerSession::compiled, this, [this](const pipeline::CompileReport& report) {
        if (asked_revision_ != sources_.revision()) return;
        if (report.ok) show_kernels(report.kernels);
        Q_EMIT compiled(report);
    });
    connect(&worker_, &WorkerSession::disassembled, this, [this](const Json& answer) {
        if (!listing_ || asked_revision_ != sources_.revision()) return;
        try {
            if (!answer.value("ok", false)) {
                listing_->show_problem(tr("The source does not compile."), tr("F8 goes to the first error."));
                return;
            }
            std::vector<compile::Kernel> kernels;
            for (const auto& item : answer.at("kernels")) kernels.push_back(compile::kernel_from_json(item));
            show_kernels(kernels);
            if (!step_)
                Q_EMIT compiled(
                    {.ok = true, .milliseconds = answer.at("ms").get<double>(), .diagnostics = {}, .kernels = kernels});
        } catch (const Json::exception&) {
            // The listing below says what is wrong with the answer.
            strip_->set_kernels({});
        }
        auto listing = editor::listing_from_json(answer, asked_);
        if (!listing) {
            listing_->show_problem(QString::fromStdString(listing.error().message));
            return;
        }
        listing_->set_listing(std::move(*listing));
        show_heat();
    });
    connect(&worker_, &WorkerSession::disassembly_failed, this, [this](const Error& error) {
        if (listing_) listing_->show_problem(QString::fromStdString(error.message));
    });
}

void CodePanes::source_changed() {
    step_.reset();
    timer_.start();
}

void CodePanes::follow_step() {
    const auto& selected = workbench_.selected();
    const bool other = selected && selected->step.has_source() && !fits_;
    const auto wanted = other ? selected : nullptr;
    if (wanted == step_) return;
    step_ = wanted;
    timer_.start();
}

void CodePanes::update_title() {
    pane_->setWindowTitle(step_ ? tr("PTX · SASS · step %1").arg(step_->step.summary.id) : tr("PTX · SASS"));
}

void CodePanes::set_device(const device::Info& info) {
    device_ = info;
    timer_.start();
}

void CodePanes::ask() {
    if (!workbench_.can_evaluate()) return;
    asked_ = step_ ? step_->step.file : sources_.candidate();
    asked_revision_ = sources_.revision();
    auto files = sources_.overlay(workbench_.files());
    if (step_) files[asked_] = step_->step.source;
    const std::string device = device_ ? device_->id : "auto";
    update_title();
    if (pane_->in_front() && listing_) {
        listing_->set_kind(kind_);
        listing_->show_working();
        worker_.disassemble({.files = files,
                             .main = asked_,
                             .device = device,
                             .kernel = {},
                             .sass = kind_ == editor::Listing::Kind::sass});
    } else if (!step_) {
        worker_.compile({.files = files, .main = asked_, .device = device});
    }
}

void CodePanes::show_kernels(const std::vector<compile::Kernel>& kernels) {
    // The strip below the text is about the text.
    if (!workbench_.task() || !device_ || step_) return;
    const auto launches = launches_of(*workbench_.task(), asked_, sources_.text(asked_), device_->limits);
    strip_->set_kernels(editor::kernel_facts(kernels, launches, profile::sm_limits_of(*device_)));
}

void CodePanes::set_profile_fits(bool fits) {
    if (std::exchange(fits_, fits) != fits) show_heat();
}

void CodePanes::show_heat() {
    const auto& step = workbench_.selected();
    auto* editor = step ? sources_.editor(step->step.file) : nullptr;
    const auto* column = fits_ ? heat_->current() : nullptr;
    if (editor) editor->set_heat(column ? std::optional{*column} : std::nullopt);
    if (!listing_) return;
    const bool known = (step_ ? step_ == step : fits_) && step && step->report;
    listing_->set_heat(known ? std::shared_ptr<const profile::Report>{step, &*step->report} : nullptr,
                       heat_->chosen_id());
}

} // namespace kw::desktop
