#pragma once

#include "views/figures/figure_canvas.h"
#include "views/vpipe/hover_drawing.h"

#include <algorithm>
#include <functional>
#include <optional>

namespace stagecraft::views::vpipe {

/// Shows a drawing at the widget's size. The pointer, or Left and Right, describes its spots. Where the
/// drawing needs more height than there is, the widget asks for it.
class DrawingCanvas : public FigureCanvas {
    Q_OBJECT
public:
    using Draw = std::function<HoverDrawing(const DrawingLook&)>;

    explicit DrawingCanvas(const QString& name, QWidget* parent = nullptr);

    /// Itself in an area that scrolls where the drawing needs more height than there is.
    QWidget* inScrollArea();
    /// Empty: nothing to show but `hint`.
    void setDraw(Draw draw, const QString& hint = {});
    void redraw() override;
    const HoverDrawing& drawing() const { return drawing_; }
    /// The look of the screen at the widget's size.
    DrawingLook look() const;

    int current() const { return current_; }     ///< the spot that is described; -1: none
    QRectF spotRect(int spot) const;             ///< in pixels
    double millimetresAt(double pixelsX) const;  ///< from the drawing's left edge
    QSize sizeHint() const override { return {720, 360}; }
    QSize minimumSizeHint() const override { return {320, std::max(120, neededHeight_)}; }

signals:
    void wheeled(double xMm, double steps);
    void dragged(double byMm);

protected:
    void paintEvent(QPaintEvent* event) override;
    void hoverAt(QPointF at, QPoint onScreen) override;
    void hoverEnded() override { setCurrent(-1); }
    bool step(QPoint by) override;
    bool letGo() override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    /// @param at where to describe it, on the screen; nothing: below it
    void setCurrent(int spot, std::optional<QPoint> at = {});
    int spotAt(const QPointF& position) const;

    Draw draw_;
    QString hint_;
    HoverDrawing drawing_;
    int current_ = -1;
    int neededHeight_ = 0;
    double grabbedX_ = -1;  ///< of a drag; negative: none
};

}  // namespace stagecraft::views::vpipe
