#pragma once

#include "core/model/plan.h"
#include "core/model/timeline.h"

#include <string>
#include <vector>

namespace stagecraft::model {

/// Two stages that exchange over a channel: `from` sends activations and `to` gradients, or one of the two
/// alone by `direction`.
struct StagePair {
    int from = 0;
    int to = 0;
    Direction direction = Direction::both;
    bool operator==(const StagePair&) const = default;
};

/// Who sends what over a channel: activations, or gradients.
struct ChannelSender {
    int stage = 0;
    bool gradient = false;
    bool operator==(const ChannelSender&) const = default;
};

// Where a GPU holds several stages, a channel between two GPUs serves several pairs of stages, all of which
// are named.

/// The pairs that a channel with these senders serves, ascending; that of the lane itself if there are none.
/// The receiver is the lane's own where the sender is, else the nearest stage across that is on the lane's
/// devices.
std::vector<StagePair> stagePairs(const Plan& plan, const Lane& channel,
                                  const std::vector<ChannelSender>& senders);
/// Those whose blocks are on the timeline.
std::vector<StagePair> stagePairs(const Plan& plan, const Timeline& timeline, const Lane& channel);
/// Groups of stages that hold copies of the same layers, transitively; each ascending, by lowest stage.
std::vector<std::vector<int>> stagesSharingLayers(const Plan& plan);
/// The devices that any of these stages has, ascending.
std::vector<int> devicesHolding(const Plan& plan, const std::vector<int>& stages);
/// All stages whose gradients are summed on an AllReduce's lane, ascending: those whose layers are held by
/// just its devices.
std::vector<int> stagesServed(const Plan& plan, const Lane& allReduce);

/// With an arrow in each pair in the direction of transfer: "0 ⇄ 1", "0 → 1, 2 → 1".
std::string stagePairsText(const std::vector<StagePair>& pairs, const char* bothWays = " ⇄ ",
                           const char* oneWay = " → ");
/// "between stages 0 and 1", "between stages 0 and 1, forward", "from stage 0 to stage 1 and from stage 2 to
/// stage 1".
std::string betweenStages(const std::vector<StagePair>& pairs);
/// "stage 0", "stages 0 and 4"
std::string namedStages(const std::vector<int>& stages);

}  // namespace stagecraft::model
