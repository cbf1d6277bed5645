#pragma once

#include "core/planners/planner.h"

namespace stagecraft::planners {

PlannerDescription pipeDreamDescription();

/// The parameters by name.
struct PipeDreamChoices {
    explicit PipeDreamChoices(const ParameterValues& values);

    std::string variant;      ///< "paper", "ring", "released"
    std::string levels;       ///< "flat", "servers", "automatic"
    std::string bandwidths;   ///< as typed: of each level, innermost first
    std::string weights;      ///< "stashing", "vertical-sync", "none", "2bw", "flush"
    std::string replication;  ///< "automatic", "split", "round-robin"
    double outerBandwidthBps = 0;
    bool straight = false;
    bool paysTransfers = false;
    bool checksMemory = false;
    bool syncsEveryMicrobatch = true;
    int updateEvery = 0;
    bool updatesByRound = false;
    int extraInFlight = 0;
};

}  // namespace stagecraft::planners
