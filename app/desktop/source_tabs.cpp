#include "app/desktop/source_tabs.h"

#include "editor/cuda_editor.h"
#include "editor/editor_pane.h"
#include "engine/base/file.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace kw::desktop {
namespace {

bool is_text(const std::string& file) { return !file.ends_with(".npy"); }

QString tab_name(const std::string& file) { return QString::fromStdString(file); }

} // namespace

SourceTabs::SourceTabs(QWidget* parent)
    : QWidget(parent),
      row_(new QHBoxLayout),
      tabs_(new QTabBar),
      more_(new QToolButton),
      step_bar_(new QWidget),
      step_sentence_(new QLabel),
      pages_(new QStackedWidget) {
    setObjectName(QStringLiteral("panel"));
    setAttribute(Qt::WA_StyledBackground);
    tabs_->setAccessibleName(tr("Open files"));
    tabs_->setDocumentMode(true);
    tabs_->setExpanding(false);
    tabs_->setTabsClosable(true);
    tabs_->setElideMode(Qt::ElideMiddle);
    more_->setText(tr("Files"));
    more_->setToolTip(tr("Open another file of the task"));
    more_->setAccessibleName(more_->toolTip());
    more_->setPopupMode(QToolButton::InstantPopup);
    more_->setMenu(new QMenu(more_));
    row_->setContentsMargins(0, 0, 8, 0);
    row_->setSpacing(8);
    row_->addWidget(tabs_, 1);
    row_->addWidget(more_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(row_);
    layout->addWidget(step_bar_);
    layout->addWidget(pages_, 1);
    build_step_bar();
    connect(tabs_, &QTabBar::currentChanged, this, [this](int index) {
        if (index >= 0) show_file(tabs_->tabData(index).toString().toStdString());
    });
    connect(tabs_, &QTabBar::tabCloseRequested, this, &SourceTabs::close_tab);
    connect(more_->menu(), &QMenu::aboutToShow, this, &SourceTabs::fill_menu);
}

void SourceTabs::build_step_bar() {
    step_bar_->setObjectName(QStringLiteral("paneHeader"));
    step_bar_->setAttribute(Qt::WA_StyledBackground);
    step_sentence_->setProperty("tone", QStringLiteral("quiet"));
    step_sentence_->setTextFormat(Qt::PlainText);
    step_sentence_->setMinimumWidth(0);
    step_sentence_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* take = new QPushButton(tr("Go on from it"));
    take->setToolTip(tr("Puts its text here; undo brings yours back (Alt+Return)"));
    auto* row = new QHBoxLayout(step_bar_);
    row->setContentsMargins(12, 2, 8, 2);
    row->setSpacing(4);
    row->addWidget(step_sentence_, 1);
    row->addWidget(take);
    connect(take, &QPushButton::clicked, this, &SourceTabs::step_text_wanted);
    step_bar_->hide();
}

void SourceTabs::show_other_step(const QString& sentence) {
    step_sentence_->setText(sentence);
    step_sentence_->setToolTip(sentence);
    step_bar_->setVisible(!sentence.isEmpty());
}

void SourceTabs::set_auto_close(bool enabled) {
    auto_close_ = enabled;
    for (const auto& [file, each] : panes_) each->editor()->set_auto_close(enabled);
}

void SourceTabs::set_extras(QWidget* beside, QWidget* below) {
    row_->insertWidget(1, beside);
    layout()->addWidget(below);
    extras_ = {beside, more_};
}

void SourceTabs::set_extras_shown(bool shown) {
    for (auto* each : extras_) each->setVisible(shown);
}

void SourceTabs::open_task(const task::Files& files, const task::Task& task, const std::filesystem::path& folder) {
    while (tabs_->count() > 0) tabs_->removeTab(0);
    for (const auto& [file, each] : panes_) {
        each->editor()->disconnect(this);
        each->disconnect(this);
        each->deleteLater();
        pages_->removeWidget(each);
    }
    panes_.clear();
    unreadable_.clear();
    ++revision_;
    folder_ = folder;
    diagnostics_.clear();
    current_.clear();
    files_ = files;
    task_ = task;
    if (show_file(task.kernel)) tabs_->setTabButton(0, QTabBar::RightSide, nullptr); // the kernel stays
}

editor::EditorPane* SourceTabs::open(const std::string& file, const std::string& text) {
    auto* pane = new editor::EditorPane;
    const auto path = folder_.empty() ? std::filesystem::path() : folder_ / file;
    // The text has lost how it is encoded.
    auto on_disk = path.empty() ? Result<std::string>() : read_file(path, editor::kMaxTextBytes, Stage::usage);
    if (on_disk && first_invalid_utf8(*on_disk) == std::string::npos) on_disk = text;
    if (auto read = pane->open_bytes(on_disk && !path.empty() ? *on_disk : text, file, path); !read) {
        // What the task could be read with is text, so that only its size or its kind can stand against it.
        pane->show_notice(QStringLiteral("unreadable"), editor::Tone::bad,
                          QString::fromStdString(read.error().message));
        pane->editor()->setReadOnly(true);
        unreadable_.insert(file);
    }
    auto* made = pane->editor();
    made->set_auto_close(auto_close_);
    made->show_diagnostics(diagnostics_, file);
    panes_[file] = pane;
    pages_->addWidget(pane);
    const int index = tabs_->addTab(tab_name(file));
    tabs_->setTabData(index, QString::fromStdString(file));
    connect(made, &editor::CudaEditor::textChanged, this, [this, file] {
        ++revision_;
        Q_EMIT text_changed(file);
    });
    connect(made, &editor::CudaEditor::modificationChanged, this, [this, file](bool modified_now) {
        update_title(file);
        Q_EMIT modification_changed(file, modified_now);
    });
    connect(made, &editor::CudaEditor::cursorPositionChanged, this, [this, file](int line, int) {
        if (file == current_) Q_EMIT line_changed(line + 1);
    });
    connect(pane, &editor::EditorPane::saved, this, [this, file] {
        files_[file] = this->text(file);
        Q_EMIT saved(file);
    });
    return pane;
}

bool SourceTabs::show_file(const std::string& file) {
    auto* wanted = pane(file);
    if (!wanted) {
        const auto found = files_.find(file);
        if (found == files_.end() || !is_text(file)) return false;
        wanted = open(file, found->second);
    }
    if (current_ == file) return true;
    current_ = file;
    pages_->setCurrentWidget(wanted);
    for (int i = 0; i < tabs_->count(); ++i)
        if (tabs_->tabData(i).toString().toStdString() == file) tabs_->setCurrentIndex(i);
    setFocusProxy(wanted->editor());
    Q_EMIT current_changed();
    return true;
}

Result<void> SourceTabs::save(const std::string& file) {
    auto* written = pane(file);
    if (!written) return {};
    if (!folder_.empty()) return written->save();
    written->editor()->setModified(false);
    Q_EMIT saved(file);
    return {};
}

void SourceTabs::offer_draft(const std::string& file, const std::string& text, const QString& when) {
    if (!show_file(file) || current()->utf8() == text) return;
    auto* offered = pane(file);
    const QString id = QStringLiteral("draft");
    offered->show_notice(id, editor::Tone::info, tr("Text from %1 was never saved.").arg(when),
                         {tr("Bring it back"), tr("Forget it")});
    connect(offered, &editor::EditorPane::notice_action, this,
            [this, offered, file, text, id](const QString& of, int index) {
                if (of != id) return;
                offered->clear_notice(id);
                if (index == 0) offered->editor()->replace_text(text);
                Q_EMIT draft_answered(file, index == 0);
            });
}

void SourceTabs::go_to(const std::string& file, int line, int column) {
    if (show_file(file)) current()->go_to(line, column);
}

void SourceTabs::replace_text(const std::string& text) {
    if (auto* front = current()) front->replace_text(text);
}

std::string SourceTabs::candidate() const {
    const bool other = current_ == task_.reference || !current_.ends_with(".cu") || current_.empty()
                       || std::ranges::find(task_.baselines, current_) != task_.baselines.end();
    return other ? task_.kernel : current_;
}

editor::CudaEditor* SourceTabs::current() const { return editor(current_); }

editor::CudaEditor* SourceTabs::editor(const std::string& file) const {
    const auto* found = pane(file);
    return found ? found->editor() : nullptr;
}

editor::EditorPane* SourceTabs::pane(const std::string& file) const {
    const auto found = panes_.find(file);
    return found == panes_.end() ? nullptr : found->second;
}

std::string SourceTabs::text(const std::string& file) const {
    if (const auto* open_one = editor(file); open_one && !unreadable_.contains(file)) return open_one->utf8();
    const auto found = files_.find(file);
    return found == files_.end() ? std::string() : found->second;
}

task::Files SourceTabs::overlay(task::Files files) const {
    for (const auto& [file, each] : panes_)
        if (!unreadable_.contains(file)) files[file] = each->editor()->utf8();
    return files;
}

std::vector<std::string> SourceTabs::modified() const {
    std::vector<std::string> names;
    for (const auto& [file, each] : panes_)
        if (each->editor()->isModified()) names.push_back(file);
    return names;
}

void SourceTabs::show_diagnostics(const std::vector<compile::Diagnostic>& diagnostics) {
    diagnostics_ = diagnostics;
    for (const auto& [file, each] : panes_) each->editor()->show_diagnostics(diagnostics, file);
}

void SourceTabs::close_tab(int index) {
    const auto file = tabs_->tabData(index).toString().toStdString();
    auto* closing = pane(file);
    // Text that was not saved is not thrown away by a slip of the hand.
    if (!closing || file == task_.kernel || closing->editor()->isModified()) return;
    panes_.erase(file);
    if (current_ == file) current_.clear();
    tabs_->removeTab(index);
    closing->editor()->disconnect(this);
    closing->disconnect(this);
    pages_->removeWidget(closing);
    closing->deleteLater();
}

void SourceTabs::update_title(const std::string& file) {
    for (int i = 0; i < tabs_->count(); ++i)
        if (tabs_->tabData(i).toString().toStdString() == file)
            tabs_->setTabText(i, editor(file)->isModified() ? tab_name(file) + QStringLiteral(" •") : tab_name(file));
}

void SourceTabs::fill_menu() {
    auto* menu = more_->menu();
    menu->clear();
    for (const auto& [file, text] : files_) {
        if (!is_text(file)) continue;
        QString note;
        if (file == task_.kernel) note = tr("kernel");
        if (file == task_.reference) note = tr("reference");
        if (std::ranges::find(task_.baselines, file) != task_.baselines.end()) note = tr("baseline");
        auto* action = menu->addAction(note.isEmpty() ? tab_name(file) : tr("%1 – %2").arg(tab_name(file), note));
        connect(action, &QAction::triggered, this, [this, name = file] {
            if (show_file(name)) current()->setFocus();
        });
    }
}

} // namespace kw::desktop
