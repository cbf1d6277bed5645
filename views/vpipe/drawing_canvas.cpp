#include "views/vpipe/drawing_canvas.h"

#include "views/common/theme.h"
#include "views/figures/painter_writer.h"

#include <QKeyEvent>
#include <QMetaMethod>
#include <QMouseEvent>
#include <QScrollArea>
#include <QToolTip>
#include <QWheelEvent>

namespace stagecraft {

namespace {

constexpr double pixelsPerMm = 96 / 25.4;
constexpr double fontPt = 9;
constexpr int margin = 12;
constexpr double leastHeightMm = 20;
constexpr double wheelStep = 120;  // eighths of a degree

}  // namespace

DrawingCanvas::DrawingCanvas(const QString& name, QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(name);
}

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
    return {std::max(40.0, (width() - 2 * margin) / pixelsPerMm),
            std::max(leastHeightMm, (height() - 2 * margin) / pixelsPerMm),
            fontPt,
            theme.text,
            theme.mutedText,
            theme.line,
            theme.surface,
            theme.dark};
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
    const QRectF& mm = drawing_.spots[static_cast<std::size_t>(spot)].rectMm;
    return {mm.topLeft() * pixelsPerMm + QPointF(margin, margin), mm.size() * pixelsPerMm};
}

double DrawingCanvas::millimetresAt(double pixelsX) const { return (pixelsX - margin) / pixelsPerMm; }

int DrawingCanvas::spotAt(const QPointF& position) const {
    for (int i = static_cast<int>(drawing_.spots.size()) - 1; i >= 0; --i)
        if (spotRect(i).adjusted(-1, -1, 1, 1).contains(position)) return i;
    return -1;
}

void DrawingCanvas::setCurrent(int spot, std::optional<QPoint> at) {
    if (spot < 0) QToolTip::hideText();
    if (spot != current_) update();
    current_ = spot;
    const QString text = spot < 0 ? QString() : drawing_.spots[static_cast<std::size_t>(spot)].text;
    setAccessibleDescription(text);
    if (spot < 0) return;
    if (!at) {
        const QRectF rect = spotRect(spot);
        at = mapToGlobal(QPointF(rect.center().x() + 12, rect.bottom() + 4).toPoint());
    }
    QToolTip::showText(*at, text, this);
}

void DrawingCanvas::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.fillRect(rect(), theme.surface);
    if (!draw_) {
        painter.setPen(theme.mutedText);
        painter.drawText(rect().adjusted(24, 8, -24, -8), Qt::AlignCenter | Qt::TextWordWrap, hint_);
        return;
    }
    painter.save();
    painter.translate(margin, margin);
    paintFigure(painter, drawing_.figure, pixelsPerMm);
    painter.restore();
    if (current_ < 0) return;
    painter.setPen(QPen(theme.accent, 1.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(spotRect(current_).adjusted(-1, -1, 1, 1));
}

void DrawingCanvas::mouseMoveEvent(QMouseEvent* event) {
    if (grabbedX_ >= 0 && event->buttons() & Qt::LeftButton) {
        emit dragged((event->position().x() - grabbedX_) / pixelsPerMm);
        grabbedX_ = std::max(0.0, event->position().x());
        return;
    }
    setCurrent(spotAt(event->position()), event->globalPosition().toPoint() + QPoint(14, 14));
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

void DrawingCanvas::leaveEvent(QEvent*) { setCurrent(-1); }
void DrawingCanvas::focusOutEvent(QFocusEvent*) { setCurrent(-1); }

void DrawingCanvas::keyPressEvent(QKeyEvent* event) {
    const int last = static_cast<int>(drawing_.spots.size()) - 1;
    const int by = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
    if (event->key() == Qt::Key_Escape && current_ >= 0) return setCurrent(-1);
    if (by == 0 || last < 0) return QWidget::keyPressEvent(event);
    setCurrent(current_ < 0 ? 0 : std::clamp(current_ + by, 0, last));
}

void DrawingCanvas::resizeEvent(QResizeEvent*) { redraw(); }

void DrawingCanvas::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) redraw();
    QWidget::changeEvent(event);
}

}  // namespace stagecraft
