// What the view is made of.
#include "profiler_views/correctness/correctness_view.h"
#include "profiler_views/correctness/element_panel.h"
#include "profiler_views/correctness/error_bars.h"
#include "profiler_views/correctness/error_legend.h"
#include "profiler_views/correctness/map_canvas.h"
#include "profiler_views/correctness/tolerance_panel.h"
#include "widgets/empty_state.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QShortcut>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

namespace kw::profiler_views {

CorrectnessView::CorrectnessView(QWidget* parent)
    : QWidget(parent),
      model_(new CheckModel(this)),
      sorted_(new QSortFilterProxyModel(this)),
      pages_(new QStackedWidget),
      empty_(new widgets::EmptyState(tr("Nothing checked yet"),
                                     tr("Ctrl+R runs the kernel and compares each output with the reference's; here "
                                        "you then see where they differ."))),
      poster_(this) {
    setAccessibleName(tr("Correctness"));
    sorted_->setSourceModel(model_);
    sorted_->setSortRole(CheckModel::kSortRole);
    auto* splitter = new QSplitter(Qt::Horizontal);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(make_checks());
    splitter->addWidget(make_map());
    splitter->addWidget(make_side());
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({340, 600, 220});
    pages_->addWidget(empty_);
    pages_->addWidget(splitter);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(pages_);
    add_keys();
    show_nothing();
}

CorrectnessView::~CorrectnessView() = default;

QWidget* CorrectnessView::make_checks() {
    summary_ = new QLabel;
    summary_->setObjectName(QStringLiteral("summary"));
    summary_->setTextFormat(Qt::PlainText);
    summary_->setWordWrap(true);
    fault_line_ = new QPushButton;
    fault_line_->hide();
    connect(fault_line_, &QPushButton::clicked, this, [this] {
        if (fault_)
            Q_EMIT go_to_requested(QString::fromStdString(fault_->where.file), fault_->where.line,
                                   fault_->where.column);
    });
    table_ = new QTableView;
    table_->setAccessibleName(tr("Checks"));
    table_->setModel(sorted_);
    table_->setSortingEnabled(true);
    table_->sortByColumn(CheckModel::state, Qt::AscendingOrder);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setShowGrid(false);
    table_->setWordWrap(false);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setDefaultSectionSize(22);
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table_->horizontalHeader()->setHighlightSections(false);
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &CorrectnessView::current_changed);
    auto* panel = new QWidget;
    auto* layout = new QVBoxLayout(panel);
    layout->setContentsMargins(8, 8, 0, 0);
    layout->setSpacing(8);
    layout->addWidget(summary_);
    layout->addWidget(fault_line_, 0, Qt::AlignLeft);
    layout->addWidget(table_, 1);
    return panel;
}

QWidget* CorrectnessView::make_map() {
    map_ = new MapCanvas;
    connect(map_, &MapCanvas::element_selected, this, &CorrectnessView::element_selected);
    connect(map_, &MapCanvas::next_requested, this, &CorrectnessView::go_to_next);
    connect(map_, &MapCanvas::failed, this,
            [this](const Error& error) { show_notice(QString::fromStdString(error.message), can_rerun_); });
    pointed_ = new QLabel;
    pointed_->setObjectName(QStringLiteral("pointed"));
    pointed_->setTextFormat(Qt::PlainText);
    pointed_->setProperty("tone", QStringLiteral("quiet"));
    // Long texts must not widen the window.
    pointed_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    connect(map_, &MapCanvas::pointed, pointed_, &QLabel::setText);
    notice_ = new QLabel;
    notice_->setObjectName(QStringLiteral("notice"));
    notice_->setTextFormat(Qt::PlainText);
    notice_->setWordWrap(true);
    look_ = new QPushButton(tr("Look at the elements"));
    look_->setToolTip(tr("Runs this check again with the same inputs and keeps its outputs"));
    connect(look_, &QPushButton::clicked, this, &CorrectnessView::rerun);
    progress_ = new QProgressBar;
    progress_->setRange(0, 0);
    progress_->setTextVisible(false);
    progress_->setAccessibleName(tr("Running the check again"));
    progress_->hide();
    const auto button = [this](const QString& text, const QString& tip, auto action) {
        auto* result = new QPushButton(text);
        result->setToolTip(tip);
        connect(result, &QPushButton::clicked, this, action);
        return result;
    };
    auto* tools = new QHBoxLayout;
    tools->setSpacing(4);
    tools->addWidget(new ErrorLegend, 1);
    tools->addWidget(button(tr("Next wrong"), tr("To the next element that fails (N; Shift+N: the one before)"),
                            [this] { go_to_next(true); }));
    tools->addWidget(button(tr("Fit"), tr("Show the whole output (F)"), [this] { map_->fit(); }));
    tools->addWidget(button(tr("Export…"), tr("Save the map as a picture"), [this] { choose_picture(); }));
    auto* notices = new QHBoxLayout;
    notices->addWidget(notice_, 1);
    notices->addWidget(look_);
    auto* panel = new QWidget;
    auto* layout = new QVBoxLayout(panel);
    layout->setContentsMargins(8, 8, 8, 4);
    layout->setSpacing(4);
    layout->addLayout(tools);
    layout->addLayout(notices);
    layout->addWidget(progress_);
    layout->addWidget(map_, 1);
    layout->addWidget(pointed_);
    return panel;
}

QWidget* CorrectnessView::make_side() {
    element_ = new ElementPanel;
    connect(element_, &ElementPanel::go_to_requested, this, &CorrectnessView::go_to_requested);
    connect(element_, &ElementPanel::writers_requested, this, &CorrectnessView::find_writers);
    ulp_bars_ = new ErrorBars(tr("Elements by ULP"));
    relative_bars_ = new ErrorBars(tr("Elements by relative error"));
    tolerance_ = new TolerancePanel;
    connect(tolerance_, &TolerancePanel::changed, this, &CorrectnessView::tolerance_changed);
    auto* panel = new QWidget;
    panel->setObjectName(QStringLiteral("panel"));
    auto* layout = new QVBoxLayout(panel);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->setSpacing(12);
    layout->addWidget(element_);
    layout->addWidget(tolerance_);
    layout->addWidget(ulp_bars_);
    layout->addWidget(relative_bars_);
    layout->addStretch();
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(panel);
    scroll->setMinimumWidth(230);
    return scroll;
}

void CorrectnessView::add_keys() {
    const auto key = [this](const QKeySequence& sequence, auto action) {
        auto* shortcut = new QShortcut(sequence, this);
        shortcut->setContext(Qt::WidgetWithChildrenShortcut);
        connect(shortcut, &QShortcut::activated, this, action);
    };
    key(QKeySequence::Copy, [this] { copy(); });
    key(Qt::Key_W, [this] { find_writers(); });
}

} // namespace kw::profiler_views
