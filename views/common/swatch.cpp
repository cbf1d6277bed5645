#include "views/common/swatch.h"

#include <QPainter>
#include <QPixmap>

namespace stagecraft::views {

QIcon colourSwatch(const QColor& colour) {
    constexpr int side = 14, sharpness = 2;
    QPixmap pixmap(sharpness * side, sharpness * side);
    pixmap.setDevicePixelRatio(sharpness);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawRoundedRect(QRectF(1, 1, side - 2, side - 2), 3, 3);
    painter.end();
    QIcon icon;
    for (const QIcon::Mode mode : {QIcon::Normal, QIcon::Selected, QIcon::Active})
        icon.addPixmap(pixmap, mode);
    return icon;
}

}  // namespace stagecraft::views
