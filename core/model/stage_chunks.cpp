#include "core/model/stage_chunks.h"

#include <map>

namespace stagecraft::model {

std::vector<int> chunksOf(const std::vector<Stage>& stages) {
    std::vector<int> chunks;
    std::map<int, int> held;  // stages so far, by device
    for (const Stage& stage : stages)
        chunks.push_back(stage.devices.empty() ? 0 : held[stage.devices.front()]++);
    return chunks;
}

std::vector<int> copiesOf(const std::vector<Stage>& stages) {
    std::vector<int> copies;
    for (const Stage& stage : stages) copies.push_back(stage.pipeline);
    return copies;
}

}  // namespace stagecraft::model
