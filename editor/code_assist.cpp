#include "editor/code_assist.h"

#include "editor/builtins.h"
#include "editor/characters.h"
#include "editor/clangd/client.h"
#include "editor/completion_popup.h"
#include "editor/cuda_editor.h"

#include <QCursor>
#include <QKeyEvent>
#include <QToolTip>

#include <algorithm>
#include <cctype>
#include <utility>

namespace kw::editor {
namespace {

using S = QsciScintilla;

constexpr std::size_t kLettersToOffer = 2;
constexpr int kGatherMs = 400;
constexpr long kCallContextBytes = 4096;

CompletionItem item_of(const Builtin& builtin) {
    std::string about = builtin.about;
    if (!builtin.since.empty()) about += " Since " + builtin.since + ".";
    if (!builtin.header.empty()) about += " Needs #include <" + builtin.header + ">.";
    return {builtin.name, std::string(to_string(builtin.kind)), builtin.signatures.front(), std::move(about),
            CompletionItem::Source::builtin};
}

} // namespace

CodeAssist::CodeAssist(CudaEditor& editor)
    : QObject(&editor), editor_(editor), popup_(new CompletionPopup(&editor)), tip_(new CallTip(&editor)) {
    document_timer_.setSingleShot(true);
    document_timer_.setInterval(kGatherMs);
    connect(&document_timer_, &QTimer::timeout, this, [this] {
        document_words_known_ = false;
        (void)document_words();
    });
    connect(&editor_, &QsciScintilla::textChanged, this, [this] {
        clangd_has_text_ = false;
        document_timer_.start();
    });
    connect(popup_, &CompletionPopup::chosen, this, &CodeAssist::accept);
}

void CodeAssist::set_task_words(std::vector<CompletionItem> words) {
    task_words_ = std::move(words);
    for (auto& word : task_words_) word.source = CompletionItem::Source::task;
}

void CodeAssist::set_clangd(ClangdClient* clangd) {
    clangd_ = clangd;
    clangd_has_text_ = false;
}

void CodeAssist::complete() { open(true); }

void CodeAssist::close_popup() {
    ++list_asked_; // what is answered now is not for this list
    popup_->hide();
}

void CodeAssist::close_tip() {
    ++tip_asked_;
    tip_->hide();
}

bool CodeAssist::is_open() const { return popup_->isVisible() || tip_->isVisible(); }

void CodeAssist::hide() {
    close_popup();
    close_tip();
}

CodeAssist::Word CodeAssist::word_before_caret() const {
    const long caret = editor_.SendScintilla(S::SCI_GETCURRENTPOS);
    const long line = editor_.SendScintilla(S::SCI_LINEFROMPOSITION, caret);
    const long start = editor_.SendScintilla(S::SCI_POSITIONFROMLINE, line);
    const std::string_view text = editor_.view(start, caret);
    std::size_t begin = text.size();
    while (begin > 0 && is_word(text[begin - 1])) --begin;
    if (begin < text.size() && std::isdigit(static_cast<unsigned char>(text[begin]))) return {caret, {}};
    return {start + static_cast<long>(begin), std::string(text.substr(begin))};
}

std::string CodeAssist::line_before_caret() const {
    const long caret = editor_.SendScintilla(S::SCI_GETCURRENTPOS);
    const long line = editor_.SendScintilla(S::SCI_LINEFROMPOSITION, caret);
    return std::string(editor_.view(editor_.SendScintilla(S::SCI_POSITIONFROMLINE, line), caret));
}

QRect CodeAssist::rectangle_at(long position) const {
    const auto x = static_cast<int>(editor_.SendScintilla(S::SCI_POINTXFROMPOSITION, 0UL, position));
    const auto y = static_cast<int>(editor_.SendScintilla(S::SCI_POINTYFROMPOSITION, 0UL, position));
    const long line = editor_.SendScintilla(S::SCI_LINEFROMPOSITION, position);
    return {editor_.viewport()->mapToGlobal(QPoint(x, y)), QSize(2, editor_.textHeight(static_cast<int>(line)))};
}

const std::vector<std::string>& CodeAssist::document_words() {
    if (!document_words_known_) {
        document_words_ = identifiers_of(editor_.view(0, editor_.SendScintilla(S::SCI_GETLENGTH)));
        document_words_known_ = true;
    }
    return document_words_;
}

std::vector<CompletionItem> CodeAssist::items_for(Place place, const Word& typed) {
    // After "." and "->" only members make sense: those of the text, and what clangd says.
    const auto before = editor_.view(std::max(0L, typed.begin - 2), typed.begin);
    const bool member = before.ends_with('.') || before.ends_with("->");
    std::vector<CompletionItem> items;
    if (!member) items = task_words_;
    for (const Builtin& builtin : builtins())
        if (!member && (builtin.kind == Builtin::Kind::directive) == (place == Place::directive))
            items.push_back(item_of(builtin));
    for (const auto& word : document_words())
        if (word != typed.text) items.push_back({word, "word", {}, {}, CompletionItem::Source::document});
    return items;
}

bool CodeAssist::ask_clangd_possible() const { return clangd_ && clangd_->running(); }

void CodeAssist::send_text() {
    if (clangd_has_text_) return;
    clangd_->set_text(editor_.utf8());
    clangd_has_text_ = true;
}

void CodeAssist::open(bool asked) {
    if (editor_.isReadOnly() || editor_.SendScintilla(S::SCI_GETSELECTIONS) > 1) return;
    const Word word = word_before_caret();
    const Place place = place_at_end(line_before_caret());
    if (!asked && place != Place::code && place != Place::directive) return;
    word_begin_ = word.begin;
    popup_->open(items_for(place, word), word.text, rectangle_at(word.begin));
    const auto* only = popup_->model()->rowCount() == 1 ? popup_->current() : nullptr;
    if (!asked && only && only->name == word.text) popup_->hide();
    if (place != Place::code || !ask_clangd_possible()) return;
    send_text();
    const auto question = ++list_asked_;
    clangd_->complete(editor_.text_position(editor_.SendScintilla(S::SCI_GETCURRENTPOS)),
                      [self = QPointer(this), question](const std::vector<CompletionItem>& items) {
                          if (self && question == self->list_asked_) self->popup_->add(items);
                      });
}

void CodeAssist::accept() {
    const auto* item = popup_->current();
    if (!item) return;
    const QByteArray name = QByteArray::fromStdString(item->name);
    const long caret = editor_.SendScintilla(S::SCI_GETCURRENTPOS);
    close_popup();
    editor_.beginUndoAction();
    editor_.SendScintilla(S::SCI_SETTARGETRANGE, static_cast<unsigned long>(word_begin_), caret);
    editor_.SendScintilla(S::SCI_REPLACETARGET, static_cast<unsigned long>(name.size()), name.constData());
    editor_.SendScintilla(S::SCI_GOTOPOS, static_cast<unsigned long>(word_begin_ + name.size()));
    editor_.endUndoAction();
}

bool CodeAssist::before_key(const QKeyEvent& event) {
    if (event.key() == Qt::Key_Escape && (popup_->isVisible() || tip_->isVisible())) {
        if (popup_->isVisible())
            close_popup();
        else
            close_tip();
        return true;
    }
    if (!popup_->isVisible() || (event.modifiers() & ~Qt::KeypadModifier) != Qt::NoModifier) return false;
    switch (event.key()) {
    case Qt::Key_Down: popup_->move_by(1); return true;
    case Qt::Key_Up: popup_->move_by(-1); return true;
    case Qt::Key_PageDown: popup_->move_by(8); return true;
    case Qt::Key_PageUp: popup_->move_by(-8); return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Tab: {
        const auto* item = popup_->current();
        if (item && item->name == word_before_caret().text) { // nothing to complete: the key means itself
            popup_->hide();
            return false;
        }
        accept();
        return true;
    }
    default: return false;
    }
}

void CodeAssist::after_key(const QKeyEvent& event) {
    const QString text = event.text();
    const bool typed =
        !text.isEmpty() && text[0].isPrint() && !(event.modifiers() & (Qt::ControlModifier | Qt::AltModifier));
    const char last = typed ? text.back().toLatin1() : '\0';
    const Word word = word_before_caret();
    if (popup_->isVisible()) {
        if (word.text.empty() || word.begin != word_begin_)
            close_popup();
        else
            popup_->set_typed(word.text);
    } else if (typed && is_word(last) && word.text.size() >= kLettersToOffer) {
        const char next =
            static_cast<char>(editor_.SendScintilla(S::SCI_GETCHARAT, editor_.SendScintilla(S::SCI_GETCURRENTPOS)));
        if (!is_word(next)) open(false);
    }
    if (tip_->isVisible() || (typed && (last == '(' || last == ','))) update_call_tip();
}

void CodeAssist::update_call_tip() {
    const long caret = editor_.SendScintilla(S::SCI_GETCURRENTPOS);
    const long from = std::max(0L, caret - kCallContextBytes);
    const auto call = call_at_end(editor_.view(from, caret));
    if (!call) return close_tip();
    const QRect at = rectangle_at(from + static_cast<long>(call->name_begin));
    if (const auto* builtin = find_builtin(call->name)) {
        if (builtin->signatures.front().find('(') == std::string::npos) return close_tip();
        ++tip_asked_;
        tip_->show_for({builtin->signatures, builtin->about}, call->argument, at);
        return;
    }
    if (!ask_clangd_possible()) return close_tip();
    // What is shown stays until the answer is here: hiding it would make every letter flicker.
    send_text();
    const auto question = ++tip_asked_;
    clangd_->signature(editor_.text_position(caret),
                       [self = QPointer(this), question, at, argument = call->argument](const CallTipText& text) {
                           if (!self || question != self->tip_asked_) return;
                           if (text.signatures.empty())
                               self->tip_->hide();
                           else
                               self->tip_->show_for(text, argument, at);
                       });
}

std::optional<CompletionItem> CodeAssist::explain(long position) const {
    const long begin = editor_.SendScintilla(S::SCI_WORDSTARTPOSITION, static_cast<unsigned long>(position), 1L);
    const long end = editor_.SendScintilla(S::SCI_WORDENDPOSITION, static_cast<unsigned long>(position), 1L);
    const std::string word(editor_.view(begin, end));
    if (word.empty()) return std::nullopt;
    const auto known = std::ranges::find(task_words_, word, &CompletionItem::name);
    if (known != task_words_.end()) return *known;
    if (const auto* builtin = find_builtin(word)) return item_of(*builtin);
    return std::nullopt;
}

void CodeAssist::explain_later(long position, const QPoint& global) {
    if (!ask_clangd_possible()) return;
    send_text();
    clangd_->hover(editor_.text_position(position), [self = QPointer(this), global](const QString& text) {
        if (self && !text.isEmpty() && (QCursor::pos() - global).manhattanLength() < 8)
            QToolTip::showText(global, text, &self->editor_);
    });
}

} // namespace kw::editor
