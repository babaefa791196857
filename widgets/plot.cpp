#include "widgets/plot_canvas.h"

#include <QContextMenuEvent>
#include <QFileDialog>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QSaveFile>
#include <QSvgGenerator>
#include <QVBoxLayout>

#include <utility>

namespace kw::widgets {

Plot::Plot(const QString& accessible_name, QWidget* parent)
    : QWidget(parent), canvas_(std::make_unique<Canvas>(*this)) {
    setAccessibleName(accessible_name);
    setFocusPolicy(Qt::StrongFocus);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(1, 1, 1, 1);
    layout->addWidget(canvas_->plot);
    canvas_->plot->installEventFilter(this);
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        canvas_->rebuild();
        canvas_->plot->replot(QCustomPlot::rpQueuedReplot);
    });
    canvas_->rebuild();
}

Plot::~Plot() { canvas_->plot->removeEventFilter(this); }

QSize Plot::sizeHint() const { return {420, 280}; }
QSize Plot::minimumSizeHint() const { return {180, 120}; }

const PlotData& Plot::data() const { return canvas_->data; }

void Plot::set_data(PlotData data) {
    const auto same = [](const PlotAxis& a, const PlotAxis& b) {
        return a.label == b.label && a.unit == b.unit && a.logarithmic == b.logarithmic;
    };
    const bool keep = canvas_->touched && same(canvas_->data.x, data.x) && same(canvas_->data.y, data.y);
    canvas_->pointed.reset();
    canvas_->bubble->hide();
    canvas_->data = std::move(data);
    canvas_->rebuild();
    if (keep)
        canvas_->plot->replot(QCustomPlot::rpQueuedReplot);
    else
        fit();
    canvas_->announce();
}

void Plot::fit() { canvas_->fit(); }

Plot::View Plot::view() const {
    const auto x = canvas_->plot->xAxis->range(), y = canvas_->plot->yAxis->range();
    return {x.lower, x.upper, y.lower, y.upper};
}

void Plot::set_view(const View& view) {
    canvas_->touched = true;
    canvas_->set_ranges({view.x_low, view.x_high}, {view.y_low, view.y_high});
}

void Plot::point_at(std::optional<PlotPick> pick) { canvas_->point(pick); }
std::optional<PlotPick> Plot::pointed() const { return canvas_->pointed; }
QString Plot::readout() const { return canvas_->pointed ? canvas_->text_of(*canvas_->pointed) : QString(); }

std::optional<QPointF> Plot::place_of(PlotPick pick) const {
    const PlotPoint& p = canvas_->point_of(pick);
    if (!canvas_->shown(p)) return {};
    const QPointF at = canvas_->pixel_of(p.x, p.y);
    if (!QRectF(canvas_->plot->axisRect()->rect()).contains(at)) return {};
    return at + QPointF(canvas_->plot->pos());
}

void Plot::keyPressEvent(QKeyEvent* event) {
    constexpr double kStep = 0.12, kZoom = 0.8;
    switch (event->key()) {
    case Qt::Key_Left: return canvas_->pan(-kStep, 0);
    case Qt::Key_Right: return canvas_->pan(kStep, 0);
    case Qt::Key_Up: return canvas_->pan(0, kStep);
    case Qt::Key_Down: return canvas_->pan(0, -kStep);
    case Qt::Key_Plus:
    case Qt::Key_Equal: return canvas_->zoom(kZoom);
    case Qt::Key_Minus: return canvas_->zoom(1 / kZoom);
    case Qt::Key_F:
    case Qt::Key_Home: return fit();
    case Qt::Key_N: return canvas_->point(canvas_->next(event->modifiers() & Qt::ShiftModifier ? -1 : 1));
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (canvas_->pointed) Q_EMIT clicked(*canvas_->pointed);
        return;
    case Qt::Key_Escape:
        if (!canvas_->pointed) break;
        return canvas_->point({});
    default: break;
    }
    QWidget::keyPressEvent(event);
}

void Plot::contextMenuEvent(QContextMenuEvent* event) {
    QMenu menu(this);
    menu.addAction(tr("Show everything"), QKeySequence(Qt::Key_F), this, &Plot::fit);
    menu.addAction(tr("Export picture…"), this, &Plot::ask_export);
    menu.exec(event->globalPos());
}

void Plot::ask_export() {
    const QString file = QFileDialog::getSaveFileName(this, tr("Export the plot"), QStringLiteral("plot.svg"),
                                                      tr("Pictures (*.svg *.png *.pdf)"));
    if (file.isEmpty()) return;
    const QString problem = export_picture(file);
    if (problem.isEmpty()) return;
    canvas_->bubble->setText(problem);
    canvas_->bubble->adjustSize();
    canvas_->bubble->move(12, 12);
    canvas_->bubble->show();
    canvas_->bubble->raise();
}

QString Plot::export_picture(const QString& path) {
    const QSize size = canvas_->plot->size();
    const QString suffix = QFileInfo(path).suffix().toLower();
    const auto refused = [&](const QString& why) { return tr("Cannot write %1: %2.").arg(path, why); };
    if (suffix == QLatin1String("svg")) {
        QSaveFile out(path);
        if (!out.open(QIODevice::WriteOnly)) return refused(out.errorString());
        QSvgGenerator svg;
        svg.setOutputDevice(&out);
        svg.setSize(size);
        svg.setViewBox(QRect(QPoint(), size));
        svg.setTitle(accessibleName());
        {
            QCPPainter painter(&svg);
            painter.setMode(QCPPainter::pmVectorized);
            painter.setMode(QCPPainter::pmNoCaching);
            painter.fillRect(QRect(QPoint(), size), Theme::instance().tokens().surface1);
            canvas_->plot->toPainter(&painter, size.width(), size.height());
        }
        return out.commit() ? QString() : refused(out.errorString());
    }
    const auto folder = QFileInfo(path).absolutePath();
    if (!QFileInfo(folder).isDir()) return refused(tr("the folder %1 does not exist").arg(folder));
    bool done = false;
    if (suffix == QLatin1String("png"))
        done = canvas_->plot->savePng(path, size.width(), size.height(), devicePixelRatioF());
    else if (suffix == QLatin1String("pdf"))
        done = canvas_->plot->savePdf(path, size.width(), size.height(), QCP::epAllowCosmetic, QString(),
                                      accessibleName());
    else
        return refused(tr("pictures are .png, .svg or .pdf"));
    return done ? QString() : refused(tr("the file cannot be written"));
}

void Plot::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    canvas_->plot->replot(QCustomPlot::rpQueuedReplot);
}

void Plot::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), Theme::instance().tokens().surface1);
    if (!hasFocus()) return;
    painter.setPen(Theme::instance().tokens().accent);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void Plot::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    update();
}

void Plot::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

bool Plot::eventFilter(QObject* watched, QEvent* event) {
    if (watched == canvas_->plot && event->type() == QEvent::Leave) canvas_->point({});
    return QWidget::eventFilter(watched, event);
}

} // namespace kw::widgets
