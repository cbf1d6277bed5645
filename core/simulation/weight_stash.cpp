#include "core/simulation/weight_stash.h"

#include <algorithm>
#include <map>
#include <utility>

namespace stagecraft {

namespace {

/// What happens to the weights of one stage.
struct StageHistory {
    std::vector<double> updatesS;  // when each version but the first appears, ascending
    std::map<std::pair<int, int>, double> forwardStartS, backwardEndS;  // by iteration and microbatch
};

std::vector<StageHistory> historiesOf(const Plan& plan, const Timeline& timeline) {
    std::vector<StageHistory> histories(plan.stages.size());
    std::vector<int> lastUpdated(plan.stages.size(), -1);
    const BlockKind lastUse = plan.schedule.splitBackward ? BlockKind::weightGradient : BlockKind::backward;
    for (std::uint32_t block = 0; block < timeline.blockCount(); ++block) {
        const auto stage = static_cast<std::size_t>(timeline.stage[block]);
        StageHistory& history = histories[stage];
        const std::pair microbatch(timeline.iteration[block], timeline.microbatch[block]);
        if (timeline.kind[block] == BlockKind::forward)
            history.forwardStartS[microbatch] = timeline.startS[block];
        if (timeline.kind[block] == lastUse) history.backwardEndS[microbatch] = timeline.endS[block];
        // A stage that spans several lanes has its update on each of them.
        if (timeline.kind[block] == BlockKind::update && timeline.iteration[block] > lastUpdated[stage]) {
            lastUpdated[stage] = timeline.iteration[block];
            history.updatesS.push_back(timeline.endS[block]);
        }
    }
    return histories;
}

std::size_t newestAt(const StageHistory& history, double atS) {
    return static_cast<std::size_t>(std::upper_bound(history.updatesS.begin(), history.updatesS.end(), atS) -
                                    history.updatesS.begin());
}

std::size_t inputStage(const Plan& plan, std::size_t stage) {
    while (stage > 0 && plan.stages[stage - 1].pipeline == plan.stages[stage].pipeline) --stage;
    return stage;
}

}  // namespace

std::vector<StashedVersion> stashedVersions(const Plan& plan, const Timeline& timeline) {
    const std::vector<StageHistory> histories = historiesOf(plan, timeline);
    std::vector<StashedVersion> stashed;
    for (std::size_t stage = 0; stage < histories.size(); ++stage) {
        const StageHistory& own = histories[stage];
        const bool vertical = plan.weights.kind == WeightPolicyKind::verticalSync;
        const StageHistory& named = vertical ? histories[inputStage(plan, stage)] : own;
        std::vector<double> neededUntilS = own.updatesS;
        for (const auto& [microbatch, endS] : own.backwardEndS) {
            const std::size_t version = newestAt(named, named.forwardStartS.at(microbatch));
            if (version < neededUntilS.size()) neededUntilS[version] = std::max(neededUntilS[version], endS);
        }
        for (std::size_t version = 0; version < neededUntilS.size(); ++version)
            if (neededUntilS[version] > own.updatesS[version])
                stashed.push_back({static_cast<int>(stage), static_cast<int>(version), own.updatesS[version],
                                   neededUntilS[version]});
    }
    return stashed;
}

}  // namespace stagecraft
