#pragma once

#include "views/figures/figure.h"

#include <vector>

namespace stagecraft::views::vpipe {

/// Size, type and the colours of what is not data; by default those of paper.
struct DrawingLook {
    double widthMm = 88.9;
    double heightMm = 0;  ///< 0: as high as looks well
    double fontPt = 7;
    QColor ink{0x00, 0x00, 0x00}, muted{0x55, 0x55, 0x55}, grid{0xD8, 0xD8, 0xD8}, surface{0xFF, 0xFF, 0xFF};
    bool dark = false;
    bool legend = true;

    double em() const { return mmOfPoints(fontPt); }
    Stroke outline() const { return {ink, 0.12, {}}; }
};

/// Something in a figure that says more under the pointer; rich text.
struct DrawingSpot {
    QRectF rectMm;
    QString text;
};

/// A figure that answers the pointer on the screen and is exported as it is.
struct HoverDrawing {
    Figure figure;
    std::vector<DrawingSpot> spots;  ///< in the order in which keys go through them; later ones are on top
    QRectF frameMm;                  ///< of the axes, where there are any
};

/// Legends and others set their text in black: it becomes the look's ink, from that item on.
void inkText(Figure& figure, std::size_t fromItem, const DrawingLook& look);

/// A row of a spot's table.
QString spotRow(const QString& name, const QString& value);
QString spotTable(const QString& title, const QString& rows);

}  // namespace stagecraft::views::vpipe
