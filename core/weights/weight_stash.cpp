#include "core/weights/weight_stash.h"

#include "core/base/indices.h"
#include "core/weights/weight_use.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace stagecraft::weights {

namespace {

/// Updates and passes may end together in sums that round differently.
bool lastsLonger(double untilS, double fromS) { return untilS > fromS + 1e-12 + 1e-11 * untilS; }

/// A replica of a stage that takes microbatches in turn with others, or all devices of a stage.
struct Holder {
    std::vector<double> untilS;                         // by version: when its last pass ends
    std::map<std::pair<int, bool>, double> copyUntilS;  // by mini-batch and whether backward
};

class Stashes {
public:
    Stashes(const Plan& plan, const Timeline& timeline)
        : plan_(plan), timeline_(timeline), history_(plan, timeline), uses_(plan, history_) {
        for (const Lane& lane : timeline.lanes)
            if (lane.kind == LaneKind::compute)
                for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block)
                    addBlock(lane, block);
    }

    std::vector<StashedVersion> list() const {
        std::vector<StashedVersion> stashed;
        for (const auto& [key, holder] : holders_) {
            const auto [stage, device] = key;
            const std::vector<int> devices =
                device < 0 ? plan_.stages[at(stage)].devices : std::vector<int>{device};
            const std::vector<StageUpdate>& updates = history_.updates(stage);
            for (std::size_t version = 0; version < holder.untilS.size(); ++version)
                if (lastsLonger(holder.untilS[version], updates[version].atS))
                    stashed.push_back({stage, static_cast<int>(version), false, updates[version].atS,
                                       holder.untilS[version], devices});
            for (const auto& [pass, untilS] : holder.copyUntilS) {
                const auto [iteration, backward] = pass;
                const double fromS = startsS_.at({stage, iteration, backward});
                const MicrobatchUse& use = uses_.of(stage, iteration, firstMicrobatch(stage));
                if (lastsLonger(untilS, fromS))
                    stashed.push_back({stage, (backward ? use.backward : use.forward).version, true, fromS,
                                       untilS, devices});
            }
        }
        return stashed;
    }

private:
    /// All microbatches of a mini-batch use what its bellwether made; that of the pipeline's number is one.
    int firstMicrobatch(int stage) const { return plan_.stages[at(stage)].pipeline; }

    void addBlock(const Lane& lane, std::uint32_t block) {
        const BlockKind kind = timeline_.kind[block];
        if (!isPass(kind) && kind != BlockKind::recompute) return;
        timeline_.eachPass(block, [&](const Pass& pass) { addPass(lane, block, pass); });
    }

    void addPass(const Lane& lane, std::uint32_t block, const Pass& pass) {
        const bool forward = pass.kind == BlockKind::forward;
        const int stage = pass.stage, iteration = timeline_.iteration[block];
        const bool inTurn = plan_.stages[at(stage)].replication == Replication::roundRobin;
        Holder& holder = holders_[{stage, inTurn ? lane.devices.front() : -1}];
        const MicrobatchUse& use = uses_.of(stage, iteration, pass.microbatch);
        const WeightUse& weights = forward ? use.forward : use.backward;
        if (weights.ahead == 0) {
            holder.untilS.resize(history_.updates(stage).size(), 0);
            if (at(weights.version) < holder.untilS.size())
                raise(holder.untilS[at(weights.version)], timeline_.endS[block]);
            return;
        }
        raise(holder.copyUntilS[{iteration, !forward}], timeline_.endS[block]);
        const auto [known, isNew] =
            startsS_.try_emplace(std::tuple(stage, iteration, !forward), timeline_.startS[block]);
        if (!isNew) known->second = std::min(known->second, timeline_.startS[block]);
    }

    static void raise(double& level, double to) { level = std::max(level, to); }

    const Plan& plan_;
    const Timeline& timeline_;
    const PassHistory history_;
    const WeightUses uses_;
    std::map<std::pair<int, int>, Holder> holders_;         // by stage and device; device -1: all of them
    std::map<std::tuple<int, int, bool>, double> startsS_;  // by stage, mini-batch and whether backward
};

}  // namespace

std::vector<StashedVersion> stashedVersions(const Plan& plan, const Timeline& timeline) {
    if (plan.weights.kind == WeightPolicyKind::single || plan.weights.kind == WeightPolicyKind::latest)
        return {};
    return Stashes(plan, timeline).list();
}

}  // namespace stagecraft::weights
