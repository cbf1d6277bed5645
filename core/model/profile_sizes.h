#pragma once

#include "core/model/layer_profile.h"

#include <vector>

namespace stagecraft::model {

/// The microbatch sizes at which a profile's times were taken, its own among them, ascending.
std::vector<int> measuredSizes(const LayerProfile& profile);
/// A selective recomputation stays the same part of the layer's forward.
void setLayerTimes(Layer& layer, const LayerTimes& times);
/// The times of a layer at one of measuredSizes().
LayerTimes measuredTimes(const LayerProfile& profile, int layer, int size);

/// A time at some size as a weighted sum of those at two measured sizes.
struct SizeWeights {
    std::size_t low = 0, high = 0;  ///< indices into measuredSizes()
    double lowWeight = 1, highWeight = 0;
};
/// Between two measured sizes times are interpolated linearly; below the smallest and above the
/// largest they are in proportion to the size, as those of a profile with one size are everywhere (MODEL.md
/// section 1 leaves that open). A replica's share of a microbatch need not be a whole number of samples.
SizeWeights weightsAtSize(const std::vector<int>& measured, double size);

/// The times of a layer at any size, as above.
LayerTimes timesAtSize(const LayerProfile& profile, int layer, int size);

/// The least time that a layer takes for its share of a microbatch, times the number of shares, over all
/// numbers of them: forward and backward together. Less than the time of the whole microbatch where small
/// ones were measured to take less per sample.
double leastWorkS(const LayerProfile& profile, int layer);

/// The profile for microbatches of another size: times interpolated as above, outputs and stored activations
/// in proportion, parameters unchanged; `source` says so. What was measured stays known as other sizes.
/// @param size at least 1
LayerProfile profileAtSize(const LayerProfile& profile, int size);

}  // namespace stagecraft::model
