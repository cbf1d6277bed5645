#include "core/validation/checks.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>

namespace stagecraft::validation {

namespace {

/// A family by its defining property: how many forwards of a round a stage has begun when it begins a
/// backward. Forwards and backwards each go in ascending order.
using ForwardsBefore = std::function<int(int backward)>;

/// Alg. 1 of SPP, lines 3 to 8, with the queues as they are at the beginning of a sweep (E-SPP-4). Queues
/// hold consecutive microbatches, so that two counters describe each.
std::vector<std::vector<int>> peForwardsBefore(int stages, int microbatches) {
    const int blocks = 4 * stages - 3;
    std::vector<int> head(static_cast<std::size_t>(blocks) + 2, 0), tail(head.size(), 0);
    tail[1] = microbatches;
    std::vector<std::vector<int>> before(static_cast<std::size_t>(stages));
    std::vector<int> forwards(static_cast<std::size_t>(stages), 0);
    while (head[static_cast<std::size_t>(blocks)] < microbatches) {
        // From the last queue down, so that what a block passes on is not seen before the next sweep; a
        // stage's forward has a lower number than its backward and therefore comes first in the order.
        std::vector<int> taken;
        for (int block = blocks; block >= 1; --block) {
            const auto j = static_cast<std::size_t>(block);
            if (head[j] == tail[j]) continue;
            ++head[j];
            ++tail[j + 1];
            taken.push_back(block);
        }
        for (auto block = taken.rbegin(); block != taken.rend(); ++block) {
            if (*block % 2 == 0) continue;  // a channel
            const int number = (*block - 1) / 2;
            const auto stage = static_cast<std::size_t>(number < stages ? number : 2 * (stages - 1) - number);
            if (number < stages) ++forwards[stage];
            if (number >= stages - 1) before[stage].push_back(forwards[stage]);
        }
    }
    return before;
}

class PolicyCheck {
public:
    PolicyCheck(const Context& context, const FamilySchedule& policy)
        : context_(context), policy_(policy), family_(policy.name) {}

    void run() {
        if (family_ == "greedy") return;  // no order to respect
        // A family without words of its own here may order passes as it likes.
        const bool restated = family_ == "gpipe" || family_ == "1f1b" || family_ == "eager-1f1b" ||
                              family_ == "bpipe" || family_ == "zb-h1" || family_ == "pe";
        for (int stage = 0; stage < context_.stageCount(); ++stage) {
            if (restated) checkStage(stage);
            checkRecompute(stage);
        }
    }

private:
    const StageFacts& facts(int stage) const {
        return context_.facts.stages[static_cast<std::size_t>(stage)];
    }

    ForwardsBefore property(int stage, int round) {
        if (family_ == "gpipe") return [round](int) { return round; };
        const int stages = facts(stage).pipelineStages, position = facts(stage).position;
        if (family_ == "1f1b" || family_ == "bpipe") {
            const int step = facts(stage).replicaCount(), spread = inFlight(stage) * step;
            return [=](int backward) { return std::min(round, backward + spread); };
        }
        if (family_ == "eager-1f1b" || family_ == "zb-h1") {
            const int later = stages - 1 - position, warmUp = family_ == "zb-h1" ? later : 2 * later;
            return [=](int backward) { return std::min(round, backward + warmUp + 1); };
        }
        const auto known = pe_.find({stages, round});
        const auto& orders =
            known != pe_.end() ? known->second : pe_[{stages, round}] = peForwardsBefore(stages, round);
        return [&before = orders[static_cast<std::size_t>(position)]](int backward) {
            return before[static_cast<std::size_t>(backward)];
        };
    }

    /// 1F1B-RR: microbatches that a replica has begun and not finished when it begins a backward, that one
    /// included: the workers from here to the end of the pipeline, shared out over the stage's replicas
    /// (E-PD-4), and what the plan adds.
    int inFlight(int stage) const {
        const auto found = policy_.parameters.find("extra_in_flight");
        constexpr double countable = 1e4;
        const bool adds = found != policy_.parameters.end() && found->second > 0;  // false for NaN
        const int extra = adds ? static_cast<int>(std::min(found->second, countable)) : 0;
        int workers = facts(stage).replicaCount();
        for (int later = stage + 1; later < context_.stageCount(); ++later)
            if (facts(later).pipeline == facts(stage).pipeline)
                workers += facts(later).replicaCount() + extra;
        const int step = facts(stage).replicaCount();
        return (workers + step - 1) / step;
    }

    std::uint32_t at(BlockKind kind, int stage, int entry) const {
        const int count = context_.facts.passesOf(stage);
        return context_.index.block(kind, stage, entry / count, entry % count);
    }

    void requireOrder(std::uint32_t earlier, std::uint32_t later) {
        context_.requireOrder(family_, earlier, later);
    }

    /// Replicas that take microbatches in turn each follow the stage's order for what is their own.
    void checkStage(int stage) {
        // Without a barrier 1F1B runs on over mini-batches as over one long one.
        const bool streams = (family_ == "1f1b" || family_ == "eager-1f1b") &&
                             context_.problem.setup.mode == TrainingMode::asynchronous;
        const int count = context_.facts.passesOf(stage);
        const int entries = count * context_.index.iterations();
        const int round = streams ? entries : count;
        if (round == 0) return;
        const int step = facts(stage).replicaCount();
        const ForwardsBefore forwardsBefore = property(stage, round);
        for (int entry = 0; entry < entries; ++entry) {
            const int first = entry - entry % round, end = first + round;
            const std::uint32_t backward = at(BlockKind::backward, stage, entry);
            if (entry >= step) {
                requireOrder(at(BlockKind::forward, stage, entry - step),
                             at(BlockKind::forward, stage, entry));
                requireOrder(at(BlockKind::backward, stage, entry - step), backward);
            }
            // The replica's own forwards next to the border between those before and those after.
            const int border = std::min(first + forwardsBefore(entry - first), end);
            const int after = border + ((entry - border) % step + step) % step;
            if (after - step >= 0) requireOrder(at(BlockKind::forward, stage, after - step), backward);
            if (after < entries) requireOrder(backward, at(BlockKind::forward, stage, after));
        }
    }

    /// A recomputation is part of the backward pass: nothing comes between the two on their device.
    void checkRecompute(int stage) {
        const int entries = context_.facts.passesOf(stage) * context_.index.iterations();
        for (int entry = 0; entry < entries && facts(stage).recomputes; ++entry) {
            const std::uint32_t recompute = at(BlockKind::recompute, stage, entry);
            const std::uint32_t backward = at(BlockKind::backward, stage, entry);
            if (recompute == noBlock || backward == noBlock) continue;
            std::uint32_t next = recompute + 1;
            while (next < backward && isOutOfTurn(context_.timeline.kind[next])) ++next;
            if (next >= backward || !isBefore(context_.start(next), context_.start(backward))) continue;
            context_.report.add(Rule::orderRespected, next, [&] {
                return "The " + context_.name(next) + " starts at " + seconds(context_.start(next)) +
                       ", between the " + context_.name(recompute) + " and its backward at " +
                       seconds(context_.start(backward)) + "; expected nothing between them.";
            });
        }
    }

    const Context& context_;
    const FamilySchedule& policy_;
    const std::string& family_;
    std::map<std::pair<int, int>, std::vector<std::vector<int>>> pe_;
};

}  // namespace

void checkPolicyOrder(const Context& context, const FamilySchedule& policy) {
    PolicyCheck(context, policy).run();
}

void checkChannelOrder(const Context& context, const FamilySchedule& policy) {
    if (policy.name != "pe" || context.problem.setup.channel != ChannelMode::halfDuplex) return;
    for (std::size_t e = 0; e < context.facts.edges.size(); ++e) {
        const EdgeFacts& edge = context.facts.edges[e];
        const StageFacts& from = context.facts.stages[static_cast<std::size_t>(edge.from)];
        const StageFacts& to = context.facts.stages[static_cast<std::size_t>(edge.to)];
        // Alg. 1 numbers the channels between neighbours alone.
        if (!edge.transfers || to.position != from.position + 1 || from.roundRobin || to.roundRobin) continue;
        const int stages = from.pipelineStages, n = from.position + 1;
        const int forwardBlock = 2 * n, backwardBlock = 4 * stages - 2 - 2 * n;
        std::uint32_t last = noBlock;
        for (int iteration = 0; iteration < context.index.iterations(); ++iteration) {
            std::vector<std::array<int, 3>> order;  // pass, block number, microbatch
            for (int m = 0; m < context.facts.passesOf(edge.from); ++m) {
                order.push_back({m + forwardBlock, forwardBlock, m});
                order.push_back({m + backwardBlock, backwardBlock, m});
            }
            std::sort(order.begin(), order.end());
            for (const auto& [pass, number, m] : order) {
                const bool gradient = number != forwardBlock;
                const std::uint32_t next =
                    context.index.transfer(gradient, static_cast<int>(e), iteration, m);
                if (next == noBlock) continue;
                if (last != noBlock && isBefore(context.start(next), context.start(last)))
                    context.report.add(Rule::orderRespected, next, [&] {
                        return "The " + context.name(next) + " starts at " + seconds(context.start(next)) +
                               "; by pass number the " + context.name(last) + ", which starts at " +
                               seconds(context.start(last)) +
                               ", comes first on a half-duplex channel under PE.";
                    });
                last = next;
            }
        }
    }
}

}  // namespace stagecraft::validation
