#pragma once

#include "core/model/cluster.h"
#include "core/model/group.h"
#include "core/model/layer_profile.h"

#include <string>
#include <vector>

namespace stagecraft::model {

// Times of a network's layers that were measured on other types of GPUs than the profile's own (entries of
// Layer::onRanks that name one), and the devices of a cluster that go by them rather than by their speed.

/// The types on which times of layers were taken, ascending: those with a microbatch size at which all the
/// layers were measured that were measured there at all.
std::vector<std::string> measuredGpus(const LayerProfile& profile);

/// Whether times of any layer were taken on so many ranks of that type, rather than worked out.
bool isMeasuredOn(const LayerProfile& profile, const std::string& gpu, const Group& group);

/// Which of them a device's type is. "A100-40" is an "NVIDIA A100-SXM4-40GB": all its letters and numbers
/// stand in the device's name, in that order. Of several the one with most of them, the first if as many.
/// @return empty: none
std::string measuredGpuOf(const std::vector<std::string>& measured, const std::string& deviceGpu);

/// The profile as it is on that type: of another, the reference GPU. Layers that were not measured on it are
/// slower or faster than on the reference as all are together that were. Of the degrees that were measured on
/// the reference those that were not on the type are slower or faster as the whole layer is; others are left
/// out. Bytes are the reference's.
/// @param gpu one of measuredGpus()
LayerProfile profileOn(const LayerProfile& profile, const std::string& gpu);

/// Without what was measured on other types of GPUs.
LayerProfile withoutMeasuredGpus(LayerProfile profile);

/// Adds the times of a profile of the same layers, measured on that type, whole and on groups of ranks, to
/// what was measured there; what is there of the same is replaced.
void addMeasurements(const LayerProfile& measured, const std::string& gpu, LayerProfile& profile);

/// By what devices of a cluster take their times.
struct GpuKinds {
    std::vector<std::string> gpus;  ///< of kinds 1 and up: each that a device is of, ascending
    std::vector<int> kindOf;        ///< by device; 0: by its speed. Empty: all
    bool areAlike() const { return kindOf.empty(); }
};
GpuKinds gpuKinds(const LayerProfile& profile, const Cluster& cluster);

}  // namespace stagecraft::model
