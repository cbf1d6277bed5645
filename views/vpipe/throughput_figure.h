#pragma once

#include "core/planners/vpipe/changing_network.h"
#include "views/vpipe/hover_drawing.h"

namespace stagecraft::views::vpipe {

/// Throughput over time of a network that changes while it trains: the static system, swap and recompute
/// alone, vPipe and the ideal; below it the layers of vPipe's stages (vPipe Figs. 13 and 14).
/// @throws std::invalid_argument without points
HoverDrawing drawThroughput(const std::vector<planners::vpipe::ThroughputPoint>& points,
                            const DrawingLook& look);

}  // namespace stagecraft::views::vpipe
