#pragma once

#include "core/base/enum_names.h"
#include "core/model/layer_profile.h"

namespace stagecraft::editing {

/// How finely a network is cut into layers.
enum class Granularity {
    layers,  ///< as the profile has them
    finest,  ///< each operator of its graph, in the order of the chain, is a layer
};

inline constexpr EnumName<Granularity> granularityNames[] = {{Granularity::layers, "layers"},
                                                             {Granularity::finest, "finest"}};

/// Whether the layers are the operators of the profile's graph, one each.
bool isFinest(const LayerProfile& profile);

/// The profile in that granularity. At the finest, whatever crosses a cut is paid for there, times,
/// parameters and stored activations are the operators' own, and edits made to the layers are shared out over
/// their operators. A plan belongs to the profile that it was made for: layers have other numbers afterwards.
/// @throws std::invalid_argument a sentence, if the graph is not known
LayerProfile atGranularity(const LayerProfile& profile, Granularity granularity);

}  // namespace stagecraft::editing
