#include "views/vpipe/drawing_canvas.h"

#include "views/common/theme.h"

#include <QMetaMethod>
#include <QMouseEvent>
#include <QScrollArea>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace stagecraft::views::vpipe {

namespace {

constexpr int margin = 12;
constexpr double leastHeightMm = 20;
constexpr double wheelStep = 120;  // eighths of a degree

}  // namespace

DrawingCanvas::DrawingCanvas(const QString& name, QWidget* parent)
    : FigureCanvas(name, CanvasMotion::none, {margin, margin}, parent) {}

void DrawingCanvas::setDraw(Draw draw, const QString& hint) {
    draw_ = std::move(draw);
    hint_ = hint;
    redraw();
}

QWidget* DrawingCanvas::inScrollArea() {
    auto* scroll = new QScrollArea;
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setWidget(this);
    return scroll;
}

DrawingLook DrawingCanvas::look() const {
    const Theme& theme = Theme::current();
    const QSizeF mm = room({40, leastHeightMm});
    return {mm.width(),      mm.height(), fontPt,        theme.text,
            theme.mutedText, theme.line,  theme.surface, theme.dark};
}

void DrawingCanvas::redraw() {
    const auto pixelsOf = [](const HoverDrawing& drawing) {
        return static_cast<int>(std::ceil(drawing.figure.heightMm * pixelsPerMm)) + 2 * margin;
    };
    drawing_ = draw_ ? draw_(look()) : HoverDrawing{};
    if (const int beyond = pixelsOf(drawing_) - height(); draw_ && beyond > 0) {
        // What does not know in advance how high its legend is gets that much less; a pixel for rounding.
        DrawingLook less = look();
        less.heightMm = std::max(leastHeightMm, less.heightMm - (beyond + 1) / pixelsPerMm);
        drawing_ = draw_(less);
    }
    if (current_ >= static_cast<int>(drawing_.spots.size())) setCurrent(-1);
    const int needed = pixelsOf(drawing_);
    if (const int asked = draw_ && needed > height() ? needed : std::min(needed, neededHeight_);
        asked != neededHeight_) {
        neededHeight_ = asked;
        updateGeometry();
    }
    update();
}

QRectF DrawingCanvas::spotRect(int spot) const {
    return toPixels(drawing_.spots[static_cast<std::size_t>(spot)].rectMm);
}

double DrawingCanvas::millimetresAt(double pixelsX) const { return toMm({pixelsX, 0}).x(); }

int DrawingCanvas::spotAt(const QPointF& position) const {
    for (int i = static_cast<int>(drawing_.spots.size()) - 1; i >= 0; --i)
        if (spotRect(i).adjusted(-1, -1, 1, 1).contains(position)) return i;
    return -1;
}

void DrawingCanvas::setCurrent(int spot, std::optional<QPoint> at) {
    if (spot != current_) update();
    current_ = spot;
    if (spot < 0) return showTip({}, {});
    if (!at) {
        const QRectF rect = spotRect(spot);
        at = mapToGlobal(QPointF(rect.center().x() + 12, rect.bottom() + 4).toPoint());
    }
    showTip(drawing_.spots[static_cast<std::size_t>(spot)].text, *at);
}

void DrawingCanvas::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    if (!draw_) {
        painter.fillRect(rect(), theme.surface);
        painter.setPen(theme.mutedText);
        painter.drawText(rect().adjusted(24, 8, -24, -8), Qt::AlignCenter | Qt::TextWordWrap, hint_);
        return;
    }
    paintWhole(painter, drawing_.figure);
    if (current_ < 0) return;
    painter.setPen(QPen(theme.accent, 1.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(spotRect(current_).adjusted(-1, -1, 1, 1));
}

void DrawingCanvas::hoverAt(QPointF at, QPoint onScreen) { setCurrent(spotAt(at), besidePointer(onScreen)); }

void DrawingCanvas::mouseMoveEvent(QMouseEvent* event) {
    if (grabbedX_ < 0 || !(event->buttons() & Qt::LeftButton)) return FigureCanvas::mouseMoveEvent(event);
    emit dragged((event->position().x() - grabbedX_) / pixelsPerMm);
    grabbedX_ = std::max(0.0, event->position().x());
}

void DrawingCanvas::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) grabbedX_ = event->position().x();
}

void DrawingCanvas::mouseReleaseEvent(QMouseEvent*) { grabbedX_ = -1; }

void DrawingCanvas::wheelEvent(QWheelEvent* event) {
    // Without anyone who listens the wheel belongs to what scrolls around this.
    if (!isSignalConnected(QMetaMethod::fromSignal(&DrawingCanvas::wheeled))) return event->ignore();
    emit wheeled(millimetresAt(event->position().x()), event->angleDelta().y() / wheelStep);
}

bool DrawingCanvas::step(QPoint by) {
    const int last = static_cast<int>(drawing_.spots.size()) - 1;
    if (by.x() == 0 || last < 0) return false;
    setCurrent(current_ < 0 ? 0 : std::clamp(current_ + by.x(), 0, last));
    return true;
}

bool DrawingCanvas::letGo() {
    if (current_ < 0) return false;
    setCurrent(-1);
    return true;
}

}  // namespace stagecraft::views::vpipe
