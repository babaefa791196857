#include "editor/listing_pane.h"

#include "editor/heat_margin.h"
#include "editor/listing_lexer.h"
#include "widgets/theme.h"

#include <QButtonGroup>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <Qsci/qsciscintilla.h>

#include <algorithm>

namespace kw::editor {
namespace {

using S = QsciScintilla;
enum Margin { kSource = 0, kHeat = 1 };
enum Marker { kLinked = 8 };
enum Page { kState, kText };
constexpr int kMarginStyle = 60; // above the lexer's

} // namespace

ListingPane::ListingPane(QWidget* parent)
    : QWidget(parent),
      pages_(new QStackedWidget),
      text_(new QsciScintilla),
      lexer_(new ListingLexer(this)),
      heat_(nullptr),
      state_title_(new QLabel),
      state_hint_(new QLabel),
      busy_(new QLabel(tr("disassembling…"))),
      kernels_(new QComboBox),
      ptx_(new QToolButton),
      sass_(new QToolButton) {
    setAccessibleName(tr("PTX and SASS"));
    setFocusProxy(text_);
    text_->setAccessibleName(tr("PTX and SASS"));
    text_->setLexer(lexer_);
    text_->setUtf8(true);
    text_->setReadOnly(true);
    text_->setFrameShape(QFrame::NoFrame);
    text_->setScrollWidth(1);
    text_->setScrollWidthTracking(true);
    text_->setCaretLineVisible(true);
    text_->setTabWidth(8);
    text_->SendScintilla(S::SCI_SETEXTRAASCENT, 1);
    text_->SendScintilla(S::SCI_SETEXTRADESCENT, 1);
    for (int margin = 0; margin < 5; ++margin) text_->setMarginWidth(margin, 0);
    text_->setMarginType(kSource, S::TextMarginRightJustified);
    text_->setMarginMarkerMask(kSource, 0);
    text_->markerDefine(S::Background, kLinked);
    heat_ = new HeatMargin(*text_, kHeat);

    kernels_->setAccessibleName(tr("Kernel"));
    kernels_->setToolTip(tr("Kernel"));
    kernels_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    kernels_->setMinimumContentsLength(18);
    auto* kinds = new QButtonGroup(this);
    const std::pair<QToolButton*, QString> toggles[] = {{ptx_, tr("PTX")}, {sass_, tr("SASS")}};
    for (const auto& [button, name] : toggles) {
        button->setText(name);
        button->setCheckable(true);
        button->setAccessibleName(name);
        kinds->addButton(button);
    }
    ptx_->setToolTip(tr("The compiler's intermediate code"));
    sass_->setToolTip(tr("The GPU's machine code; needs nvdisasm"));
    ptx_->setChecked(true);
    busy_->setProperty("tone", QStringLiteral("quiet"));
    busy_->hide();
    auto* header = new QWidget;
    header->setObjectName(QStringLiteral("paneHeader"));
    header->setAttribute(Qt::WA_StyledBackground);
    auto* header_layout = new QHBoxLayout(header);
    header_layout->setContentsMargins(8, 4, 8, 4);
    header_layout->setSpacing(4);
    header_layout->addWidget(ptx_);
    header_layout->addWidget(sass_);
    header_layout->addWidget(kernels_, 1);
    header_layout->addWidget(busy_);

    auto* state = new QWidget;
    state->setObjectName(QStringLiteral("panel"));
    auto* state_layout = new QVBoxLayout(state);
    state_layout->setContentsMargins(16, 16, 16, 16);
    state_layout->setSpacing(4);
    state_title_->setProperty("kind", QStringLiteral("section"));
    state_hint_->setProperty("tone", QStringLiteral("quiet"));
    state_layout->addStretch();
    for (auto* label : {state_title_, state_hint_}) {
        label->setAlignment(Qt::AlignCenter);
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        state_layout->addWidget(label);
    }
    state_layout->addStretch();
    pages_->addWidget(state);
    pages_->addWidget(text_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(header);
    layout->addWidget(pages_, 1);

    connect(ptx_, &QToolButton::clicked, this, [this] { Q_EMIT kind_requested(Listing::Kind::ptx); });
    connect(sass_, &QToolButton::clicked, this, [this] { Q_EMIT kind_requested(Listing::Kind::sass); });
    connect(kernels_, &QComboBox::activated, this, [this](int index) {
        const int line = listing_.kernels[static_cast<std::size_t>(index)].first_line - 1;
        text_->SendScintilla(S::SCI_SETFIRSTVISIBLELINE, line);
        text_->setCursorPosition(line, 0);
    });
    connect(text_, &QsciScintilla::cursorPositionChanged, this, [this](int line) { caret_moved(line); });
    connect(&widgets::Theme::instance(), &widgets::Theme::changed, this, &ListingPane::apply_theme);
    apply_theme();
    show_nothing();
}

void ListingPane::apply_theme() {
    const auto& theme = widgets::Theme::instance();
    const auto& t = theme.tokens();
    lexer_->apply_theme();
    text_->setPaper(t.surface1);
    text_->setColor(t.text1);
    text_->setMarginsFont(theme.code_font());
    text_->setMarginsBackgroundColor(t.surface1);
    text_->setMarginsForegroundColor(t.text3);
    text_->setCaretForegroundColor(t.accent);
    text_->setCaretLineBackgroundColor(t.surface2);
    text_->setSelectionBackgroundColor(t.selection);
    text_->resetSelectionForegroundColor();
    text_->setMarkerBackgroundColor(t.selection, kLinked);
    text_->SendScintilla(S::SCI_STYLESETFORE, static_cast<unsigned long>(kMarginStyle), t.text3);
    text_->SendScintilla(S::SCI_STYLESETBACK, static_cast<unsigned long>(kMarginStyle), t.surface1);
    text_->SendScintilla(S::SCI_STYLESETFONT, static_cast<unsigned long>(kMarginStyle),
                         theme.code_font().family().toUtf8().constData());
    text_->SendScintilla(S::SCI_STYLESETSIZEFRACTIONAL, static_cast<unsigned long>(kMarginStyle),
                         static_cast<long>(theme.code_font().pointSizeF() * 85));
    const QString checked = QStringLiteral("QToolButton:checked { background: %1; color: %2; border-color: %3; }")
                                .arg(t.selection.name(), t.text1.name(), t.line.name());
    for (auto* button : {ptx_, sass_}) button->setStyleSheet(checked);
}

void ListingPane::set_kind(Listing::Kind kind) { (kind == Listing::Kind::sass ? sass_ : ptx_)->setChecked(true); }

void ListingPane::set_listing(Listing listing) {
    const bool same_kind = listing.kind == listing_.kind && pages_->currentIndex() == kText;
    const long first_visible = text_->SendScintilla(S::SCI_GETFIRSTVISIBLELINE);
    int caret_line = 0, caret_index = 0;
    text_->getCursorPosition(&caret_line, &caret_index);
    listing_ = std::move(listing);
    const auto lines = static_cast<std::size_t>(std::ranges::count(listing_.text, '\n')) + 1;
    listing_.source_line.resize(lines);
    listing_.offset.resize(lines, -1);
    set_kind(listing_.kind);
    lexer_->set_kind(listing_.kind);
    text_->setReadOnly(false);
    text_->SendScintilla(S::SCI_SETUNDOCOLLECTION, 0UL);
    text_->SendScintilla(S::SCI_CLEARALL);
    text_->SendScintilla(S::SCI_ADDTEXT, static_cast<unsigned long>(listing_.text.size()), listing_.text.data());
    text_->setReadOnly(true);
    // The source line at the head of each run of lines.
    int shown = 0, largest = 0;
    for (std::size_t i = 0; i < listing_.source_line.size(); ++i) {
        const int line = listing_.source_line[i];
        if (line == 0 || line == shown) continue;
        shown = line;
        largest = std::max(largest, line);
        text_->SendScintilla(S::SCI_MARGINSETTEXT, static_cast<unsigned long>(i), QByteArray::number(line).constData());
        text_->SendScintilla(S::SCI_MARGINSETSTYLE, static_cast<unsigned long>(i), static_cast<long>(kMarginStyle));
    }
    text_->setMarginWidth(kSource,
                          largest == 0 ? QString() : QString(QString::number(largest).size() + 2, QLatin1Char('0')));
    if (largest == 0) text_->setMarginWidth(kSource, 0);
    {
        const QSignalBlocker quiet(kernels_);
        kernels_->clear();
        for (const auto& kernel : listing_.kernels) kernels_->addItem(QString::fromStdString(kernel.name));
        kernels_->setEnabled(listing_.kernels.size() > 1);
    }
    quiet_line_ = same_kind ? std::min(caret_line, static_cast<int>(lines) - 1) : 0;
    text_->setCursorPosition(quiet_line_, 0);
    text_->SendScintilla(S::SCI_SETFIRSTVISIBLELINE, same_kind ? first_visible : 0);
    busy_->hide();
    pages_->setCurrentIndex(kText);
    update_heat();
    mark();
    if (!same_kind) highlight_source_line(highlighted_);
}

void ListingPane::show_state(const QString& title, const QString& hint) {
    state_title_->setText(title);
    state_hint_->setText(hint);
    state_hint_->setVisible(!hint.isEmpty());
    kernels_->clear();
    kernels_->setEnabled(false);
    listing_ = Listing{listing_.kind, {}, {}, {}, {}};
    pages_->setCurrentIndex(kState);
}

void ListingPane::show_nothing() {
    busy_->hide();
    show_state(tr("No code yet"), tr("What the compiler makes of the source appears here when it compiles."));
}

void ListingPane::show_working() {
    if (pages_->currentIndex() == kText)
        busy_->show();
    else
        show_state(tr("Disassembling…"), {});
}

void ListingPane::show_problem(const QString& problem, const QString& remedy) {
    busy_->hide();
    show_state(problem, remedy);
}

void ListingPane::caret_moved(int line) {
    if (const auto* kernel = listing_.kernel_at(line + 1)) {
        const QSignalBlocker quiet(kernels_);
        kernels_->setCurrentIndex(static_cast<int>(kernel - listing_.kernels.data()));
    }
    const bool own = line == quiet_line_;
    quiet_line_ = -1;
    if (own || line < 0 || static_cast<std::size_t>(line) >= listing_.source_line.size()) return;
    const int source = listing_.source_line[static_cast<std::size_t>(line)];
    if (source == 0 || source == highlighted_) return;
    highlighted_ = source;
    mark();
    Q_EMIT source_line_activated(source);
}

void ListingPane::mark() {
    text_->markerDeleteAll(kLinked);
    for (const int line : listing_.lines_of(highlighted_)) text_->markerAdd(line - 1, kLinked);
}

void ListingPane::highlight_source_line(int line) {
    highlighted_ = line;
    mark();
    const auto lines = listing_.lines_of(line);
    if (lines.empty()) return;
    const long first = text_->SendScintilla(S::SCI_GETFIRSTVISIBLELINE),
               height = text_->SendScintilla(S::SCI_LINESONSCREEN);
    const bool in_sight =
        std::ranges::any_of(lines, [&](int at) { return at - 1 >= first && at - 1 < first + height; });
    if (!in_sight) text_->SendScintilla(S::SCI_SETFIRSTVISIBLELINE, std::max(0L, lines.front() - 1 - height / 3));
    if (const auto* kernel = listing_.kernel_at(lines.front())) {
        const QSignalBlocker quiet(kernels_);
        kernels_->setCurrentIndex(static_cast<int>(kernel - listing_.kernels.data()));
    }
}

void ListingPane::set_heat(std::shared_ptr<const profile::Report> report, const std::string& metric) {
    report_ = std::move(report);
    metric_ = metric;
    update_heat();
}

void ListingPane::update_heat() { heat_->set(report_ ? instruction_heat(listing_, *report_, metric_) : std::nullopt); }

} // namespace kw::editor
