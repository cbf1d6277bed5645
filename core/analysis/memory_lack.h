#pragma once

#include "core/analysis/metrics.h"

#include <string>
#include <vector>

namespace stagecraft::analysis {

/// What devices lack, a sentence for all of which the same kind of memory is the largest, with "1,024 GPUs
/// lack 92.5 GiB each (first at 0 s, mostly parameters)" for many and their ids for a few.
/// @param devices of the cluster, by index
std::vector<std::string> describeExcesses(const std::vector<MemoryExcess>& excesses,
                                          const std::vector<Device>& devices);

/// "1,024": a count as people read it.
std::string formatCount(std::size_t count);

}  // namespace stagecraft::analysis
