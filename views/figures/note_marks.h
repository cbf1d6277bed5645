#pragma once

#include "core/model/chart_note.h"
#include "views/figures/figure.h"

#include <vector>

namespace stagecraft::views::figures {

/// Whether the note is drawn on the lanes; else it has its place above them.
bool isOnLanes(const ChartNote& note);

/// Whether it is an arrow that ends in another panel than its own.
bool endsElsewhere(const ChartNote& note);

/// Draws the notes that are on lanes: text, brackets and arrows, on top of what is there. What is outside of
/// the time or the lanes of the figure is left out, and so are arrows that end elsewhere.
void addNoteMarks(Figure& figure, const std::vector<ChartNote>& notes, double fontPt);
/// An arrow from one of these lanes to one of those, which are on the page of the figure. Without both lanes
/// and times it is left out.
void addArrowAcross(Figure& figure, const ChartNote& note, const std::vector<FigureLane>& fromLanes,
                    const std::vector<FigureLane>& toLanes, double fontPt);

}  // namespace stagecraft::views::figures
