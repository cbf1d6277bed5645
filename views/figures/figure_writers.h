#pragma once

#include "views/figures/figure.h"

#include <QByteArray>

namespace stagecraft::views::figures {

/// Text stays text, hatches are lines, lengths are user units of one millimetre. Needs no fonts and so no
/// QGuiApplication. The same figure gives the same bytes.
/// @throws std::invalid_argument for a figure without a size, with unbalanced clips or with coordinates that
/// are not finite
QByteArray writeSvg(const Figure& figure);

/// One page of exactly the figure's size (to 0.001 point), fonts embedded as TrueType, text that can be
/// selected. Needs fonts and so a QGuiApplication. The same figure gives the same bytes.
/// @throws std::invalid_argument for a figure without a size, with unbalanced clips or with coordinates that
/// are not finite
QByteArray writePdf(const Figure& figure);

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

}  // namespace stagecraft::views::figures
