#pragma once

#include "core/model/problem.h"
#include "tests/support/every_room.h"

#include <random>

namespace stagecraft {

/// Layers and devices on links that take no time to speak of.
struct TinyProblem {
    int layers = 3, devices = 2, batch = 2;
    double memoryBytes = 1e9;
    bool hasSync = false;  ///< links of the copies take time
};

Problem tiny(std::mt19937& random, const TinyProblem& shape);
/// Some devices are of a type on which each layer takes a time of its own, some of another.
void measureTypes(std::mt19937& random, Problem& problem);

}  // namespace stagecraft
