#pragma once

#include "core/formats/file_stream.h"
#include "core/model/cluster.h"
#include "core/model/timeline.h"

#include <functional>
#include <span>
#include <string>

namespace stagecraft::formats {

/// The blocks whose ends a block has to wait for, ascending.
using BlockInputs = std::function<std::span<const std::uint32_t>(std::uint32_t block)>;
/// Whether a block is to be written.
using BlockFilter = std::function<bool(std::uint32_t block)>;

/// A timeline as a table for other tools: a header line, then a row for each block in the timeline's order,
/// numbered from 0. Columns: row, lane (number), lane_kind, devices (ids, separated by a space), kind, stage,
/// microbatch (empty for AllReduce and update), iteration, start_s, end_s, waited_for (a row, or empty),
/// wait_reason, depends_on (rows, separated by a space). Numbers have a point as decimal sign and read back
/// exactly; RFC 4180 quoting. Rows that `wanted` leaves out do not change the numbers of the others.
void streamTimelineCsv(const Timeline& timeline, const Cluster& cluster, const BlockInputs& inputs,
                       const WriteBytes& write, const BlockFilter& wanted = {});
/// The same as one text.
std::string writeTimelineCsv(const Timeline& timeline, const Cluster& cluster, const BlockInputs& inputs = {},
                             const BlockFilter& wanted = {});

}  // namespace stagecraft::formats
