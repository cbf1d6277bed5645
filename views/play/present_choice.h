#pragma once

#include "core/base/rooms.h"

namespace stagecraft::views {

inline constexpr int presentedPoints[] = {18, 22, 28};  ///< sizes of type, for a room that is ever larger

/// What a person wants to see when plans are presented.
struct PresentChoice {
    int typePoints = presentedPoints[0];
    bool memory = true;    ///< below the lanes
    bool cluster = false;  ///< beside them
    bool operator==(const PresentChoice&) const = default;
};

}  // namespace stagecraft::views
