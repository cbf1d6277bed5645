#pragma once

#include "views/figures/figure.h"

#include <QByteArray>

namespace stagecraft::views {

/// What a picture stands in.
enum class TikzDocument {
    none,        ///< bare
    standalone,  ///< a document that compiles by itself
    beamer,      ///< one frame of a page as large as the figure
};

/// A tikzpicture with one named style for each kind of thing, which an author may change by defining
/// `stagecraft overrides`. Needs no fonts and
/// so no QGuiApplication. The same figure gives the same bytes.
/// @throws std::invalid_argument for a figure without a size, with unbalanced clips or with coordinates that
/// are not finite
QByteArray writeTikz(const Figure& figure, TikzDocument document = TikzDocument::none);

}  // namespace stagecraft::views
