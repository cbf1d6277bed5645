#pragma once

#include "views/rooms.h"

#include <QWidget>

namespace stagecraft::views::common {

/// By how much a notch of the wheel or a key zooms.
inline constexpr double zoomStep = 1.25;

/// How what a canvas shows can be moved.
enum class CanvasMotion {
    none,   ///< not at all: all of it is shown
    along,  ///< along an axis: W and S zoom, Shift and the wheel pans
    plane   ///< everywhere: W and S pan up and down
};

/// A widget that paints itself and is worked with pointer and keys; what all of these have in common. What
/// can be moved zooms at the pointer with the wheel, with + and -, is panned by dragging and with W, A, S and
/// D, and F or Home fits it. Arrows, Enter and Escape are offered to the subclass.
class Canvas : public QWidget {
public:
    /// Shows all there is.
    virtual void fit() {}

protected:
    /// @param name what screen readers call it
    Canvas(const QString& name, CanvasMotion motion, QWidget* parent);

    /// Another theme or font: what was drawn in advance no longer holds.
    virtual void lookChanged() { update(); }

    /// The pointer is there, and nothing is dragged.
    virtual void hoverAt(QPointF at, QPoint onScreen);
    virtual void hoverEnded() {}
    /// The left button: where nothing can be dragged at the press, else at a release without a drag.
    virtual void click(QPointF at, Qt::KeyboardModifiers modifiers);

    virtual void panBy(QPointF pixels);
    virtual void zoomAt(QPointF at, double factor);
    /// How far a key pans, in pixels.
    virtual QPointF keyPan() const { return {width() / 8.0, height() / 8.0}; }
    /// The point at which keys zoom.
    virtual QPointF middle() const { return QRectF(rect()).center(); }
    bool isPanning() const { return panning_; }

    /// An arrow key, to the right (x) and down (y). @return false: it means nothing here
    virtual bool step(QPoint by);
    /// Enter. @return false: there is nothing to pick
    virtual bool pick(Qt::KeyboardModifiers modifiers);
    /// Escape. @return false: there is nothing to let go of
    virtual bool letGo() { return false; }

    /// Shows the text as a tooltip and hands it to screen readers; empty: hides it.
    void showTip(const QString& text, QPoint onScreen);
    /// Where a tooltip is beside the pointer and not under it.
    static QPoint besidePointer(QPoint onScreen) { return onScreen + QPoint(14, 14); }

    void changeEvent(QEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    bool takeKey(int key, Qt::KeyboardModifiers modifiers);
    bool takeMotionKey(int key);

    CanvasMotion motion_;
    QPointF pressedAt_, draggedTo_;
    bool panning_ = false;
};

}  // namespace stagecraft::views::common
