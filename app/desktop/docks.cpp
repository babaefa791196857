#include "app/desktop/docks.h"

#include "app/desktop/settings.h"
#include "widgets/icons.h"
#include "widgets/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMainWindow>
#include <QTimer>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace kw::desktop {
namespace {

Qt::DockWidgetArea area_of(Docks::Place place) {
    switch (place) {
    case Docks::Place::left: return Qt::LeftDockWidgetArea;
    case Docks::Place::beside:
    case Docks::Place::right: return Qt::RightDockWidgetArea;
    case Docks::Place::bottom: break;
    }
    return Qt::BottomDockWidgetArea;
}

QToolButton* title_button(const QString& icon, const QString& what) {
    auto* button = new QToolButton;
    button->setToolTip(what);
    button->setAccessibleName(what);
    button->setProperty("size", QStringLiteral("small"));
    const auto draw = [button, icon] { button->setIcon(widgets::icon(icon)); };
    QObject::connect(&widgets::Theme::instance(), &widgets::Theme::changed, button, draw);
    draw();
    return button;
}

/// A pane's own title: what it is, and how to be rid of it.
QWidget* make_title(QDockWidget& pane) {
    auto* bar = new QWidget;
    bar->setObjectName(QStringLiteral("paneHeader"));
    bar->setAttribute(Qt::WA_StyledBackground);
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(12, 2, 4, 2);
    row->setSpacing(0);
    auto* label = new QLabel(pane.windowTitle());
    label->setProperty("kind", QStringLiteral("section"));
    QObject::connect(&pane, &QWidget::windowTitleChanged, label, &QLabel::setText);
    row->addWidget(label);
    row->addStretch();
    auto* close = title_button(QStringLiteral("close"), Docks::tr("Close %1").arg(pane.windowTitle()));
    QObject::connect(close, &QToolButton::clicked, &pane, &QWidget::hide);
    row->addWidget(close);
    return bar;
}

} // namespace

Pane::Pane(const QString& id, const QString& title, Make make, QWidget* parent)
    : QDockWidget(title, parent), make_(std::move(make)) {
    setObjectName(id);
    setAccessibleName(title);
    title_ = make_title(*this);
    no_title_ = new QWidget(this);
    (new QHBoxLayout(no_title_))->setContentsMargins(0, 0, 0, 0); // a size of its own: none
    no_title_->hide();
    setTitleBarWidget(title_);
    setFeatures(DockWidgetClosable | DockWidgetMovable | DockWidgetFloatable);
    connect(this, &QDockWidget::visibilityChanged, this, [this](bool visible) {
        in_front_ = visible;
        if (!visible) return;
        ensure();
        Q_EMIT came_to_front();
    });
}

void Pane::show_title(bool shown) {
    auto* wanted = shown ? title_ : no_title_;
    if (titleBarWidget() == wanted) return;
    titleBarWidget()->hide();
    setTitleBarWidget(wanted);
    wanted->show();
}

void Pane::ensure() {
    if (!widget()) setWidget(make_());
}

void Pane::reveal() {
    ensure();
    show();
    raise();
    if (auto* content = widget()) content->setFocus(Qt::ShortcutFocusReason);
}

Docks::Docks(QMainWindow& window, Settings& settings) : QObject(&window), window_(window), settings_(settings) {
    window_.setDockOptions(QMainWindow::AllowNestedDocks | QMainWindow::AllowTabbedDocks
                           | QMainWindow::GroupedDragging);
    window_.setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    window_.setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
    window_.setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
}

Pane* Docks::add(const QString& id, const QString& title, Place place, Pane::Make make) {
    auto* added = new Pane(id, title, std::move(make), &window_);
    added->hide();
    connect(added, &QDockWidget::visibilityChanged, this, &Docks::update_titles);
    connect(added, &QDockWidget::dockLocationChanged, this, &Docks::update_titles);
    connect(added, &QDockWidget::topLevelChanged, this, &Docks::update_titles);
    placed_.push_back({added, place});
    panes_.push_back(added);
    return added;
}

const std::vector<Docks::Layout>& Docks::layouts() {
    static const std::vector<Layout> all{{QStringLiteral("edit"), tr("Edit"), QStringLiteral("layout_edit")},
                                         {QStringLiteral("profile"), tr("Profile"), QStringLiteral("layout_profile")},
                                         {QStringLiteral("review"), tr("Review"), QStringLiteral("layout_review")}};
    return all;
}

Pane* Docks::pane(const QString& id) const {
    const auto found = std::ranges::find_if(panes_, [&](const Pane* each) { return each->objectName() == id; });
    return found == panes_.end() ? nullptr : *found;
}

bool Docks::reveal(const QString& id) {
    auto* wanted = pane(id);
    if (wanted) wanted->reveal();
    return wanted != nullptr;
}

void Docks::apply(const QString& layout) {
    const auto known = std::ranges::find(layouts(), layout, &Layout::name);
    const QString name = known == layouts().end() ? layouts().back().name : layout;
    if (!current_.isEmpty()) remember();
    current_ = name;
    settings_.set_layout(name);
    const auto kept = settings_.docks(name);
    if (kept.isEmpty() || !window_.restoreState(kept)) arrange(name);
    Q_EMIT applied(name);
}

void Docks::show_only(const QString& id) {
    for (const auto& [each, place] : placed_) {
        each->setVisible(false);
        if (each->objectName() != id) continue;
        window_.addDockWidget(area_of(place), each);
        each->reveal();
    }
}

void Docks::reset() {
    settings_.set_docks(current_, {});
    arrange(current_);
    Q_EMIT applied(current_);
}

void Docks::remember() {
    if (!current_.isEmpty()) settings_.set_docks(current_, window_.saveState());
}

void Docks::arrange(const QString& layout) {
    Pane* beside = nullptr;
    for (const auto place : {Place::left, Place::beside, Place::right, Place::bottom}) {
        Pane* first = nullptr;
        for (const auto& [each, where] : placed_) {
            if (where != place) continue;
            each->setFloating(false);
            window_.addDockWidget(area_of(place), each);
            if (first) window_.tabifyDockWidget(first, each);
            if (!first && place == Place::right && beside) window_.splitDockWidget(beside, each, Qt::Horizontal);
            if (!first) first = each;
            each->show();
        }
        if (place == Place::beside) beside = first;
    }
    const bool profiling = layout == QStringLiteral("profile");
    pane(QStringLiteral("steps"))->setVisible(layout != QStringLiteral("edit"));
    if (beside) beside->setVisible(layout == QStringLiteral("review"));
    for (const auto& id : profiling ? QStringList{QStringLiteral("code"), QStringLiteral("metrics")}
                                    : QStringList{QStringLiteral("verdict"), QStringLiteral("problems")})
        if (auto* wanted = pane(id)) wanted->raise();
    // Docks take sizes only once they have been laid out.
    QTimer::singleShot(0, this, &Docks::set_sizes);
}

void Docks::set_sizes() {
    const bool profiling = current_ == QStringLiteral("profile");
    const int height = window_.height(), width = window_.width();
    window_.resizeDocks({pane(QStringLiteral("problems"))},
                        {profiling ? height * 11 / 20 : std::max(240, height * 3 / 10)}, Qt::Vertical);
    window_.resizeDocks(
        {pane(QStringLiteral("steps")), pane(QStringLiteral("verdict"))},
        {std::clamp(width * 22 / 100, 300, 340), profiling ? width * 2 / 5 : std::min(400, width * 3 / 10)},
        Qt::Horizontal);
    // My text and what is beside it share what is left.
    if (auto* beside = pane(QStringLiteral("suggestion")); beside && beside->isVisible() && window_.centralWidget()) {
        const int both = window_.centralWidget()->width() + beside->width();
        window_.resizeDocks({beside}, {both / 2}, Qt::Horizontal);
    }
}

void Docks::update_titles() {
    for (auto* each : panes_) {
        // What is beside the source has to begin where that does.
        const auto placed = std::ranges::find(placed_, each, &Placed::pane);
        const bool beside = placed != placed_.end() && placed->place == Place::beside;
        each->show_title(each->isFloating() || (window_.tabifiedDockWidgets(each).isEmpty() && !beside));
    }
}

} // namespace kw::desktop
