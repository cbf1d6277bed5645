#pragma once

#include "core/model/cluster.h"
#include "core/model/timeline.h"

#include <string>

namespace stagecraft {

/// A timeline as a table for other tools: a header line, then a row for each block in the timeline's order,
/// numbered from 0. Columns: row, lane (number), lane_kind, devices (ids, separated by a space), kind, stage,
/// microbatch (empty for AllReduce and update), iteration, start_s, end_s, waited_for (a row, or empty),
/// wait_reason. Numbers have a point as decimal sign and read back exactly; RFC 4180 quoting.
std::string writeTimelineCsv(const Timeline& timeline, const Cluster& cluster);

}  // namespace stagecraft
