#pragma once

#include "core/cost/cost_model.h"
#include "core/model/timeline.h"

#include <map>
#include <utility>
#include <vector>

namespace stagecraft::simulation {

/// The lanes of a plan. Compute lanes are maximal sets of devices that hold exactly the same split stages (a
/// round-robin stage makes each of its devices a lane); they come first, by lowest device.
class LaneLayout {
public:
    LaneLayout(const Plan& plan, int deviceCount, ChannelMode channelMode);

    const std::vector<Lane>& lanes() const { return lanes_; }
    /// Compute lanes of a stage, ascending; for a round-robin stage replica r has the r-th entry.
    const std::vector<int>& computeLanes(int stage) const {
        return computeLanes_[static_cast<std::size_t>(stage)];
    }
    /// The stages that a compute lane runs, ascending.
    std::vector<int> stagesOn(int lane) const;
    /// The lane of a transfer between two device sets, made when first asked for. Stage edges between the
    /// same sets share it; in full duplex each direction has its own.
    int channel(int fromStage, int toStage, const std::vector<int>& sender, const std::vector<int>& receiver,
                bool gradient);
    /// The lane of a group's AllReduce. Groups on the same devices share it, for their rings are the same
    /// links: one sums after the other.
    int allReduceLane(const DataParallelGroup& group);
    /// The same of any devices, ascending. @param stage the lowest that has some of them
    int collectiveLane(const std::vector<int>& devices, int stage);
    int hostLink(int computeLane);

private:
    int add(Lane lane);

    const Plan& plan_;
    ChannelMode channelMode_;
    std::vector<Lane> lanes_;
    std::vector<std::vector<int>> computeLanes_;
    std::map<std::pair<std::vector<int>, std::vector<int>>, int> channels_;
    std::map<std::vector<int>, int> reductions_;  ///< by devices, ascending
    std::map<int, int> hostLinks_;
};

}  // namespace stagecraft::simulation
