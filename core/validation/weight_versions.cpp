#include "core/validation/weight_versions.h"

#include "core/base/indices.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace stagecraft::validation {

namespace {

int inputStage(const Facts& facts, int stage) {
    int input = 0;
    while (facts.stages[at(input)].pipeline != facts.stages[at(stage)].pipeline) ++input;
    return input;
}

}  // namespace

double WeightVersions::updateOf(int stage, int iteration) const {
    if (const std::uint32_t update = context_.index.update(stage, iteration); update != noBlock)
        return context_.end(update);
    if (!context_.facts.periodic) return std::numeric_limits<double>::infinity();
    double lastS = 0;
    for (int ordinal = 0; ordinal < context_.facts.passesOf(stage); ++ordinal)
        if (const std::uint32_t last = context_.lastOfBackward(stage, iteration, ordinal); last != noBlock)
            lastS = std::max(lastS, context_.end(last));
    return lastS;
}

void WeightVersions::findUpdates() {
    const int iterations = context_.index.iterations();
    for (int stage = 0; stage < context_.stageCount(); ++stage) {
        std::vector<double> endS;
        for (int iteration = 0; iteration < iterations; ++iteration)
            endS.push_back(updateOf(stage, iteration));
        std::vector<int> order(at(iterations));
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return endS[at(a)] < endS[at(b)]; });
        Updates& updates = updates_.emplace_back();
        updates.position.resize(at(iterations));
        for (const int iteration : order) {
            updates.position[at(iteration)] = static_cast<int>(updates.atS.size());
            if (std::isfinite(endS[at(iteration)])) updates.atS.push_back(endS[at(iteration)]);
        }
    }
}

int WeightVersions::newestAt(int stage, double seconds) const {
    const std::vector<double>& updates = updates_[at(stage)].atS;
    return static_cast<int>(std::upper_bound(updates.begin(), updates.end(), seconds + slackAt(seconds)) -
                            updates.begin());
}

/// What a pass finds: its own update comes after it, even if it takes no time.
int WeightVersions::newestBeforeOwn(int stage, int iteration, double seconds) const {
    return std::min(newestAt(stage, seconds), updates_[at(stage)].position[at(iteration)]);
}

int WeightVersions::namedFor(int stage, int iteration, int ordinal) const {
    const WeightPolicyKind kind = context_.plan.weights.kind;
    if (kind == WeightPolicyKind::doubleBuffer)
        return std::max(0, iteration - 1);  // a delay of one mini-batch
    // Vertical sync: the version of the stage of its pipeline where the microbatch enters.
    if (kind == WeightPolicyKind::verticalSync) stage = inputStage(context_.facts, stage);
    const std::uint32_t forward = context_.index.block(BlockKind::forward, stage, iteration, ordinal);
    return forward == noBlock ? 0 : newestBeforeOwn(stage, iteration, context_.start(forward));
}

std::vector<WeightVersions::Kept> WeightVersions::kept(int stage, int replica) const {
    const std::vector<double>& updates = updates_[at(stage)].atS;
    std::vector<Kept> all;
    LastUses lastUses(updates.size() + 1, noBlock);
    switch (context_.plan.weights.kind) {
        case WeightPolicyKind::single:
        case WeightPolicyKind::latest:
            break;
        case WeightPolicyKind::stashing:
        case WeightPolicyKind::verticalSync:
        case WeightPolicyKind::doubleBuffer:
            addNamed(stage, replica, lastUses);
            break;
        case WeightPolicyKind::predicted:
            addPredicted(stage, replica, lastUses, all);
            break;
    }
    // From the update that replaces a version until its last use ends.
    for (std::size_t version = 0; version < updates.size(); ++version)
        if (lastUses[version] != noBlock && isBefore(updates[version], context_.end(lastUses[version])))
            all.push_back({static_cast<int>(version), false, updates[version],
                           context_.end(lastUses[version]), lastUses[version]});
    return all;
}

void WeightVersions::note(std::uint32_t& lastUse, std::uint32_t block) const {
    if (block != noBlock && (lastUse == noBlock || context_.end(block) > context_.end(lastUse)))
        lastUse = block;
}

void WeightVersions::addNamed(int stage, int replica, LastUses& lastUses) const {
    for (int iteration = 0; iteration < context_.index.iterations(); ++iteration)
        for (int ordinal = 0; ordinal < context_.facts.passesOf(stage); ++ordinal) {
            // A version that does not exist yet is another check's to find.
            const int version = namedFor(stage, iteration, ordinal);
            if (context_.facts.replicaOf(stage, iteration, ordinal) == replica &&
                at(version) < lastUses.size())
                note(lastUses[at(version)], context_.lastOfBackward(stage, iteration, ordinal));
        }
}

WeightVersions::Group WeightVersions::groupOf(int stage, int iteration, bool backward) const {
    Group group;
    double versionS = std::numeric_limits<double>::infinity();
    group.startsS = versionS;
    for (int ordinal = 0; ordinal < context_.facts.passesOf(stage); ++ordinal) {
        const std::uint32_t pass = context_.index.block(backward ? BlockKind::backward : BlockKind::forward,
                                                        stage, iteration, ordinal);
        // Recomputation is the backward's and uses its weights.
        const std::uint32_t again =
            backward ? context_.index.block(BlockKind::recompute, stage, iteration, ordinal) : noBlock;
        group.first.push_back(again != noBlock ? again : pass);
        group.last.push_back(backward ? context_.lastOfBackward(stage, iteration, ordinal) : pass);
        if (pass == noBlock) continue;
        versionS = std::min(versionS, context_.start(pass));
        group.startsS = std::min(group.startsS, context_.start(group.first.back()));
    }
    group.version = newestBeforeOwn(stage, iteration, versionS);
    return group;
}

int WeightVersions::countedAhead(int stage, int iteration, int version) const {
    const int input = inputStage(context_.facts, stage);
    double leavesS = 0;
    for (int ordinal = 0; ordinal < context_.facts.passesOf(input); ++ordinal)
        if (const std::uint32_t last = context_.lastOfBackward(input, iteration, ordinal); last != noBlock)
            leavesS = std::max(leavesS, context_.end(last));
    const int then = newestAt(stage, leavesS);
    const int own = updates_[at(stage)].position[at(iteration)] < then ? 1 : 0;
    return std::max(0, then - own - version);
}

int WeightVersions::aheadByFormula(const Facts& facts, int stage, bool printed, bool backward) {
    const double size = facts.stages[at(stage)].pipelineStages, rank = facts.stages[at(stage)].position;
    const double microbatches = facts.passesOf(stage) / facts.slices;
    if (printed)
        return static_cast<int>(std::nearbyint(
            (backward ? microbatches + std::floor(rank / 2) - 1 : size + microbatches - rank / 2 - 2) /
            microbatches));
    return static_cast<int>((backward ? 0 : std::ceil((size - rank - 1) / microbatches)) +
                            std::floor(rank / (2 * microbatches)));
}

int WeightVersions::ahead(int stage, int iteration, const Group& group, bool backward) const {
    const VersionDifference difference = context_.plan.weights.difference;
    if (difference == VersionDifference::counted) return countedAhead(stage, iteration, group.version);
    return aheadByFormula(context_.facts, stage, difference == VersionDifference::printed, backward);
}

/// All of a mini-batch use what its bellwether made: a copy from the bellwether's start, or, where no update
/// is expected, the version that was current then.
void WeightVersions::addPredicted(int stage, int replica, LastUses& lastUses,
                                  std::vector<Kept>& copies) const {
    for (int iteration = 0; iteration < context_.index.iterations(); ++iteration)
        for (const bool backward : {false, true}) {
            const Group group = groupOf(stage, iteration, backward);
            std::uint32_t lastUse = noBlock;
            for (int ordinal = 0; ordinal < context_.facts.passesOf(stage); ++ordinal)
                if (context_.facts.replicaOf(stage, iteration, ordinal) == replica)
                    note(lastUse, group.last[at(ordinal)]);
            if (lastUse == noBlock) continue;
            if (ahead(stage, iteration, group, backward) == 0)
                note(lastUses[at(group.version)], lastUse);
            else if (isBefore(group.startsS, context_.end(lastUse)))
                copies.push_back({group.version, true, group.startsS, context_.end(lastUse), lastUse});
        }
}

std::optional<WeightVersions::Excess> WeightVersions::beyond(int stage, int replica, int most) const {
    std::vector<Kept> all = kept(stage, replica);
    std::sort(all.begin(), all.end(), [](const Kept& a, const Kept& b) { return a.fromS < b.fromS; });
    std::vector<const Kept*> standing;
    for (const Kept& next : all) {
        std::erase_if(standing, [&](const Kept* each) { return !isBefore(next.fromS, each->untilS); });
        standing.push_back(&next);
        const int count = 1 + static_cast<int>(standing.size());
        if (count <= most) continue;
        const Kept* oldest =
            *std::min_element(standing.begin(), standing.end(), [](const Kept* a, const Kept* b) {
                return a->version != b->version ? a->version < b->version : a->fromS < b->fromS;
            });
        return Excess{count, next.fromS, *oldest};
    }
    return std::nullopt;
}

}  // namespace stagecraft::validation
