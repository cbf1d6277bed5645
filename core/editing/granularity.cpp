#include "core/editing/granularity.h"

#include "core/editing/profile_edit.h"
#include "core/graph/grouping.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace stagecraft::editing {

bool isFinest(const LayerProfile& profile) {
    if (!operatorsDescribeLayers(profile)) return false;
    const std::vector<int>& layerOf = profile.operators.layerOf;
    return std::count_if(layerOf.begin(), layerOf.end(), [](int layer) { return layer >= 0; }) ==
           profile.layerCount();
}

LayerProfile atGranularity(const LayerProfile& profile, Granularity granularity) {
    if (granularity == Granularity::layers || isFinest(profile)) return profile;
    if (!operatorsDescribeLayers(profile))
        throw std::invalid_argument(
            "The profile does not know the operators that its layers are made of, so that it has no finer "
            "layers.");
    std::vector<int> layers(profile.layers.size());
    std::iota(layers.begin(), layers.end(), 0);
    return splitLayers(profile, layers);
}

}  // namespace stagecraft::editing
