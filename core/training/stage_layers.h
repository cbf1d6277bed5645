#pragma once

#include "core/model/plan.h"

#include <vector>

namespace stagecraft::training {

/// Layers first..end of the trained network, end not included.
struct StageLayerRange {
    int first = 0;
    int end = 0;
    bool operator==(const StageLayerRange&) const = default;
};

/// The parts into which the plan's cuts divide the network: its stages, or more where copies of the network
/// are cut differently. The trained network needs as many layers at least.
int partCount(const Plan& plan);

/// Which layers of a trained network of `layers` layers each stage of the plan holds. They are dealt to the
/// plan's parts in order and as evenly as possible, the later parts getting one more (as in XPipe IV-B),
/// whatever layers the plan's own profile has there. So stages of two copies share layers only if they do in
/// the plan.
/// @throws std::invalid_argument if there are fewer layers than parts
std::vector<StageLayerRange> layersOfStages(const Plan& plan, int layers);

}  // namespace stagecraft::training
