#pragma once

#include "core/base/rooms.h"
#include "core/formats/configurations/configuration.h"
#include "core/model/layer_profile.h"
#include "core/model/plan.h"

#include <vector>

namespace stagecraft::programs {

/// What a layer is to an engine. A layer that is `nothing` fills a stage that holds none: it takes no time,
/// keeps nothing, and hands on what comes in, so that what crosses the stage is counted.
enum class EngineRole { embedding, block, prediction, head, nothing };
/// Of each layer, by its name.
std::vector<EngineRole> rolesOf(const LayerProfile& profile);

/// How many layers of a profile are what.
struct ProfileEnds {
    bool embedding = false, head = false;
    int predictions = 0, blocks = 0;
};
ProfileEnds endsOf(const LayerProfile& profile);

/// What a WeighingRule takes: bytes of embedding, blocks and layers of multi-token prediction in their order,
/// and head; 0 for an embedding or a head that the profile lacks.
std::vector<double> parametersOf(const LayerProfile& profile);

/// Without layers that stand for empty stages.
LayerProfile withoutEmptyStages(const LayerProfile& profile);
/// With a layer in each stage that has none. @param profile without such layers, of which the stages hold all
LayerProfile withEmptyStages(const LayerProfile& profile, const std::vector<StageContent>& stages);

/// The blocks among layers first to last.
std::vector<int> blocksAmong(const std::vector<EngineRole>& roles, int first, int last);
/// What blocks of a stage do with their activations. @param before blocks of the rank's stages before it
void addMemory(const BlockMemory& memory, const std::vector<int>& blocks, int before, MemoryPolicy& policy);

}  // namespace stagecraft::programs
