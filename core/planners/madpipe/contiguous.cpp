#include "core/planners/madpipe/contiguous.h"

#include "core/base/indices.h"
#include "core/planners/madpipe/delay.h"
#include "core/planners/planning.h"
#include "core/schedules/one_forward_one_backward_star.h"

#include <algorithm>
#include <tuple>

namespace stagecraft::planners {

namespace {

/// Links before `links` are still to be placed on `processors`.
struct Partial {
    double delayS = 0;
    double value = 0;
    int parentLinks = 0;
    int parent = -1;
};

/// The partition whose largest value(first, last, batches) is least, over delays as MadPipe-DP counts them at
/// that period. A shorter delay is worth a larger value and the other way round, so that both are kept.
template <typename Value>
ContiguousPartition bestPartition(const MadPipeChain& chain, int processors, double periodS, Value value) {
    const int links = chain.links();
    std::vector<std::vector<std::vector<Partial>>> partials(
        static_cast<std::size_t>(processors) + 1,
        std::vector<std::vector<Partial>>(static_cast<std::size_t>(links) + 1));
    const auto at = [&](int used, int left) -> std::vector<Partial>& {
        return partials[static_cast<std::size_t>(used)][static_cast<std::size_t>(left)];
    };
    at(0, links).push_back({});
    ContiguousPartition best;
    int bestUsed = 0, bestIndex = -1;
    for (int used = 0; used <= processors; ++used)
        for (int left = links; left >= 0; --left) {
            std::vector<Partial>& here = at(used, left);
            std::sort(here.begin(), here.end(), [](const Partial& a, const Partial& b) {
                return std::tie(a.delayS, a.value, a.parentLinks, a.parent) <
                       std::tie(b.delayS, b.value, b.parentLinks, b.parent);
            });
            double least = infinity;
            std::erase_if(here, [&](const Partial& partial) {
                if (partial.value >= least) return true;
                least = partial.value;
                return false;
            });
            for (int index = 0; index < static_cast<int>(here.size()); ++index) {
                const Partial partial = here[static_cast<std::size_t>(index)];
                if (left == 0) {
                    if (!clearlyLess(partial.value, best.value)) continue;
                    best.value = partial.value;
                    bestUsed = used;
                    bestIndex = index;
                    continue;
                }
                if (used == processors) continue;
                for (int first = left - 1; first >= 0; --first) {
                    const double loadS = chain.loadS(first, left - 1);
                    if (loadS > periodS * (1 + tieWidth)) break;
                    const double transferS =
                        first > 0 ? chain.transferS[static_cast<std::size_t>(first) - 1] : 0;
                    if (transferS > periodS * (1 + tieWidth)) continue;
                    const double worst = std::max(
                        partial.value, value(first, left - 1, groupOf(partial.delayS, loadS, periodS)));
                    if (worst >= best.value) continue;
                    at(used + 1, first)
                        .push_back({joinDelay(joinDelay(partial.delayS, loadS, periodS), transferS, periodS),
                                    worst, left, index});
                }
            }
        }
    if (bestIndex < 0) return best;
    for (int used = bestUsed, left = 0, index = bestIndex; used > 0; --used) {
        const Partial& partial = at(used, left)[static_cast<std::size_t>(index)];
        best.stages.push_back({left, partial.parentLinks - 1, false});
        left = partial.parentLinks;
        index = partial.parent;
    }
    return best;
}

/// One path through the stages with all of each load forward: 1F1B* asks for the sums alone.
std::vector<PatternTask> pathOf(const MadPipeChain& chain, const std::vector<MadPipeStage>& stages) {
    std::vector<PatternTask> path;
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
        const auto number = static_cast<int>(stage);
        path.push_back({BlockKind::forward, number, chain.loadS(stages[stage].first, stages[stage].last)});
        if (stage + 1 < stages.size())
            path.push_back({BlockKind::transferForward, number,
                            chain.transferS[static_cast<std::size_t>(stages[stage].last)]});
    }
    for (std::size_t task = path.size(); task-- > 0;)
        path.push_back(
            {path[task].kind == BlockKind::forward ? BlockKind::backward : BlockKind::transferBackward,
             path[task].stage, 0});
    return path;
}

}  // namespace

ContiguousPartition leanestPartition(const MadPipeChain& chain, int processors, double periodS) {
    return bestPartition(chain, processors, periodS, [&](int first, int last, int batches) {
        return chain.memoryBytes(first, last, batches);
    });
}

double starPeriodS(const MadPipeChain& chain, const std::vector<MadPipeStage>& stages, double memoryBytes) {
    std::vector<int> mostActive;
    for (const MadPipeStage& stage : stages) {
        const double fixed = chain.memoryBytes(stage.first, stage.last, 0);
        const double each = chain.memoryBytes(stage.first, stage.last, 1) - fixed;
        // More batches than links and transfers are never active.
        int most = fixed > memoryBytes ? 0 : 2 * chain.links();
        while (most > 0 && fixed + most * each > memoryBytes) --most;
        mostActive.push_back(most);
    }
    return leastStarPeriodS(pathOf(chain, stages), mostActive).value_or(infinity);
}

ContiguousPartition fastestPartition(const MadPipeChain& chain, int processors, double memoryBytes,
                                     const WorkContext& context) {
    const auto within = [&](double periodS) {
        context.throwIfStopped();
        return bestPartition(chain, processors, periodS, [&](int first, int last, int batches) {
            return chain.memoryBytes(first, last, batches) <= memoryBytes ? 0.0 : infinity;
        });
    };
    ContiguousPartition best;
    const auto take = [&](ContiguousPartition found) {
        if (!found.found()) return false;
        const double periodS = starPeriodS(chain, found.stages, memoryBytes);
        if (!(periodS < best.value)) return false;
        best = std::move(found);
        best.value = periodS;
        return true;
    };
    if (!take(within(chain.latestS()))) return best;
    // What is found has a period of its own, which is below the one asked for.
    double lowS = chain.totalS() / processors;
    while (lowS < best.value * (1 - 1e-9)) {
        const double middleS = (lowS + best.value) / 2;
        if (!take(within(middleS))) lowS = middleS;
    }
    return best;
}

PipeDreamBaseline pipeDreamBaseline(const MadPipeChain& chain, int processors, double memoryBytes) {
    const int links = chain.links();
    struct Choice {
        double periodS = infinity;
        int last = -1;
    };
    const auto solve = [&](double limitBytes) {
        // By first link and number of stages from it to the end.
        std::vector<std::vector<Choice>> table(static_cast<std::size_t>(links) + 1,
                                               std::vector<Choice>(static_cast<std::size_t>(processors) + 1));
        table[static_cast<std::size_t>(links)][0].periodS = 0;
        for (int first = links - 1; first >= 0; --first)
            for (int stages = 1; stages <= processors; ++stages)
                for (int last = first; last < links; ++last) {
                    if (chain.memoryBytes(first, last, stages) > limitBytes) continue;
                    const double rest =
                        table[static_cast<std::size_t>(last) + 1][static_cast<std::size_t>(stages) - 1]
                            .periodS;
                    const double periodS = std::max(
                        {rest, chain.loadS(first, last), chain.transferS[static_cast<std::size_t>(last)]});
                    Choice& best = table[static_cast<std::size_t>(first)][static_cast<std::size_t>(stages)];
                    if (clearlyLess(periodS, best.periodS)) best = {periodS, last};
                }
        ContiguousPartition partition;
        int count = 0;
        for (int stages = 1; stages <= processors; ++stages)
            if (clearlyLess(table[0][static_cast<std::size_t>(stages)].periodS, partition.value)) {
                partition.value = table[0][static_cast<std::size_t>(stages)].periodS;
                count = stages;
            }
        for (int first = 0; count > 0; --count) {
            const int last = table[static_cast<std::size_t>(first)][static_cast<std::size_t>(count)].last;
            partition.stages.push_back({first, last, false});
            first = last + 1;
        }
        return partition;
    };
    PipeDreamBaseline baseline{solve(memoryBytes)};
    if (!baseline.partition.found()) baseline = {solve(infinity), false};
    return baseline;
}

}  // namespace stagecraft::planners
