#pragma once

#include "views/common/block_colouring.h"

#include <array>
#include <cstdint>
#include <vector>

namespace stagecraft::views::figures {

/// How much of each of `columns` equal slices of [fromS, toS) a lane spends on each class of block, 0 to 1:
/// share[class][column]. What is missing to 1 is idle, so that a picture made of it hides no bubble.
using BusyShare = std::array<std::vector<double>, mostBlockClasses>;
BusyShare busyShare(const Timeline& timeline, int lane, double fromS, double toS, int columns,
                    const BlockClasses& classes = {});

/// The range of the lane's blocks that show in [fromS, toS).
std::pair<std::uint32_t, std::uint32_t> visibleBlocks(const Timeline& timeline, int lane, double fromS,
                                                      double toS);

}  // namespace stagecraft::views::figures
