#pragma once

#include "views/figures/figure.h"

#include <QByteArray>

class QImage;
class QPainter;

namespace stagecraft::views::figures {

/// On white, with its resolution noted in the file. Needs fonts and so a QGuiApplication. The same figure
/// gives the same bytes. @throws std::invalid_argument for a figure without a size, with unbalanced clips or
/// with coordinates that are not finite, or if dpi is not within 1 to 2400
QByteArray writePng(const Figure& figure, double dpi = 300);

/// A picture as the bytes of a PNG file.
QByteArray pngBytes(const QImage& image);

/// Draws with `scale` painter units to the millimetre, the figure's corner at the painter's origin.
void paintFigure(QPainter& painter, const Figure& figure, double scale);

}  // namespace stagecraft::views::figures
