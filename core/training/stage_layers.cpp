#include "core/training/stage_layers.h"

#include "core/base/counted.h"

#include <set>
#include <stdexcept>

namespace stagecraft::training {

namespace {

/// The first layer of each part.
std::set<int> startsOf(const Plan& plan) {
    std::set<int> starts;
    for (const Stage& stage : plan.stages) starts.insert(stage.firstLayer);
    return starts;
}

}  // namespace

int partCount(const Plan& plan) { return static_cast<int>(startsOf(plan).size()); }

std::vector<StageLayerRange> layersOfStages(const Plan& plan, int layers) {
    const std::set<int> starts = startsOf(plan);
    const auto parts = static_cast<int>(starts.size());
    if (layers < parts)
        throw std::invalid_argument("a network of " + counted(layers, "layer") + " cannot be cut into " +
                                    counted(parts, "part"));
    // `layer`: the first of a stage of the plan, or one past its last.
    const auto firstAt = [&](int layer) {
        const auto part = std::distance(starts.begin(), starts.lower_bound(layer));
        return static_cast<int>(part) * layers / parts;
    };
    std::vector<StageLayerRange> ranges;
    for (const Stage& stage : plan.stages)
        ranges.push_back({firstAt(stage.firstLayer), firstAt(stage.lastLayer + 1)});
    return ranges;
}

}  // namespace stagecraft::training
