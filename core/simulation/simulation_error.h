#pragma once

#include "core/base/rooms.h"

#include <stdexcept>

namespace stagecraft::simulation {

/// The plan cannot be simulated: it does not fit the problem, or it deadlocks. what() names the blocks.
struct SimulationError : std::runtime_error {
    using std::runtime_error::runtime_error;
};
struct Cancelled : std::runtime_error {
    Cancelled() : std::runtime_error("cancelled") {}
};

}  // namespace stagecraft::simulation
