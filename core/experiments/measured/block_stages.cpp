#include "core/experiments/measured/block_stages.h"

#include <numeric>

namespace stagecraft::experiments {

Plan planOfBlocks(const BlockStages& stages, int layers) {
    Plan plan;
    int next = 1, device = 0;
    for (const int blocks : stages.blocks) {
        Stage stage{next, next + blocks - 1, std::vector<int>(static_cast<std::size_t>(stages.ranks))};
        std::iota(stage.devices.begin(), stage.devices.end(), device);
        stage.group = stages.group;
        next += blocks;
        device += stages.ranks;
        plan.stages.push_back(std::move(stage));
    }
    plan.stages.front().firstLayer = 0;
    plan.stages.back().lastLayer = layers - 1;
    plan.schedule.order = FamilySchedule{"1f1b", {}};
    if (stages.checkpointed)
        for (int layer = 1; layer < next; ++layer) plan.memory.layers[layer] = LayerMemory::checkpoint;
    return plan;
}

double overlapOfFsdp(const LayerProfile& profile) {
    double all = 0;
    for (const Layer& layer : profile.layers) all += layer.parameterBytes;
    const double root = profile.layers.front().parameterBytes + profile.layers.back().parameterBytes;
    return all > 0 ? 1 - root / all : 0;
}

}  // namespace stagecraft::experiments
