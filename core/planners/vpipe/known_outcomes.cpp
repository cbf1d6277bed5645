#include "core/planners/vpipe/known_outcomes.h"

#include "core/base/indices.h"

namespace stagecraft::planners::vpipe {

KnownOutcomes::PlanKey KnownOutcomes::keyOf(const std::vector<Stage>& stages, const MemoryPolicy& memory) {
    PlanKey key;
    for (const Stage& stage : stages) {
        key.push_back(stage.firstLayer);
        key.push_back(static_cast<int>(stage.devices.size()));
        key.insert(key.end(), stage.devices.begin(), stage.devices.end());
    }
    for (const auto& [layer, op] : memory.layers) {
        key.push_back(layer);
        key.push_back(static_cast<int>(op));
    }
    return key;
}

bool KnownOutcomes::Outcome::fits(const Problem& problem) const {
    for (std::size_t device = 0; device < peakBytes.size(); ++device)
        if (peakBytes[device] > problem.memoryLimitBytes(static_cast<int>(device))) return false;
    return true;
}

}  // namespace stagecraft::planners::vpipe
