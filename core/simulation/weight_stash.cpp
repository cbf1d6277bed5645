#include "core/simulation/weight_stash.h"

#include <algorithm>
#include <map>
#include <utility>

namespace stagecraft {

namespace {

/// What a replica of a stage (all of them, if they split each microbatch) does with microbatches.
struct Passes {
    std::map<std::pair<int, int>, double> forwardStartS, backwardEndS;  // by iteration and microbatch
};

/// What happens to the weights of one stage.
struct StageHistory {
    std::vector<double> updatesS;   // when each version but the first appears, ascending
    std::map<int, Passes> holders;  // by device that takes microbatches in turn with others; -1: all devices

    std::size_t newestAt(double atS) const {
        return static_cast<std::size_t>(std::upper_bound(updatesS.begin(), updatesS.end(), atS) -
                                        updatesS.begin());
    }
    double forwardStartS(std::pair<int, int> microbatch) const {
        for (const auto& [device, passes] : holders)
            if (const auto found = passes.forwardStartS.find(microbatch); found != passes.forwardStartS.end())
                return found->second;
        return 0;
    }
};

std::vector<StageHistory> historiesOf(const Plan& plan, const Timeline& timeline) {
    std::vector<StageHistory> histories(plan.stages.size());
    std::vector<std::map<int, double>> updatesS(plan.stages.size());  // by mini-batch
    const BlockKind lastUse = plan.schedule.splitBackward ? BlockKind::weightGradient : BlockKind::backward;
    for (const Lane& lane : timeline.lanes) {
        if (lane.kind != LaneKind::compute) continue;
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block) {
            const auto stage = static_cast<std::size_t>(timeline.stage[block]);
            StageHistory& history = histories[stage];
            const bool inTurn = plan.stages[stage].replication == Replication::roundRobin;
            Passes& passes = history.holders[inTurn ? lane.devices.front() : -1];
            const std::pair microbatch(timeline.iteration[block], timeline.microbatch[block]);
            if (timeline.kind[block] == BlockKind::forward)
                passes.forwardStartS[microbatch] = timeline.startS[block];
            if (timeline.kind[block] == lastUse) passes.backwardEndS[microbatch] = timeline.endS[block];
            // A stage that spans several lanes has its update on each of them.
            if (timeline.kind[block] == BlockKind::update)
                updatesS[stage][timeline.iteration[block]] = timeline.endS[block];
        }
    }
    for (std::size_t stage = 0; stage < histories.size(); ++stage) {
        std::vector<double>& all = histories[stage].updatesS;
        for (const auto& [miniBatch, endS] : updatesS[stage]) all.push_back(endS);
        std::sort(all.begin(), all.end());
    }
    return histories;
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
        for (const auto& [device, passes] : own.holders) {
            const std::vector<int> devices = device < 0 ? plan.stages[stage].devices : std::vector{device};
            std::vector<double> neededUntilS = own.updatesS;
            for (const auto& [microbatch, endS] : passes.backwardEndS) {
                const std::size_t version = named.newestAt(named.forwardStartS(microbatch));
                if (version < neededUntilS.size())
                    neededUntilS[version] = std::max(neededUntilS[version], endS);
            }
            for (std::size_t version = 0; version < neededUntilS.size(); ++version)
                if (neededUntilS[version] > own.updatesS[version])
                    stashed.push_back({static_cast<int>(stage), static_cast<int>(version),
                                       own.updatesS[version], neededUntilS[version], devices});
        }
    }
    return stashed;
}

}  // namespace stagecraft
