#pragma once

#include "core/planners/vpipe/memory_floor.h"

#include <vector>

namespace stagecraft::planners::vpipe {

/// Partitions by what their stages cannot hold less than. One is given by where the stages after the first
/// begin.
struct RoomyPartitions {
    /// Those that the floors allow, ascending by what the stage that exceeds its limit most exceeds it by.
    std::vector<std::vector<int>> bounds;
    bool all = true;            ///< false: there were too many; these are those with most room
    std::vector<int> roomiest;  ///< exceeds least; the same if the floors allow none
};
/// @param most to list
RoomyPartitions roomyPartitions(const MemoryFloor& floor, std::size_t most);

/// What the stage exceeds its limit by at least that does so most. @param worstStage that stage, may be null
double worstExcess(const MemoryFloor& floor, const std::vector<int>& bounds, int* worstStage = nullptr);

}  // namespace stagecraft::planners::vpipe
