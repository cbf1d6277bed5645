#pragma once

#include "views/figures/figure.h"

#include <QByteArray>

namespace stagecraft::views {

/// A bare tikzpicture with one named style for each kind of thing, which an author may change by defining
/// `stagecraft overrides`; `standalone` wraps it into a document that compiles by itself. Needs no fonts and
/// so no QGuiApplication. The same figure gives the same bytes.
/// @throws std::invalid_argument for a figure without a size, with unbalanced clips or with coordinates that
/// are not finite
QByteArray writeTikz(const Figure& figure, bool standalone = false);

}  // namespace stagecraft::views
