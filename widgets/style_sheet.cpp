#include "widgets/style_sheet.h"

#include <QHash>
#include <QRegularExpression>

#include <cmath>
#include <utility>

namespace kw::widgets {
namespace {

// $name stands for a token. Dynamic properties used: role = "primary" on buttons; tone = good | bad | warn | info |
// quiet on labels.
constexpr const char* kSheet = R"(
* { outline: none; }
QToolTip { background: $surface3; color: $text1; border: 1px solid $line; padding: 4px 6px; }
QMainWindow, QDialog { background: $surface0; }
QMainWindow::separator { background: $line; width: 1px; height: 1px; }
QDockWidget { color: $text2; font-weight: 600; }
QDockWidget::title { background: $surface1; border-top: 1px solid $line; border-bottom: 1px solid $line; padding: 6px 12px; }
QSplitter::handle { background: $line; }
QSplitter::handle:hover { background: $accent; }
QToolBar { background: $surface0; border: none; border-bottom: 1px solid $line; spacing: 8px; padding: 6px 12px; }
QToolBar::separator { background: $line; width: 1px; margin: 6px 4px; }
QStatusBar { background: $surface0; border-top: 1px solid $line; color: $text2; }
QStatusBar::item { border: none; }
QPushButton, QToolButton { background: transparent; color: $text1; border: 1px solid transparent; border-radius: 5px; padding: 0 10px; min-height: 26px; }
QToolButton { padding: 0 8px; }
QToolButton[size="small"] { padding: 0 4px; min-height: 22px; }
QToolButton[popupMode="2"] { padding-right: 22px; }
QToolButton::menu-indicator { image: url(:/kw/icons/down.svg); width: 16px; height: 16px; subcontrol-origin: padding; subcontrol-position: center right; right: 4px; }
QPushButton:hover, QToolButton:hover { background: $surface3; }
QPushButton:pressed, QToolButton:pressed { background: $surface2; }
QPushButton:focus, QToolButton:focus { border-color: $accent; }
QPushButton:disabled, QToolButton:disabled { color: $text3; }
QToolButton:checked { background: $surface3; }
QPushButton[role="primary"] { background: $accent; color: $on_accent; font-weight: 600; }
QPushButton[role="primary"]:hover { border-color: $text1; }
QPushButton[role="primary"]:disabled { background: $surface2; color: $text3; }
QComboBox { background: $surface2; color: $text1; border: 1px solid $line; border-radius: 5px; padding: 0 8px; min-height: 26px; }
QComboBox:hover { background: $surface3; }
QComboBox:focus { border-color: $accent; }
QComboBox::drop-down { border: none; width: 20px; }
QComboBox::down-arrow { image: url(:/kw/icons/down.svg); width: 16px; height: 16px; }
QLineEdit { background: $surface2; color: $text1; border: 1px solid $line; border-radius: 5px; padding: 0 8px; min-height: 26px; selection-background-color: $selection; selection-color: $text1; }
QLineEdit:focus { border-color: $accent; }
QAbstractScrollArea::corner { background: transparent; border: none; }
QComboBox QAbstractItemView { background: $surface2; color: $text1; border: 1px solid $line; selection-background-color: $selection; padding: 4px; }
QHeaderView { background: $surface1; }
QHeaderView::section { background: $surface1; color: $text2; border: none; border-bottom: 1px solid $line; padding: 4px 8px; font-weight: 500; }
QHeaderView::down-arrow, QHeaderView::up-arrow { subcontrol-origin: padding; subcontrol-position: center left; width: 8px; height: 8px; }
QTableView, QTreeView, QListView { background: $surface1; color: $text1; border: none; gridline-color: $line; selection-background-color: $selection; selection-color: $text1; }
QTableView::item, QTreeView::item, QListView::item { border: none; padding: 2px 8px; }
QTreeView::item { min-height: 22px; }
QTreeView::item:hover, QListView::item:hover, QTableView::item:hover { background: $surface2; }
QTreeView::item:selected, QListView::item:selected, QTableView::item:selected { background: $selection; color: $text1; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: $surface3; border-radius: 4px; margin: 1px; min-height: 24px; min-width: 24px; }
QScrollBar::handle:hover { background: $text3; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QMenuBar { background: $surface0; color: $text2; border-bottom: 1px solid $line; padding: 0 6px; }
QMenuBar::item { background: transparent; padding: 5px 9px; border-radius: 4px; }
QMenuBar::item:selected { background: $surface3; color: $text1; }
QMenu { background: $surface2; color: $text1; border: 1px solid $line; padding: 4px; }
QMenu::item { padding: 5px 24px 5px 12px; border-radius: 4px; }
QMenu::item:selected { background: $selection; }
QMenu::separator { height: 1px; background: $line; margin: 4px; }
QTabBar { background: $surface1; border: none; qproperty-drawBase: 0; }
QTabBar::tab { background: $surface1; color: $text2; border: none; border-bottom: 2px solid transparent; padding: 6px 12px; }
QTabBar::tab:hover { color: $text1; background: $surface2; }
QTabBar::tab:selected { color: $text1; border-bottom-color: $accent; }
QTabBar::tab:focus { color: $accent; }
QTabBar::close-button { image: url(:/kw/icons/close.svg); subcontrol-position: right; }
QTabWidget::pane { border: none; }
QCheckBox, QRadioButton { color: $text1; spacing: 8px; }
QCheckBox::indicator, QRadioButton::indicator { width: 14px; height: 14px; border: 1px solid $text3; background: $surface2; }
QCheckBox::indicator { border-radius: 3px; }
QRadioButton::indicator { border-radius: 8px; }
QCheckBox::indicator:checked, QRadioButton::indicator:checked { background: $accent; border-color: $accent; }
QCheckBox:focus, QRadioButton:focus { color: $accent; }
QSpinBox, QDoubleSpinBox { background: $surface2; color: $text1; border: 1px solid $line; border-radius: 5px; padding: 0 6px; min-height: 26px; }
QSpinBox:focus, QDoubleSpinBox:focus { border-color: $accent; }
QSpinBox::up-button, QDoubleSpinBox::up-button { subcontrol-origin: border; subcontrol-position: top right; width: 18px; border: none; background: transparent; }
QSpinBox::down-button, QDoubleSpinBox::down-button { subcontrol-origin: border; subcontrol-position: bottom right; width: 18px; border: none; background: transparent; }
QSpinBox::up-arrow, QDoubleSpinBox::up-arrow { image: url(:/kw/icons/up.svg); width: 12px; height: 12px; }
QSpinBox::down-arrow, QDoubleSpinBox::down-arrow { image: url(:/kw/icons/down.svg); width: 12px; height: 12px; }
QSlider::groove:horizontal { height: 4px; background: $surface3; border-radius: 2px; }
QSlider::sub-page:horizontal { background: $accent; border-radius: 2px; }
QSlider::handle:horizontal { background: $text1; width: 14px; height: 14px; margin: -5px 0; border-radius: 7px; }
QSlider::handle:horizontal:focus { background: $accent; }
QFrame#commandPalette { background: $surface2; border: 1px solid $line; border-radius: 8px; }
QFrame#commandPalette QListView { background: transparent; }
QFrame#commandPalette QLineEdit { background: $surface1; min-height: 32px; font-size: 14px; }
QPushButton#entry { background: $surface0; border: 1px solid $line; text-align: left; padding: 0; min-height: 46px; }
QPushButton#entry:hover { background: $surface2; }
QPushButton#entry:focus { border-color: $accent; }
QFrame#card { background: $surface1; border: 1px solid $line; border-radius: 8px; }
QFrame#card:hover, QFrame#card:focus { border-color: $accent; }
QFrame#notice { background: $surface2; border: none; border-bottom: 1px solid $line; }
QProgressBar { background: $surface3; border: none; border-radius: 2px; max-height: 4px; min-height: 4px; }
QProgressBar::chunk { background: $accent; border-radius: 2px; }
QLabel[tone="good"] { color: $good; }
QLabel[tone="bad"] { color: $bad; }
QLabel[tone="warn"] { color: $warn; }
QLabel[tone="info"] { color: $info; }
QLabel[tone="quiet"] { color: $text2; }
QLabel[kind="title"] { font-size: 18px; font-weight: 600; }
QLabel[kind="figure"] { font-size: 24px; font-weight: 600; }
QLabel[kind="section"] { color: $text2; font-weight: 600; }
QLabel[kind="badge"] { border: 1px solid $line; border-radius: 4px; padding: 1px 6px; color: $text2; font-size: 11px; font-weight: 500; }
QWidget#panel { background: $surface1; }
QWidget#paneHeader { background: $surface1; border-bottom: 1px solid $line; }
QFrame#hairline { background: $line; max-height: 1px; min-height: 1px; border: none; }
)";

} // namespace

namespace {

/// The lengths that have to follow the text: not hairlines and the like, which are below ten pixels.
QString scaled(QString sheet, double scale) {
    static const QRegularExpression length(QStringLiteral("(font-size|min-height): (\\d{2,})px"));
    QString result;
    result.reserve(sheet.size());
    qsizetype end = 0;
    for (auto all = length.globalMatch(sheet); all.hasNext();) {
        const auto match = all.next();
        result += QStringView(sheet).mid(end, match.capturedStart() - end);
        result += QStringLiteral("%1: %2px").arg(match.captured(1)).arg(std::lround(match.captured(2).toInt() * scale));
        end = match.capturedEnd();
    }
    return result + QStringView(sheet).mid(end);
}

} // namespace

QString style_sheet(const Tokens& t, double text_scale) {
    const QHash<QString, QColor> colors{
        {QStringLiteral("surface0"), t.surface0},  {QStringLiteral("surface1"), t.surface1},
        {QStringLiteral("surface2"), t.surface2},  {QStringLiteral("surface3"), t.surface3},
        {QStringLiteral("line"), t.line},          {QStringLiteral("text1"), t.text1},
        {QStringLiteral("text2"), t.text2},        {QStringLiteral("text3"), t.text3},
        {QStringLiteral("accent"), t.accent},      {QStringLiteral("on_accent"), t.on_accent},
        {QStringLiteral("good"), t.good},          {QStringLiteral("bad"), t.bad},
        {QStringLiteral("warn"), t.warn},          {QStringLiteral("info"), t.info},
        {QStringLiteral("selection"), t.selection}};
    const QString source = QString::fromLatin1(kSheet);
    QString sheet;
    sheet.reserve(source.size() + 1024);
    for (qsizetype i = 0; i < source.size();) {
        if (source[i] != QLatin1Char('$')) {
            sheet += source[i++];
            continue;
        }
        qsizetype end = i + 1;
        while (end < source.size() && (source[end].isLetterOrNumber() || source[end] == QLatin1Char('_'))) ++end;
        const auto color = colors.constFind(source.mid(i + 1, end - i - 1));
        Q_ASSERT(color != colors.constEnd());
        sheet += color->name();
        i = end;
    }
    return text_scale == 1 ? sheet : scaled(std::move(sheet), text_scale);
}

} // namespace kw::widgets
