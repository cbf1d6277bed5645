#pragma once

#include "views/figures/figure.h"

#include <QByteArray>

namespace stagecraft::views {

/// One page of exactly the figure's size (to 0.001 point), fonts embedded as TrueType, text that can be
/// selected. Needs fonts and so a QGuiApplication. The same figure gives the same bytes.
/// @throws std::invalid_argument for a figure without a size, with unbalanced clips or with coordinates that
/// are not finite
QByteArray writePdf(const Figure& figure);

}  // namespace stagecraft::views
