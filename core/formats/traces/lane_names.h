#pragma once

#include "core/base/enum_names.h"
#include "core/model/timeline.h"

namespace stagecraft::formats {

// What lanes are called in files.

inline constexpr EnumName<LaneKind> laneKindNames[] = {{LaneKind::compute, "compute"},
                                                       {LaneKind::channel, "channel"},
                                                       {LaneKind::allReduce, "allreduce"},
                                                       {LaneKind::hostLink, "host_link"},
                                                       {LaneKind::stream, "stream"}};

inline constexpr EnumName<Direction> directionNames[] = {
    {Direction::forward, "forward"}, {Direction::backward, "backward"}, {Direction::both, "both"}};

}  // namespace stagecraft::formats
