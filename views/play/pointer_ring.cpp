#include "views/play/pointer_ring.h"

#include "views/common/theme.h"

#include <QPainter>

namespace stagecraft::views {

PointerRing::PointerRing(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("pointerRing"));
    setAttribute(Qt::WA_TransparentForMouseEvents);
    hide();
}

void PointerRing::moveTo(QPoint position) { move(position - rect().center()); }

void PointerRing::setExtent(int pixels) {
    const QPoint centre = geometry().center();
    resize(pixels, pixels);
    moveTo(centre);
}

void PointerRing::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const double width = this->width() / 12.0;
    const QRectF ring = QRectF(rect()).adjusted(width, width, -width, -width);
    // A dark rim, a light one and the ring between: seen on any colour of a block.
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(Qt::white, width + 4));
    painter.drawEllipse(ring);
    painter.setPen(QPen(Qt::black, width + 2));
    painter.drawEllipse(ring);
    painter.setPen(QPen(Theme::current().error, width));
    painter.drawEllipse(ring);
    painter.setPen(QPen(Qt::white, 2));
    painter.setBrush(Theme::current().error);
    painter.drawEllipse(ring.center(), width * 0.7, width * 0.7);
}

}  // namespace stagecraft::views
