#pragma once

#include "core/model/timeline.h"

#include <array>
#include <string>

namespace stagecraft::validation {

/// One of the devices that a family orders together.
struct OrderedDevice {
    int devices = 1, chunks = 1;  ///< p; stages on each
    int microbatches = 0;         ///< of all copies that are ordered together
    int position = 0;             ///< of p, in the order of the first stages
    int slices = 1;               ///< of each microbatch
    int set = 0;                  ///< what the plan sets of the family's one parameter that counts, or 0
};

/// When it is a pass's turn on its device: ascending, each before what comes later.
using Turn = std::array<int, 3>;
/// @param kind forward, backward (whole, or the input gradient) or weightGradient
/// @param chunk which of the device's stages, from 0
/// @param number of the passes of that kind on the stage, in the order in which they come
using TurnOf = Turn (*)(const OrderedDevice& device, BlockKind kind, int chunk, int number);

/// The fixed order of a family that orders whole devices; nullptr where it depends on how long passes take, or
/// is not stated here.
/// @param deviates the plan lets the family leave its fixed order
TurnOf turnsOf(const std::string& family, bool deviates);

}  // namespace stagecraft::validation
