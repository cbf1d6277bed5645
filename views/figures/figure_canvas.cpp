#include "views/figures/figure_canvas.h"

#include "views/common/theme.h"
#include "views/figures/painter_writer.h"

namespace stagecraft::views::figures {

FigureCanvas::FigureCanvas(const QString& name, CanvasMotion motion, QPointF margin, QWidget* parent)
    : Canvas(name, motion, parent), margin_(margin) {}

void FigureCanvas::paintWhole(QPainter& painter, const Figure& figure) const {
    painter.fillRect(rect(), Theme::current().surface);
    painter.save();
    painter.translate(margin_);
    paintFigure(painter, figure, pixelsPerMm);
    painter.restore();
}

QSizeF FigureCanvas::room(QSizeF least) const {
    return (QSizeF(width() - 2 * margin_.x(), height() - 2 * margin_.y()) / pixelsPerMm).expandedTo(least);
}

void FigureCanvas::resizeEvent(QResizeEvent*) { redraw(); }

// What was reached with a key is told no longer.
void FigureCanvas::focusOutEvent(QFocusEvent*) { hoverEnded(); }

}  // namespace stagecraft::views::figures
