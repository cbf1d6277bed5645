#pragma once

#include "views/figures/figure.h"

#include <QByteArray>

class QImage;
class QPainter;

namespace stagecraft {

/// What figure_formats.h offers is written by these. PDF and PNG need fonts and so a QGuiApplication; SVG and
/// TikZ need none. All writers give the same bytes for the same figure, and throw std::invalid_argument for a
/// figure without a size, with unbalanced clips or with coordinates that are not finite.

/// Text stays text, hatches are lines, lengths are user units of one millimetre.
QByteArray writeSvg(const Figure& figure);

/// One page of exactly the figure's size (to 0.001 point), fonts embedded as TrueType, text that can be
/// selected.
QByteArray writePdf(const Figure& figure);

/// A bare tikzpicture with one named style for each kind of thing, which an author may change by defining
/// `stagecraft overrides`; `standalone` wraps it into a document that compiles by itself.
QByteArray writeTikz(const Figure& figure, bool standalone = false);

/// On white, with its resolution noted in the file. @throws std::invalid_argument if dpi is not within 1 to
/// 2400
QByteArray writePng(const Figure& figure, double dpi = 300);

/// A picture as the bytes of a PNG file.
QByteArray pngBytes(const QImage& image);

/// Draws with `scale` painter units to the millimetre, the figure's corner at the painter's origin.
void paintFigure(QPainter& painter, const Figure& figure, double scale);

}  // namespace stagecraft
