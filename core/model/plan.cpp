#include "core/model/plan.h"

#include <algorithm>

namespace stagecraft::model {

int Plan::pipelineCount() const {
    int last = -1;
    for (const Stage& stage : stages) last = std::max(last, stage.pipeline);
    return last + 1;
}

LayerMemory Plan::layerMemory(int layer) const {
    const auto found = memory.layers.find(layer);
    return found == memory.layers.end() ? LayerMemory::keep : found->second;
}

}  // namespace stagecraft::model
