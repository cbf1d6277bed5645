#pragma once

#include "core/runs/plan_run.h"

#include <string>
#include <vector>

namespace stagecraft::programs {

/// What a person wants to know first of a plan that a configuration gave, in words.
struct ConfigurationCheck {
    bool fits = false;
    std::string memory;       ///< "yes, 51.5 GiB of 80.0 GiB on g0 (stage 0)", and what is lacking elsewhere
    std::string byCause;      ///< "parameters 2.73 GiB, gradients 2.73 GiB, …", on the fullest GPU
    std::string time;         ///< "56.6 s an iteration, 27.1 samples/s, 6.30 % bubbles"
    std::string bounds;       ///< what bounds the time, a sentence
    std::string utilisation;  ///< "47.2 %, 467 TFLOP/s a GPU"; why it is not known
    std::vector<std::string> violations;  ///< why the plan is invalid, a sentence each
};
/// @param run one that is ok()
ConfigurationCheck checkOf(const PlanRun& run);

}  // namespace stagecraft::programs
