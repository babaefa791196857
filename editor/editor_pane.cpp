#include "editor/editor_pane.h"

#include "editor/clangd/client.h"
#include "editor/code_assist.h"
#include "editor/cuda_editor.h"
#include "editor/edit_commands.h"
#include "editor/find_bar.h"
#include "engine/base/file.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QVBoxLayout>
#include <Qsci/qscicommandset.h>

#include <fmt/format.h>

#include <algorithm>

namespace kw::editor {
namespace {

const QString kChanged = QStringLiteral("file.changed");
const QString kDeleted = QStringLiteral("file.deleted");
const QString kEncoding = QStringLiteral("file.encoding");
const QString kReadOnly = QStringLiteral("file.read_only");
const QString kProblem = QStringLiteral("file.problem");
const QString kClangd = QStringLiteral("clangd");

} // namespace

std::optional<std::pair<int, int>> parse_place(const QString& text) {
    static const QRegularExpression form(QStringLiteral("^\\s*(\\d{1,9})\\s*(?:[:,]\\s*(\\d{1,9}))?\\s*$"));
    const auto match = form.match(text);
    if (!match.hasMatch() || match.captured(1).toInt() == 0) return std::nullopt;
    return std::pair{match.captured(1).toInt(), match.captured(2).isEmpty() ? 1 : match.captured(2).toInt()};
}

EditorPane::EditorPane(QWidget* parent)
    : QWidget(parent),
      editor_(new CudaEditor),
      find_bar_(new FindBar(*editor_)),
      place_bar_(new QWidget),
      place_(new QLineEdit),
      notice_layout_(new QVBoxLayout) {
    setAccessibleName(tr("Editor"));
    setFocusProxy(editor_);
    place_bar_->setObjectName(QStringLiteral("paneHeader"));
    place_bar_->setAttribute(Qt::WA_StyledBackground);
    place_->setObjectName(QStringLiteral("editor.place"));
    place_->setAccessibleName(tr("Line to go to"));
    place_->setMaximumWidth(220);
    place_->installEventFilter(this);
    auto* label = new QLabel(tr("Go to line"));
    label->setBuddy(place_);
    auto* place_layout = new QHBoxLayout(place_bar_);
    place_layout->setContentsMargins(12, 4, 8, 4);
    place_layout->setSpacing(8);
    place_layout->addWidget(label);
    place_layout->addWidget(place_);
    place_layout->addStretch();
    place_bar_->hide();
    notice_layout_->setContentsMargins(0, 0, 0, 0);
    notice_layout_->setSpacing(0);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(notice_layout_);
    layout->addWidget(find_bar_);
    layout->addWidget(place_bar_);
    layout->addWidget(editor_, 1);
    connect(&watch_, &FileWatch::state_changed, this, &EditorPane::file_state);
    connect(place_, &QLineEdit::returnPressed, this, &EditorPane::accept_place);
    keep_editing_keys();
    build_actions();
}

/// The editor takes every key of its own before the window sees it, so it keeps those of plain editing alone.
void EditorPane::keep_editing_keys() {
    using enum QsciCommand::Command;
    static constexpr QsciCommand::Command kKept[] = {LineDown,
                                                     LineDownExtend,
                                                     LineDownRectExtend,
                                                     LineScrollDown,
                                                     LineUp,
                                                     LineUpExtend,
                                                     LineUpRectExtend,
                                                     LineScrollUp,
                                                     CharLeft,
                                                     CharLeftExtend,
                                                     CharLeftRectExtend,
                                                     CharRight,
                                                     CharRightExtend,
                                                     CharRightRectExtend,
                                                     WordLeft,
                                                     WordLeftExtend,
                                                     WordRight,
                                                     WordRightExtend,
                                                     Home,
                                                     HomeExtend,
                                                     HomeRectExtend,
                                                     VCHome,
                                                     VCHomeExtend,
                                                     VCHomeRectExtend,
                                                     LineEnd,
                                                     LineEndExtend,
                                                     LineEndRectExtend,
                                                     DocumentStart,
                                                     DocumentStartExtend,
                                                     DocumentEnd,
                                                     DocumentEndExtend,
                                                     PageUp,
                                                     PageUpExtend,
                                                     PageUpRectExtend,
                                                     PageDown,
                                                     PageDownExtend,
                                                     PageDownRectExtend,
                                                     Delete,
                                                     DeleteBack,
                                                     DeleteWordLeft,
                                                     DeleteWordRight,
                                                     DeleteLineLeft,
                                                     DeleteLineRight,
                                                     SelectAll,
                                                     SelectionCut,
                                                     SelectionCopy,
                                                     Paste,
                                                     EditToggleOvertype,
                                                     Newline,
                                                     Tab,
                                                     Backtab,
                                                     Cancel,
                                                     Undo,
                                                     Redo};
    for (auto* command : editor_->standardCommands()->commands()) {
        if (std::ranges::find(kKept, command->command()) != std::end(kKept)) continue;
        command->setKey(0);
        command->setAlternateKey(0);
    }
}

void EditorPane::build_actions() {
    struct Entry {
        const char* name;
        QString text;
        QKeySequence key;
        std::function<void()> run;
    };
    CudaEditor& e = *editor_;
    const auto shortcut = [](const char* keys) { return QKeySequence(QLatin1String(keys)); };
    const std::vector<Entry> entries{
        {"editor.find", tr("Find"), shortcut("Ctrl+F"), [this] { find(false); }},
        {"editor.replace", tr("Replace"), shortcut("Ctrl+H"), [this] { find(true); }},
        {"editor.find_next", tr("Find next"), shortcut("F3"), [this] { find_bar_->find_next(); }},
        {"editor.find_previous", tr("Find previous"), shortcut("Shift+F3"), [this] { find_bar_->find_previous(); }},
        {"editor.go_to_line", tr("Go to line"), shortcut("Ctrl+G"), [this] { go_to_line(); }},
        {"editor.toggle_comment", tr("Toggle comment"), shortcut("Ctrl+/"), [&e] { toggle_comment(e); }},
        {"editor.duplicate_line", tr("Duplicate line"), shortcut("Shift+Alt+Down"), [&e] { duplicate_lines(e); }},
        {"editor.move_line_up", tr("Move line up"), shortcut("Ctrl+Shift+Up"), [&e] { move_lines(e, true); }},
        {"editor.move_line_down", tr("Move line down"), shortcut("Ctrl+Shift+Down"), [&e] { move_lines(e, false); }},
        {"editor.select_next_occurrence", tr("Select next occurrence"), shortcut("Ctrl+D"),
         [&e] { select_next_occurrence(e); }},
        {"editor.select_all_occurrences", tr("Select all occurrences"), shortcut("Ctrl+Shift+D"),
         [&e] { select_all_occurrences(e); }},
        {"editor.add_cursor_above", tr("Add cursor above"), shortcut("Ctrl+Alt+Up"), [&e] { add_cursor(e, true); }},
        {"editor.add_cursor_below", tr("Add cursor below"), shortcut("Ctrl+Alt+Down"), [&e] { add_cursor(e, false); }},
        {"editor.fold_all", tr("Fold all"), shortcut("Ctrl+Shift+["), [&e] { fold_all(e, true); }},
        {"editor.unfold_all", tr("Unfold all"), shortcut("Ctrl+Shift+]"), [&e] { fold_all(e, false); }},
        {"editor.indent", tr("Indent"), shortcut("Ctrl+]"), [&e] { indent_lines(e, true); }},
        {"editor.unindent", tr("Unindent"), shortcut("Ctrl+["), [&e] { indent_lines(e, false); }},
        {"editor.zoom_in", tr("Larger text"), shortcut("Ctrl++"), [&e] { e.zoomIn(); }},
        {"editor.zoom_out", tr("Smaller text"), shortcut("Ctrl+-"), [&e] { e.zoomOut(); }},
        {"editor.zoom_reset", tr("Normal text size"), shortcut("Ctrl+0"), [&e] { e.zoomTo(0); }},
        {"editor.complete", tr("Complete"), shortcut("Ctrl+Space"), [&e] { e.assist()->complete(); }},
    };
    for (const Entry& entry : entries) {
        auto* action = new QAction(entry.text, this);
        action->setObjectName(QLatin1String(entry.name));
        action->setShortcut(entry.key);
        if (QLatin1String(entry.name) == QLatin1String("editor.zoom_in"))
            action->setShortcuts({entry.key, shortcut("Ctrl+=")}); // the same key where "+" needs Shift
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        connect(action, &QAction::triggered, this, entry.run);
        addAction(action);
        actions_list_ << action;
        // The editor would take the key for itself first.
        for (const auto& sequence : action->shortcuts()) {
            const int key = sequence[0].toCombined();
            if (auto* command = e.standardCommands()->boundTo(key)) {
                if (command->key() == key) command->setKey(0);
                if (command->alternateKey() == key) command->setAlternateKey(0);
            }
        }
    }
}

QAction* EditorPane::action(const QString& object_name) const {
    for (auto* action : actions_list_)
        if (action->objectName() == object_name) return action;
    return nullptr;
}

Result<void> EditorPane::open_file(const std::filesystem::path& path) {
    // One more than the limit, so that the sentence about it is the decoder's.
    const auto bytes = read_file(path, kMaxTextBytes + 1, Stage::usage);
    if (!bytes) return std::unexpected(bytes.error());
    return open_bytes(*bytes, path.filename().string(), path);
}

Result<void> EditorPane::open_bytes(std::string_view bytes, const std::string& name,
                                    const std::filesystem::path& path) {
    auto decoded = decode_text(bytes, name);
    if (!decoded) return std::unexpected(decoded.error());
    for (const auto& id : {kChanged, kDeleted, kEncoding, kReadOnly, kProblem}) clear_notice(id);
    name_ = name;
    path_ = path;
    format_ = decoded->format;
    editor_->load_utf8(decoded->text, format_.line_end);
    show_text(*decoded);
    const QString file = QString::fromStdString(path.string());
    if (path.empty())
        watch_.stop();
    else
        watch_.watch(file, bytes);
    if (!path.empty() && !editor_->isReadOnly() && !QFileInfo(file).isWritable()) {
        set_read_only(true);
        show_notice(kReadOnly, Tone::info, tr("%1 may not be written.").arg(QString::fromStdString(name_)),
                    {tr("Edit anyway")});
    }
    return {};
}

void EditorPane::show_text(const DecodedText& decoded) {
    set_read_only(false);
    if (decoded.format.encoding == Encoding::utf8) {
        clear_notice(kEncoding);
        return;
    }
    show_notice(kEncoding, Tone::info,
                tr("%1 is not UTF-8 (byte %2): it is shown, and will be saved, as Latin-1.")
                    .arg(QString::fromStdString(name_))
                    .arg(decoded.first_invalid + 1),
                {tr("Convert to UTF-8")});
}

void EditorPane::set_read_only(bool read_only) { editor_->setReadOnly(read_only); }

Result<void> EditorPane::save() {
    if (path_.empty()) return fail(Stage::usage, ErrorCode::invalid_input, "this text has no file to be saved to");
    if (watch_.look() == FileWatch::State::changed)
        return fail(Stage::usage, ErrorCode::invalid_input,
                    fmt::format("{} was changed by another program; reload it or keep yours before saving", name_));
    auto bytes = encode_text(editor_->utf8(), format_);
    if (!bytes) return std::unexpected(bytes.error());
    watch_.expect(*bytes);
    if (auto written = write_file(path_, *bytes, Stage::usage); !written) return written;
    editor_->setModified(false);
    Q_EMIT saved();
    return {};
}

Result<void> EditorPane::reload() {
    const auto bytes = read_file(path_, kMaxTextBytes + 1, Stage::usage);
    if (!bytes) return std::unexpected(bytes.error());
    auto decoded = decode_text(*bytes, name_);
    if (!decoded) return std::unexpected(decoded.error());
    set_read_only(false);
    editor_->replace_text(decoded->text);
    editor_->setModified(false);
    format_ = decoded->format;
    show_text(*decoded);
    watch_.expect(*bytes);
    clear_notice(kChanged);
    return {};
}

void EditorPane::file_state(FileWatch::State state) {
    const QString name = QString::fromStdString(name_);
    if (state != FileWatch::State::deleted) clear_notice(kDeleted);
    if (state == FileWatch::State::deleted) {
        show_notice(kDeleted, Tone::warn, tr("%1 was deleted; saving writes it again.").arg(name), {tr("Save")});
        // Nothing but the editor holds the text now, so it counts as unsaved. QScintilla takes no other word for that
        // than a change.
        if (!editor_->isModified()) {
            editor_->SendScintilla(QsciScintilla::SCI_INSERTTEXT, 0UL, " ");
            editor_->SendScintilla(QsciScintilla::SCI_DELETERANGE, 0UL, 1L);
        }
    }
    if (state != FileWatch::State::changed) {
        clear_notice(kChanged);
        return;
    }
    if (!editor_->isModified()) {
        // Nothing of the user's can be lost, and undo brings the former text back.
        if (const auto reloaded = reload(); !reloaded)
            show_notice(kChanged, Tone::bad, QString::fromStdString(reloaded.error().message));
        else
            show_notice(kProblem, Tone::info,
                        tr("%1 was changed by another program; its new text is shown.").arg(name));
        return;
    }
    show_notice(kChanged, Tone::warn, tr("%1 was changed by another program.").arg(name),
                {tr("Reload"), tr("Keep mine")});
}

void EditorPane::handle_notice(const QString& id, int index) {
    Result<void> done;
    if (id == kChanged) {
        if (index == 0)
            done = reload();
        else
            watch_.accept();
    } else if (id == kDeleted) {
        done = save();
    } else if (id == kEncoding) {
        format_.encoding = Encoding::utf8;
        clear_notice(kEncoding);
        set_read_only(false);
        // A character put in its own place, because a text without a change does not count as one to be saved.
        const long end = editor_->SendScintilla(QsciScintilla::SCI_POSITIONAFTER, 0UL);
        const std::string first(editor_->view(0, end));
        editor_->beginUndoAction();
        editor_->SendScintilla(QsciScintilla::SCI_SETTARGETRANGE, 0UL, end);
        editor_->SendScintilla(QsciScintilla::SCI_REPLACETARGET, static_cast<unsigned long>(first.size()),
                               first.data());
        editor_->endUndoAction();
    } else if (id == kReadOnly) {
        clear_notice(kReadOnly);
        set_read_only(false);
    }
    if (!done) show_notice(kProblem, Tone::bad, QString::fromStdString(done.error().message));
    Q_EMIT notice_action(id, index);
}

void EditorPane::show_notice(const QString& id, Tone tone, const QString& text, const QStringList& buttons) {
    clear_notice(id);
    auto* bar = new NoticeBar(tone, text, buttons, this);
    connect(bar, &NoticeBar::action, this, [this, id](int index) { handle_notice(id, index); });
    connect(bar, &NoticeBar::dismissed, this, [this, id] { clear_notice(id); });
    notice_layout_->addWidget(bar);
    notices_[id] = bar;
}

void EditorPane::clear_notice(const QString& id) {
    const auto found = notices_.find(id);
    if (found == notices_.end()) return;
    const bool had_focus = found->second->isAncestorOf(focusWidget());
    found->second->hide();
    found->second->deleteLater(); // it may be its own button that is being handled
    notices_.erase(found);
    if (had_focus) editor_->setFocus();
}

void EditorPane::find(bool replace) {
    place_bar_->hide();
    find_bar_->open(replace);
}

void EditorPane::go_to_line() {
    int line = 0, index = 0;
    editor_->getCursorPosition(&line, &index);
    place_->setText(QString::number(line + 1));
    place_->setPlaceholderText(tr("line[:column], up to %1").arg(editor_->lines()));
    place_->setToolTip(place_->placeholderText());
    place_bar_->show();
    place_->setFocus();
    place_->selectAll();
}

void EditorPane::accept_place() {
    const auto place = parse_place(place_->text());
    if (!place) {
        place_->selectAll();
        place_->setToolTip(tr("A line is a number from 1, with a column as in 12:5."));
        return;
    }
    place_bar_->hide();
    editor_->go_to(place->first, place->second);
}

bool EditorPane::eventFilter(QObject* object, QEvent* event) {
    if (object == place_ && event->type() == QEvent::KeyPress
        && static_cast<const QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        place_bar_->hide();
        editor_->setFocus();
        return true;
    }
    return QWidget::eventFilter(object, event);
}

void EditorPane::set_clangd(ClangdClient* clangd) {
    editor_->assist()->set_clangd(clangd);
    if (!clangd) return;
    connect(clangd, &ClangdClient::switched_off, this,
            [this](const QString& reason) { show_notice(kClangd, Tone::info, reason); });
}

} // namespace kw::editor
