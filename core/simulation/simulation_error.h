#pragma once

#include "core/base/rooms.h"

#include <stdexcept>

namespace stagecraft::simulation {

/// The plan cannot be simulated: it does not fit the problem, or it deadlocks. what() names the blocks.
struct SimulationError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace stagecraft::simulation
