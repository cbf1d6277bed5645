#pragma once

#include "core/model/plan.h"
#include "core/model/problem.h"
#include "core/validation/group_parts.h"

#include <memory>
#include <vector>

namespace stagecraft::validation {

/// Whether it is no layer of its stage's passes, but one that all stages have a part of.
bool isSharedOut(const Problem& problem, const Plan& plan, int layer);
/// What of the times is left for a rank.
LayerTimes partOf(const LayerTimes& times, const RankPart& rank);
/// Seconds of a rank's part of a layer for `samples` samples: on the straight line between the measured sizes
/// around it, beyond them in proportion. With one measured size that is in proportion everywhere.
LayerTimes timesOf(const LayerProfile& profile, int index, double samples, const RankPart& rank);
/// The part of a microbatch that the replica with most of it has.
double largestPart(const Problem& problem, std::size_t replicas);

/// Devices that have the same times, and the slowest of them.
struct DeviceType {
    std::shared_ptr<const LayerProfile> profile;
    double speed = 1;
};
/// Those of some devices of the problem, which must outlive them.
std::vector<DeviceType> typesAmong(const Problem& problem, const std::vector<int>& devices);

/// What the slowest of some devices has of one layer of a stage, for one microbatch or one slice of it.
struct LayerWork {
    // Seconds, of computing alone.
    double forward = 0;
    double backward = 0;  ///< the whole of it
    double weightGradient = 0, recompute = 0;
    SendingTimes sends;
    bool isComputedAgain = false;  ///< all of it, so that it sends again as well
    double storedBytes = 0;        ///< of the microbatch of a copy
};

/// The devices of a stage that work on a microbatch together.
class StageWork {
public:
    /// All but `workers` must outlive it.
    StageWork(const Problem& problem, const Plan& plan, const Stage& stage, const std::vector<int>& workers,
              int slices, const Network& network);

    /// Of a layer of the stage's passes, on the slowest of the devices where they wait for each other in each
    /// layer, else on those of a type.
    LayerWork of(int layer, std::size_t type = 0) const;
    /// As many as there are types whose devices go through a pass each for itself.
    std::size_t types() const { return stage_.group.dividesLayers() ? 1 : types_.size(); }
    /// The part of a microbatch that a copy has.
    double part() const { return part_; }

private:
    const Problem& problem_;
    const Plan& plan_;
    const Stage& stage_;
    const Network& network_;
    const int slices_;
    const double part_;
    std::vector<DeviceType> types_;
    LayerWork on(const DeviceType& type, int layer) const;
};

}  // namespace stagecraft::validation
