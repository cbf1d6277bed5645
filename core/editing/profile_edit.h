#pragma once

#include "core/model/layer_profile.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft::editing {

// Edits of a profile, each of which makes another profile. Edges, times at other microbatch sizes and the
// nodes that the layers are made of keep in step; nodes that do not fit the layers (operatorsDescribeLayers)
// are dropped where layers come or go. Layers are named by index, each once, in any order. All throw
// std::invalid_argument, a sentence for a person, where that cannot be done.

/// What a factor is applied to.
enum class ProfileNumbers {
    times,        ///< forward, backward and weight gradient, at every microbatch size
    activations,  ///< outputs, their gradients and stored activations
    parameters
};
LayerProfile scaleLayers(const LayerProfile& profile, const std::vector<int>& layers, ProfileNumbers numbers,
                         double factor);

/// Sets a number of several layers. With the backward its weight gradient keeps its share. The nodes of a
/// layer share its new time or parameters in proportion; what they pass on and store is left to them, so that
/// a layer takes these afresh when its grouping is changed.
/// @param field a time in seconds or a size in bytes, 0 or more
LayerProfile setLayerNumber(const LayerProfile& profile, const std::vector<int>& layers, double Layer::*field,
                            double value);
/// What several layers keep from the input gradient to the weight gradient, in bytes; nothing: the profile is
/// silent, and half of what they store is taken.
LayerProfile setWeightGradientBytes(const LayerProfile& profile, const std::vector<int>& layers,
                                    std::optional<double> bytes);
/// Puts other layers in the place of those from `first` on; nodes follow as for single numbers.
LayerProfile replaceLayers(const LayerProfile& profile, int first, const std::vector<Layer>& layers);
/// Adds the times of another profile of as many layers, measured on that type of GPU (measured_gpus.h).
/// @param gpu as devices name it, or part of that
LayerProfile withTimesOn(const LayerProfile& profile, const LayerProfile& measured, const std::string& gpu);
LayerProfile renameLayers(const LayerProfile& profile, const std::vector<int>& layers,
                          const std::string& name);

/// Inserts a chain of layers before layer `at` (layerCount(): at the end). The first reads what was before
/// it, and what read that directly reads the last.
LayerProfile insertLayers(const LayerProfile& profile, int at, const std::vector<Layer>& layers);
/// A run of layers appears `copies` times in a row. In the place of what is directly before the run, each
/// further copy reads the copy before it; what the run reads from further back, every copy reads.
/// @param copies at least 2
LayerProfile repeatLayers(const LayerProfile& profile, int first, int last, int copies);
/// What read a deleted layer reads what that had read. At least one layer has to stay.
LayerProfile deleteLayers(const LayerProfile& profile, const std::vector<int>& layers);

/// Makes one layer of neighbours: times and parameters add up, the output is what goes beyond the last of
/// them. Stored activations are worked out from the nodes if these are known, else they add up.
LayerProfile mergeLayers(const LayerProfile& profile, const std::vector<int>& layers);
/// Makes a layer of each node of the given layers.
LayerProfile splitLayers(const LayerProfile& profile, const std::vector<int>& layers);
/// Ends a layer after this node, or, where one ends there, joins it with the next.
LayerProfile toggleCut(const LayerProfile& profile, int node);
/// The grouping that an import makes (chooseCuts).
LayerProfile regroupAfresh(const LayerProfile& profile);

/// The layers in ascending order if they are neighbours; else nothing.
std::vector<int> asRun(std::vector<int> layers);

}  // namespace stagecraft::editing
