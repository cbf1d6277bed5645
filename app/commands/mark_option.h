#pragma once

#include "app/commands/arguments.h"
#include "core/model/chart_note.h"
#include "core/model/cluster.h"

namespace stagecraft::app {

/// --mark of a figure.
extern const Option markOption;
/// What --mark adds to a figure. @throws UsageError
std::vector<ChartNote> marksFrom(const Arguments& arguments, const Cluster& cluster);

}  // namespace stagecraft::app
