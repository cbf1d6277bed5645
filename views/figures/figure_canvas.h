#pragma once

#include "views/common/canvas.h"
#include "views/figures/figure.h"

#include <QPainter>

namespace stagecraft::views::figures {

/// A canvas that shows a figure, in millimetres, at the widget's size.
class FigureCanvas : public Canvas {
protected:
    static constexpr double pixelsPerMm = 96 / 25.4;
    static constexpr double fontPt = 9;

    /// @param margin around the figure, pixels
    FigureCanvas(const QString& name, CanvasMotion motion, QPointF margin, QWidget* parent);

    /// Makes the figure for another size, look or content.
    virtual void redraw() = 0;
    /// On the widget's ground, within its margins.
    void paintWhole(QPainter& painter, const Figure& figure) const;
    /// How large a figure is that fills the widget, but no less than `least`; millimetres.
    QSizeF room(QSizeF least) const;
    QPointF toPixels(QPointF mm) const { return mm * pixelsPerMm + margin_; }
    QRectF toPixels(const QRectF& mm) const { return {toPixels(mm.topLeft()), mm.size() * pixelsPerMm}; }
    QPointF toMm(QPointF pixels) const { return (pixels - margin_) / pixelsPerMm; }

    void lookChanged() override { redraw(); }
    void resizeEvent(QResizeEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    QPointF margin_;
};

}  // namespace stagecraft::views::figures
