#pragma once

#include "views/figures/figure.h"

#include <QByteArray>

namespace stagecraft::views {

/// Text stays text, hatches are lines, lengths are user units of one millimetre. Needs no fonts and so no
/// QGuiApplication. The same figure gives the same bytes.
/// @throws std::invalid_argument for a figure without a size, with unbalanced clips or with coordinates that
/// are not finite
QByteArray writeSvg(const Figure& figure);

}  // namespace stagecraft::views
