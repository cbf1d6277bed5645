#include "core/editing/recompute_modes.h"

#include <algorithm>
#include <iterator>

namespace stagecraft::editing {

namespace {

/// A row where `matches`, or null.
template <class Matches>
const RecomputeMode* modeWhere(Matches matches) {
    const auto found = std::find_if(std::begin(recomputeModes), std::end(recomputeModes), matches);
    return found == std::end(recomputeModes) ? nullptr : &*found;
}

std::string fateInWords(LayerMemory memory) {
    const RecomputeMode* mode = recomputeModeOf(memory);
    return mode ? std::string("recomputed ") + mode->how : "swapped";
}

}  // namespace

const RecomputeMode* findRecomputeMode(std::string_view id) {
    return modeWhere([id](const RecomputeMode& mode) { return mode.id == id; });
}

const RecomputeMode* recomputeModeOf(LayerMemory memory) {
    return modeWhere([memory](const RecomputeMode& mode) { return mode.memory == memory; });
}

std::optional<LayerMemory> commonRecomputation(const Plan& plan, int firstLayer, int lastLayer) {
    std::optional<LayerMemory> common;
    for (int layer = firstLayer; layer <= lastLayer; ++layer) {
        const LayerMemory memory = plan.layerMemory(layer);
        if (memory == LayerMemory::swap) continue;
        if (common && *common != memory) return std::nullopt;
        common = memory;
    }
    return common.value_or(LayerMemory::keep);
}

std::string layerMemoryText(const Plan& plan, int firstLayer, int lastLayer) {
    std::map<LayerMemory, int> layers;
    for (int layer = firstLayer; layer <= lastLayer; ++layer) ++layers[plan.layerMemory(layer)];
    const int all = lastLayer - firstLayer + 1;
    std::string text;
    for (const auto& [memory, count] : layers) {
        if (memory == LayerMemory::keep) continue;
        if (count == all) return fateInWords(memory);
        text += (text.empty() ? "" : ", ") + std::to_string(count) + " of " + std::to_string(all) +
                (text.empty() ? " layers " : " ") + fateInWords(memory);
    }
    return text;
}

}  // namespace stagecraft::editing
