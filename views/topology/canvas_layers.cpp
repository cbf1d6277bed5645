#include "views/topology/canvas_layers.h"

#include <QPainter>

namespace stagecraft::views {

namespace {

void fitPixmap(QPixmap& pixmap, QSize size, double pixelRatio) {
    const QSize wanted = size * pixelRatio;
    if (pixmap.size() == wanted && pixmap.devicePixelRatio() == pixelRatio) return;
    pixmap = QPixmap(wanted);
    pixmap.setDevicePixelRatio(pixelRatio);
}

}  // namespace

const QPixmap& CanvasLayers::picture(QSize size, double pixelRatio, const Paint& paintBackground,
                                     const Paint& paintForeground) {
    if (!backgroundHolds_) {
        fitPixmap(background_, size, pixelRatio);
        QPainter painter(&background_);
        paintBackground(painter);
    }
    if (!backgroundHolds_ || !foregroundHolds_) {
        fitPixmap(picture_, size, pixelRatio);
        QPainter painter(&picture_);
        painter.drawPixmap(0, 0, background_);
        paintForeground(painter);
    }
    backgroundHolds_ = foregroundHolds_ = true;
    return picture_;
}

}  // namespace stagecraft::views
