#pragma once

#include "core/planners/planner.h"

namespace stagecraft::planners {

/// GPipe as SPP's baseline (E-SPP-13): min(devices, layers) stages of equally many layers, one device each,
/// all forwards before all backwards.
std::unique_ptr<Planner> makeGpipePlanner();

}  // namespace stagecraft::planners
