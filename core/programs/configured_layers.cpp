#include "core/programs/configured_layers.h"

#include "core/base/indices.h"
#include "core/editing/profile_edit.h"

#include <algorithm>

namespace stagecraft::programs {

namespace {

/// As Megatron-LM lists a stage without layers (PipelineParallelLayerLayout.pretty_repr).
constexpr const char* emptyStageName = "(empty stage)";

bool standsForNothing(const Layer& layer) {
    return layer.name.starts_with(emptyStageName) && layer.forwardS == 0 && layer.backwardS == 0 &&
           layer.parameterBytes == 0 && layer.storedActivationBytes == 0;
}

Layer emptyStageBehind(const Layer& before) {
    Layer layer;
    layer.name = emptyStageName;
    layer.outputBytes = before.outputBytes;
    layer.outputGradientBytes = before.outputGradientBytes;
    layer.division.emplace();
    layer.flops = 0;
    return layer;
}

int layersOf(const StageContent& stage, const ProfileEnds& ends) {
    return (stage.embedding && ends.embedding) + stage.blocks + stage.predictions + (stage.head && ends.head);
}

}  // namespace

std::vector<EngineRole> rolesOf(const LayerProfile& profile) {
    std::vector<EngineRole> roles;
    for (const Layer& layer : profile.layers)
        roles.push_back(standsForNothing(layer)                ? EngineRole::nothing
                        : layer.name.starts_with("prediction") ? EngineRole::prediction
                                                               : EngineRole::block);
    const auto isSomething = [](EngineRole role) { return role != EngineRole::nothing; };
    const auto first = std::ranges::find_if(roles, isSomething);
    if (first == roles.end()) return roles;
    const auto last = std::find_if(roles.rbegin(), roles.rend(), isSomething).base() - 1;
    const auto isCalled = [&](auto role, const char* name) {
        return profile.layers[at(static_cast<int>(role - roles.begin()))].name.starts_with(name);
    };
    if (last != first && isCalled(last, "head")) *last = EngineRole::head;
    if (isCalled(first, "embed") || isCalled(first, "patches")) *first = EngineRole::embedding;
    return roles;
}

ProfileEnds endsOf(const LayerProfile& profile) {
    ProfileEnds ends;
    for (const EngineRole role : rolesOf(profile)) {
        ends.embedding = ends.embedding || role == EngineRole::embedding;
        ends.head = ends.head || role == EngineRole::head;
        ends.predictions += role == EngineRole::prediction;
        ends.blocks += role == EngineRole::block;
    }
    return ends;
}

std::vector<double> parametersOf(const LayerProfile& profile) {
    const std::vector<EngineRole> roles = rolesOf(profile);
    const ProfileEnds ends = endsOf(profile);
    std::vector<double> parameters;
    if (!ends.embedding) parameters.push_back(0);
    for (int layer = 0; layer < profile.layerCount(); ++layer)
        if (roles[at(layer)] != EngineRole::nothing)
            parameters.push_back(profile.layers[at(layer)].parameterBytes);
    if (!ends.head) parameters.push_back(0);
    return parameters;
}

LayerProfile withoutEmptyStages(const LayerProfile& profile) {
    const std::vector<EngineRole> roles = rolesOf(profile);
    std::vector<int> nothing;
    for (int layer = 0; layer < profile.layerCount(); ++layer)
        if (roles[at(layer)] == EngineRole::nothing) nothing.push_back(layer);
    if (nothing.empty() || std::ssize(nothing) == profile.layerCount()) return profile;
    return editing::deleteLayers(profile, nothing);
}

LayerProfile withEmptyStages(const LayerProfile& profile, const std::vector<StageContent>& stages) {
    const ProfileEnds ends = endsOf(profile);
    LayerProfile made = profile;
    int layer = 0;
    for (const StageContent& stage : stages) {
        if (stage.isEmpty() && layer > 0) {
            made = editing::insertLayers(made, layer, {emptyStageBehind(made.layers[at(layer - 1)])});
            ++layer;
        }
        layer += layersOf(stage, ends);
    }
    return made;
}

std::vector<int> blocksAmong(const std::vector<EngineRole>& roles, int first, int last) {
    std::vector<int> blocks;
    for (int layer = first; layer <= last; ++layer)
        if (roles[at(layer)] == EngineRole::block) blocks.push_back(layer);
    return blocks;
}

void addMemory(const BlockMemory& memory, const std::vector<int>& blocks, int before, MemoryPolicy& policy) {
    if (memory.memory == LayerMemory::keep) return;
    for (int i = 0; i < static_cast<int>(blocks.size()); ++i) {
        const bool isAsked = memory.firstBlocks == 0 || i < memory.firstBlocks;
        if (isAsked && (before + i + 1) % memory.every == 0) policy.layers[blocks[at(i)]] = memory.memory;
    }
}

}  // namespace stagecraft::programs
