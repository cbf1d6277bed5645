#pragma once

#include "core/model/chart_note.h"
#include "views/figures/figure.h"

#include <vector>

namespace stagecraft::views {

/// Whether the note is drawn on the lanes; else it has its place above them.
bool isOnLanes(const ChartNote& note);

/// Draws the notes that are on lanes: text, brackets and arrows, on top of what is there. What is outside of
/// the time or the lanes of the figure is left out.
void addNoteMarks(Figure& figure, const std::vector<ChartNote>& notes, double fontPt);

}  // namespace stagecraft::views
