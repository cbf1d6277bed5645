#pragma once

#include "core/cost/layer_sums.h"
#include "core/model/measured_gpus.h"

#include <memory>
#include <vector>

namespace stagecraft::cost {

/// What the devices of a cluster have that go by times which were measured on their type, in the place of the
/// profile's (model::GpuKinds). Threads may share one.
class KindSums {
public:
    /// Nothing where all devices go by the profile's own times.
    static std::shared_ptr<const KindSums> of(const LayerProfile& profile, const Cluster& cluster);

    /// 0: the profile's own times, by the device's speed.
    int kindOf(int device) const { return kinds_.kindOf[static_cast<std::size_t>(device)]; }
    int kindCount() const { return static_cast<int>(own_.size()) + 1; }
    // Of a kind other than 0.
    const LayerProfile& profile(int kind) const { return ownOf(kind).profile; }
    /// @param imbalance of experts (TrainingSetup)
    const LayerSums& sums(int kind, const Group& group, double imbalance) const;
    /// How many times as fast it is as the reference, forward and backward of all layers together.
    double speed(int kind) const { return ownOf(kind).speed; }
    /// Whether any has times at several microbatch sizes.
    bool haveSizes() const;

private:
    struct Own {
        explicit Own(LayerProfile measured);
        LayerProfile profile;
        LayerSums whole;
        double speed = 1;
        std::unique_ptr<GroupSums> groups;
    };
    KindSums(const LayerProfile& profile, GpuKinds kinds);
    const Own& ownOf(int kind) const { return own_[static_cast<std::size_t>(kind - 1)]; }

    GpuKinds kinds_;
    std::vector<Own> own_;  // by kind, from 1 on
};

}  // namespace stagecraft::cost
