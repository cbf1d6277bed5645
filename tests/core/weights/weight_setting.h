#pragma once

#include "core/simulation/simulator.h"
#include "tests/support/every_room.h"

#include <string>

/// Plans of one layer per stage and one stage per device, run without a barrier.
namespace weight_setting {

struct Setting {
    stagecraft::model::Problem problem;
    stagecraft::model::Plan plan;
    stagecraft::model::Timeline timeline;
};

/// Stages of equal times under 1F1B; transfers take no time.
inline Setting unitSetting(stagecraft::model::WeightPolicyKind policy, int stages, int microbatches,
                           int iterations, double seconds = 1) {
    using namespace stagecraft;
    Setting made;
    for (int i = 0; i < stages; ++i) {
        const std::string device = "g" + std::to_string(i);
        made.problem.profile.layers.push_back(
            {"layer " + std::to_string(i), seconds, seconds, 100, 0, 0, 50, seconds / 2});
        made.problem.cluster.devices.push_back({device, "s0", "", 1e6, 1.0, 100});
        for (int other = 0; other < i; ++other)
            made.problem.cluster.links.push_back({"g" + std::to_string(other), device, 10, 0, ""});
        made.plan.stages.push_back({i, i, {i}});
    }
    made.problem.setup.microbatches = microbatches;
    made.problem.setup.mode = TrainingMode::asynchronous;
    made.plan.weights = {policy, {}, VersionDifference::counted};
    made.timeline = simulate(CostModel(made.problem), made.plan, {iterations, {}});
    return made;
}

}  // namespace weight_setting
