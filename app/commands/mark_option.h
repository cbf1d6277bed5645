#pragma once

#include "app/commands/arguments.h"
#include "core/model/chart_note.h"
#include "core/model/cluster.h"

namespace stagecraft::app {

/// --mark of a figure.
extern const Option markOption;
/// What --mark adds to a figure. @throws UsageError
std::vector<ChartNote> marksFrom(const Arguments& arguments, const Cluster& cluster);

/// The same with the panel that each is in, by its index; without a letter the first.
struct PanelMark {
    std::size_t panel = 0;
    ChartNote note;
};
std::vector<PanelMark> panelMarksFrom(const Arguments& arguments, const Cluster& cluster);

}  // namespace stagecraft::app
