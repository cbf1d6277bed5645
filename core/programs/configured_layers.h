#pragma once

#include "core/base/rooms.h"
#include "core/formats/configurations/configuration.h"
#include "core/model/layer_profile.h"
#include "core/model/plan.h"

namespace stagecraft::programs {

/// Where the layers of a profile are of a transformer's ends.
struct ProfileEnds {
    bool embedding = false, head = false;
    int predictions = 0, blocks = 0;
};
/// By the names of its layers.
ProfileEnds endsOf(const LayerProfile& profile);
/// Whether a layer is one of multi-token prediction.
bool isPrediction(const Layer& layer);

/// What blocks of a stage do with their activations. @param layer of the first
/// @param before blocks of the rank's stages before it
void addMemory(const BlockMemory& memory, int blocks, int layer, int before, MemoryPolicy& policy);

}  // namespace stagecraft::programs
