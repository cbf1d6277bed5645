#pragma once

#include "core/analysis/metrics.h"
#include "core/model/layer_profile.h"

#include <string>
#include <vector>

namespace stagecraft::analysis {

/// What devices lack, a sentence for all of which the same kind of memory is the largest, with "1,024 GPUs
/// lack 92.5 GiB each (first at 0 s, mostly parameters)" for many and their ids for a few.
/// @param devices of the cluster, by index
std::vector<std::string> describeExcesses(const std::vector<MemoryExcess>& excesses,
                                          const DeviceList& devices);

/// Whether the layers say what devices hold: weights, or what is kept for the backward. Where they do not, as
/// in a problem that is made of a recording, what is counted are outputs on their way alone.
bool saysMemory(const LayerProfile& profile);
/// What marks memory of which no more is known, after the number.
inline constexpr const char* outputsAloneMark = "outputs alone";
inline constexpr const char* memoryUnknownSentence =
    "Memory is not known: of what GPUs hold only outputs on their way are counted.";

/// "1,024": a count as people read it.
std::string formatCount(std::size_t count);

}  // namespace stagecraft::analysis
