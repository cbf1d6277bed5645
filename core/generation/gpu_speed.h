#pragma once

#include "core/generation/analytic_profile.h"
#include "core/model/cluster.h"
#include "core/model/layer_profile.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft::generation {

/// What the times of a profile were measured or computed on.
struct ProfileGpu {
    std::string gpu;  ///< as the catalogue names it
    Precision precision = Precision::fp32;
    bool operator==(const ProfileGpu&) const = default;
};
/// Nothing where the profile does not say it, or names a GPU that the catalogue does not have.
std::optional<ProfileGpu> profileGpu(const LayerProfile& profile);

/// Devices of one type that count as fast as the GPU of the profile though nothing says that they are.
struct SpeedGap {
    std::string gpu;
    int devices = 0;
    /// What their speed should be: how much faster the profile's operations are there by the roofline, or the
    /// ratio of the dense peaks at the profile's precision where it does not know its operations, or its
    /// layers were edited since. 0: nothing
    /// says it.
    double speed = 1;
    std::string source;  ///< "312 against 989 TFLOP/s at bf16, …", or what is not known
    bool operator==(const SpeedGap&) const = default;
};
/// Types of the cluster's devices that have speed 1 and are not the profile's GPU, or of several types where
/// the profile does not say which GPU its times are of, in the order in which devices first name them.
/// Devices with another speed were given it by somebody and are left alone.
std::vector<SpeedGap> speedGaps(const LayerProfile& profile, const Cluster& cluster);
/// "The layer times are those of a V100-SXM2-16GB at fp32; …": a sentence about all of them, for people.
std::string describeSpeedGaps(const LayerProfile& profile, const std::vector<SpeedGap>& gaps);
/// Whether there is a speed for any of them.
bool haveSpeeds(const std::vector<SpeedGap>& gaps);
/// The cluster with these speeds; devices of speed 1 alone are changed.
Cluster withSpeeds(Cluster cluster, const std::vector<SpeedGap>& gaps);

}  // namespace stagecraft::generation
