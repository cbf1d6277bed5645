#include "views/common/canvas.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>

#include <cmath>
#include <utility>

namespace stagecraft::views::common {

namespace {

constexpr double wheelNotch = 120;  // eighths of a degree
constexpr Qt::MouseButtons panningButtons = Qt::LeftButton | Qt::MiddleButton;

}  // namespace

Canvas::Canvas(const QString& name, CanvasMotion motion, QWidget* parent) : QWidget(parent), motion_(motion) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(name);
}

void Canvas::hoverAt(QPointF, QPoint) {}
void Canvas::click(QPointF, Qt::KeyboardModifiers) {}
void Canvas::panBy(QPointF) {}
void Canvas::zoomAt(QPointF, double) {}
bool Canvas::step(QPoint) { return false; }
bool Canvas::pick(Qt::KeyboardModifiers) { return false; }

void Canvas::showTip(const QString& text, QPoint onScreen) {
    setAccessibleDescription(text);
    if (text.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(onScreen, text, this);
}

void Canvas::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) lookChanged();
    QWidget::changeEvent(event);
}

void Canvas::leaveEvent(QEvent*) { hoverEnded(); }

void Canvas::mousePressEvent(QMouseEvent* event) {
    pressedAt_ = draggedTo_ = event->position();
    panning_ = motion_ != CanvasMotion::none && event->button() == Qt::MiddleButton;
    if (motion_ == CanvasMotion::none && event->button() == Qt::LeftButton)
        click(event->position(), event->modifiers());
}

void Canvas::mouseMoveEvent(QMouseEvent* event) {
    const QPointF at = event->position();
    if (motion_ == CanvasMotion::none || !(event->buttons() & panningButtons))
        return hoverAt(at, event->globalPosition().toPoint());
    if (!panning_ && (at - pressedAt_).manhattanLength() < QApplication::startDragDistance()) return;
    panning_ = true;
    panBy(at - draggedTo_);
    draggedTo_ = at;
}

void Canvas::mouseReleaseEvent(QMouseEvent* event) {
    if (std::exchange(panning_, false) || motion_ == CanvasMotion::none) return;
    if (event->button() == Qt::LeftButton) click(event->position(), event->modifiers());
}

void Canvas::wheelEvent(QWheelEvent* event) {
    if (motion_ == CanvasMotion::none) return event->ignore();
    const QPoint turned = event->angleDelta();
    const bool sideways =
        event->modifiers() & Qt::ShiftModifier || std::abs(turned.x()) > std::abs(turned.y());
    if (motion_ == CanvasMotion::along && sideways)
        panBy({(turned.x() != 0 ? turned.x() : turned.y()) / 2.0, 0});
    else if (turned.y() != 0)
        zoomAt(event->position(), std::pow(zoomStep, turned.y() / wheelNotch));
    event->accept();
}

void Canvas::keyPressEvent(QKeyEvent* event) {
    const bool plain = !(event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier));
    if (!plain || !takeKey(event->key(), event->modifiers())) QWidget::keyPressEvent(event);
}

bool Canvas::takeKey(int key, Qt::KeyboardModifiers modifiers) {
    if (motion_ != CanvasMotion::none && takeMotionKey(key)) return true;
    switch (key) {
        case Qt::Key_Left:
            return step({-1, 0});
        case Qt::Key_Right:
            return step({1, 0});
        case Qt::Key_Up:
            return step({0, -1});
        case Qt::Key_Down:
            return step({0, 1});
        case Qt::Key_Return:
        case Qt::Key_Enter:
            return pick(modifiers);
        case Qt::Key_Escape:
            return letGo();
        default:
            return false;
    }
}

bool Canvas::takeMotionKey(int key) {
    const bool plane = motion_ == CanvasMotion::plane;
    const QPointF by = keyPan();
    switch (key) {
        case Qt::Key_F:
        case Qt::Key_Home:
            return fit(), true;
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            return zoomAt(middle(), zoomStep), true;
        case Qt::Key_Minus:
            return zoomAt(middle(), 1 / zoomStep), true;
        case Qt::Key_W:
            return plane ? panBy({0, by.y()}) : zoomAt(middle(), zoomStep), true;
        case Qt::Key_S:
            return plane ? panBy({0, -by.y()}) : zoomAt(middle(), 1 / zoomStep), true;
        case Qt::Key_A:
            return panBy({by.x(), 0}), true;
        case Qt::Key_D:
            return panBy({-by.x(), 0}), true;
        default:
            return false;
    }
}

}  // namespace stagecraft::views::common
