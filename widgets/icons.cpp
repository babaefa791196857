#include "widgets/icons.h"

#include "widgets/theme.h"

#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QSvgRenderer>

namespace kw::widgets {
namespace {

/// Renders the SVG anew for each size asked for, so that no scaled bitmap is ever shown.
class LineIconEngine : public QIconEngine {
public:
    LineIconEngine(const QByteArray& svg, const QColor& color, const QColor& disabled)
        : svg_(svg), color_(color), disabled_(disabled) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
        QByteArray svg = svg_;
        svg.replace("currentColor", (mode == QIcon::Disabled ? disabled_ : color_).name().toLatin1());
        QSvgRenderer(svg).render(painter, rect);
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
        QPixmap pixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paint(&painter, QRect(QPoint(), size), mode, state);
        return pixmap;
    }

    [[nodiscard]] QIconEngine* clone() const override { return new LineIconEngine(svg_, color_, disabled_); }

private:
    QByteArray svg_;
    QColor color_, disabled_;
};

} // namespace

QIcon icon(const QString& name, const QColor& color, const QColor& disabled) {
    QFile file(QStringLiteral(":/kw/icons/") % name % QStringLiteral(".svg"));
    if (!file.open(QIODevice::ReadOnly)) return {};
    return QIcon(new LineIconEngine(file.readAll(), color, disabled));
}

QIcon icon(const QString& name) {
    const auto& tokens = Theme::instance().tokens();
    return icon(name, tokens.text1, tokens.text3);
}

} // namespace kw::widgets
