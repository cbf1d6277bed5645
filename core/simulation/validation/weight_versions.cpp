#include "core/simulation/validation/weight_versions.h"

#include <algorithm>

namespace stagecraft::validation {

void WeightVersions::findUpdates() {
    updatesS_.resize(context_.facts.stages.size());
    for (int stage = 0; stage < context_.stageCount(); ++stage) {
        std::vector<double>& updates = updatesS_[static_cast<std::size_t>(stage)];
        for (int iteration = 0; iteration < context_.index.iterations(); ++iteration)
            if (const std::uint32_t update = context_.index.update(stage, iteration); update != noBlock)
                updates.push_back(context_.end(update));
        std::sort(updates.begin(), updates.end());
    }
}

int WeightVersions::newestAt(int stage, double seconds) const {
    const std::vector<double>& updates = updatesS_[static_cast<std::size_t>(stage)];
    return static_cast<int>(std::upper_bound(updates.begin(), updates.end(), seconds + slackAt(seconds)) -
                            updates.begin());
}

int WeightVersions::namedFor(int stage, int iteration, int ordinal) const {
    const WeightPolicyKind kind = context_.plan.weights.kind;
    if (kind == WeightPolicyKind::doubleBuffer)
        return std::max(0, iteration - 1);  // a delay of one mini-batch
    if (kind == WeightPolicyKind::verticalSync) {
        // The version of the stage of its pipeline where the microbatch enters.
        const int pipeline = context_.facts.stages[static_cast<std::size_t>(stage)].pipeline;
        for (stage = 0; context_.facts.stages[static_cast<std::size_t>(stage)].pipeline != pipeline;) ++stage;
    }
    const std::uint32_t forward = context_.index.block(BlockKind::forward, stage, iteration, ordinal);
    return forward == noBlock ? 0 : newestAt(stage, context_.start(forward));
}

std::vector<WeightVersions::Change> WeightVersions::changes(int stage) const {
    const std::vector<double>& updates = updatesS_[static_cast<std::size_t>(stage)];
    std::vector<double> neededUntilS(updates);  // version v is superseded by update v
    for (int iteration = 0; iteration < context_.index.iterations(); ++iteration)
        for (int ordinal = 0; ordinal < context_.facts.microbatchesOf(stage); ++ordinal) {
            const auto version = static_cast<std::size_t>(namedFor(stage, iteration, ordinal));
            const std::uint32_t last = context_.lastOfBackward(stage, iteration, ordinal);
            if (last != noBlock && version < neededUntilS.size())
                neededUntilS[version] = std::max(neededUntilS[version], context_.end(last));
        }
    std::vector<Change> changes;
    for (std::size_t version = 0; version < updates.size(); ++version) {
        changes.push_back({updates[version], 1});
        changes.push_back({neededUntilS[version], -1});
    }
    return changes;
}

WeightVersions::Peak WeightVersions::peak(int stage) const {
    std::vector<Change> all = changes(stage);
    std::sort(all.begin(), all.end(), [](const Change& a, const Change& b) {
        return a.atS != b.atS ? a.atS < b.atS : a.count < b.count;
    });
    Peak peak;
    int standing = 1;
    for (const Change& change : all) {
        standing += change.count;
        if (standing > peak.count) peak = {standing, change.atS};
    }
    return peak;
}

}  // namespace stagecraft::validation
