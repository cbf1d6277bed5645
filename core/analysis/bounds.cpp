// Lower bounds of MODEL.md section 3, worked out on the graph of tasks.
#include "core/analysis/metrics.h"
#include "core/base/indices.h"
#include "core/base/units.h"
#include "core/cost/shared_work.h"
#include "core/model/lane_stages.h"
#include "core/model/measured_gpus.h"
#include "core/model/profile_sizes.h"
#include "core/simulation/execution_graph.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <span>

namespace stagecraft::analysis {

namespace {

/// For one microbatch alone: the earliest start of each row's block and the least time from its end to the
/// end of the iteration. Several replicas count as the quickest.
struct ChainTimes {
    std::vector<double> headS, durationS, tailS;
};

double leastDurationS(const TaskRow& row) {
    double least = infinity;
    for (const TaskVariant& variant : row.variants) least = std::min(least, variant.durationS);
    return least;
}

std::vector<int> followers(const TaskRow& row) {
    std::vector<int> all = row.next;
    all.insert(all.end(), row.gatheredBy.begin(), row.gatheredBy.end());
    return all;
}

ChainTimes chainTimes(const std::vector<TaskRow>& all) {
    const std::size_t rows = all.size();
    ChainTimes times{std::vector<double>(rows, 0), std::vector<double>(rows, 0),
                     std::vector<double>(rows, 0)};
    std::vector<int> waitsFor(rows, 0), order;
    for (std::size_t row = 0; row < rows; ++row) {
        times.durationS[row] = leastDurationS(all[row]);
        for (const int next : followers(all[row])) ++waitsFor[static_cast<std::size_t>(next)];
    }
    for (std::size_t row = 0; row < rows; ++row)
        if (waitsFor[row] == 0) order.push_back(static_cast<int>(row));
    for (std::size_t done = 0; done < order.size(); ++done) {
        const auto row = static_cast<std::size_t>(order[done]);
        for (const int next : followers(all[row])) {
            double& head = times.headS[static_cast<std::size_t>(next)];
            head = std::max(head, times.headS[row] + times.durationS[row]);
            if (--waitsFor[static_cast<std::size_t>(next)] == 0) order.push_back(next);
        }
    }
    for (auto each = order.rbegin(); each != order.rend(); ++each) {
        const auto row = static_cast<std::size_t>(*each);
        for (const int next : followers(all[row])) {
            const auto after = static_cast<std::size_t>(next);
            times.tailS[row] = std::max(times.tailS[row], times.durationS[after] + times.tailS[after]);
        }
    }
    return times;
}

/// `visit(fusion, tasks)` for the blocks of several tasks that a lane has in the first iteration.
template <typename Visit>
void forEachFusion(const ExecutionGraph& graph, const LaneProgram& program, Visit visit) {
    for (const Fusion& fusion : program.fusions) {
        const std::span<const TaskRef> tasks =
            std::span(program.order).subspan(fusion.position, fusion.count);
        if (tasks.front().entry >= graph.rows[at(tasks.front().row)].perIteration) return;
        visit(fusion, tasks);
    }
}

/// How much less than its tasks one after the other a fused block takes.
double savedS(const ExecutionGraph& graph, const Fusion& fusion, std::span<const TaskRef> tasks) {
    double apartS = 0;
    for (const TaskRef task : tasks) apartS += graph.variant(graph.rows[at(task.row)], task.entry).durationS;
    return apartS - fusion.durationS;
}

/// Where a pair is shorter than one of its passes, that pass need not last longer than the pair.
std::vector<TaskRow> rowsWithPairsAtBest(const ExecutionGraph& graph) {
    std::vector<TaskRow> rows = graph.rows;
    for (const LaneProgram& program : graph.programs)
        forEachFusion(graph, program, [&](const Fusion& fusion, std::span<const TaskRef> tasks) {
            for (const TaskRef task : tasks)
                for (TaskVariant& variant : rows[at(task.row)].variants)
                    variant.durationS = std::min(variant.durationS, fusion.durationS);
        });
    return rows;
}

std::string laneName(const Plan& plan, const TrainingSetup& setup, const Lane& lane,
                     const std::string& stages, const std::vector<ChannelSender>& senders) {
    switch (lane.kind) {
        case LaneKind::compute:
            return stages;
        case LaneKind::channel:
            return "the channel " + betweenStages(stagePairs(plan, lane, senders));
        case LaneKind::allReduce:
            return (setup.zero == ZeroStage::off && !plan.schedule.sharesVocabulary()
                        ? "the AllReduce of "
                        : "the collectives of ") +
                   namedStages(stagesServed(plan, lane));
        case LaneKind::hostLink:
            return "the host link of " + stages;
        case LaneKind::stream:
            return "a stream of " + stages;
    }
    return "?";
}

/// Of an AllReduce, when it can begin at the earliest: each device that it waits for has done, from its first
/// start on, all tasks that lead to the last backward of its stage.
class ReductionHeads {
public:
    ReductionHeads(const ExecutionGraph& graph, const std::vector<TaskRow>& rows, const ChainTimes& times)
        : graph_(graph), rows_(rows), times_(times), inputs_(rows.size()), gathered_(rows.size()) {
        for (std::size_t index = 0; index < rows.size(); ++index) {
            for (const int next : rows[index].next)
                inputs_[static_cast<std::size_t>(next)].push_back(static_cast<int>(index));
            for (const int next : rows[index].gatheredBy)
                gathered_[static_cast<std::size_t>(next)].push_back(static_cast<int>(index));
        }
    }

    double of(std::size_t reduction) {
        double headS = times_.headS[reduction];
        for (const int last : gathered_[reduction]) {
            double& known = lastEndsS_.try_emplace(last, -1).first->second;
            if (known < 0) known = earliestEndS(last);
            headS = std::max(headS, known);
        }
        return headS;
    }

private:
    double earliestEndS(int last) const {
        const TaskRow& row = rows_[static_cast<std::size_t>(last)];
        if (row.variants.size() != 1) return 0;  // round robin: each replica has a part of the tasks
        const std::vector<int> before = leadingTo(last);
        double endS = 0;
        for (const int lane : row.variants.front().lanes)
            // What a pair takes is neither of its tasks'.
            if (graph_.programs[static_cast<std::size_t>(lane)].fusions.empty())
                endS = std::max(endS, doneS(before, lane));
        return endS;
    }

    /// The row and all that it waits for, and they in turn.
    std::vector<int> leadingTo(int row) const {
        std::vector<int> found{row};
        std::vector<bool> seen(rows_.size(), false);
        seen[static_cast<std::size_t>(row)] = true;
        for (std::size_t i = 0; i < found.size(); ++i)
            for (const int input : inputs_[static_cast<std::size_t>(found[i])]) {
                if (seen[static_cast<std::size_t>(input)]) continue;
                seen[static_cast<std::size_t>(input)] = true;
                found.push_back(input);
            }
        return found;
    }

    double doneS(const std::vector<int>& rows, int lane) const {
        double firstS = infinity, workS = 0;
        for (const int each : rows) {
            const TaskRow& row = rows_[static_cast<std::size_t>(each)];
            const TaskVariant& variant = row.variants.front();
            if (row.variants.size() != 1 || row.outOfTurn || row.perIteration == 0 ||
                std::find(variant.lanes.begin(), variant.lanes.end(), lane) == variant.lanes.end())
                continue;
            firstS = std::min(firstS, times_.headS[static_cast<std::size_t>(each)]);
            workS += row.perIteration * variant.durationS;
        }
        return firstS == infinity ? 0 : firstS + workS;
    }

    const ExecutionGraph& graph_;
    const std::vector<TaskRow>& rows_;
    const ChainTimes& times_;
    std::vector<std::vector<int>> inputs_, gathered_;  ///< by row
    std::map<int, double> lastEndsS_;                  ///< of rows that were asked for
};

}  // namespace

LowerBound planLowerBound(const CostModel& costs, const Plan& plan, const ExecutionGraph& graph) {
    // Without a barrier mini-batches overlap, and the load of the busiest lane is all that bounds the period.
    const bool overlaps = costs.problem().setup.mode == TrainingMode::asynchronous;
    const std::vector<TaskRow> best = rowsWithPairsAtBest(graph);
    const ChainTimes times = chainTimes(best);
    ReductionHeads reductions(graph, best, times);
    struct LaneTimes {
        double headS = infinity, workS = 0, tailS = infinity;
        std::string stages;
        std::vector<ChannelSender> senders;
    };
    std::vector<LaneTimes> lanes(graph.lanes.size());
    for (std::size_t index = 0; index < graph.rows.size(); ++index) {
        const TaskRow& row = graph.rows[index];
        if (row.outOfTurn || row.perIteration == 0) continue;
        const auto variants = static_cast<std::uint32_t>(row.variants.size());
        const double headS =
            row.kind == BlockKind::allReduce && !overlaps ? reductions.of(index) : times.headS[index];
        for (std::uint32_t v = 0; v < variants; ++v)
            for (const int lane : row.variants[v].lanes) {
                LaneTimes& own = lanes[static_cast<std::size_t>(lane)];
                own.headS = std::min(own.headS, headS);
                own.tailS = std::min(own.tailS, times.tailS[index]);
                const double tasks = overlaps ? double(row.perIteration) / variants
                                              : double((row.perIteration + variants - 1 - v) / variants);
                own.workS += tasks * row.variants[v].durationS;
                if (row.kind == BlockKind::transferForward || row.kind == BlockKind::transferBackward)
                    own.senders.push_back({row.stage, row.kind == BlockKind::transferBackward});
                if (row.kind == BlockKind::forward)
                    own.stages += (own.stages.empty() ? "stage " : ", stage ") + std::to_string(row.stage);
            }
    }
    for (std::size_t lane = 0; lane < lanes.size(); ++lane)
        forEachFusion(graph, graph.programs[lane], [&](const Fusion& fusion, std::span<const TaskRef> tasks) {
            lanes[lane].workS -= savedS(graph, fusion, tasks);
        });
    LowerBound bound{0, "nothing is computed"};
    // Of lanes that bound alike the one with most work is named: a channel that carries nothing is on the way
    // of a lone microbatch, too.
    constexpr double alike = 1e-9;
    double boundWorkS = 0;
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
        const LaneTimes& own = lanes[lane];
        const double seconds = overlaps ? own.workS : own.headS + own.workS + own.tailS;
        if (!(seconds > 0) || seconds == infinity) continue;
        const bool ties = std::abs(seconds - bound.seconds) <= alike * bound.seconds;
        const bool isNamed = ties ? own.workS > boundWorkS : seconds > bound.seconds;
        bound.seconds = std::max(seconds, bound.seconds);
        if (!isNamed) continue;
        boundWorkS = own.workS;
        const std::string name =
            laneName(plan, costs.problem().setup, graph.lanes[lane], own.stages, own.senders);
        bound.because = overlaps ? name + ": " + formatSeconds(own.workS) + " of work in every mini-batch"
                                 : name + ": " + formatSeconds(own.headS) + " to reach it, " +
                                       formatSeconds(own.workS) + " of work, " + formatSeconds(own.tailS) +
                                       " after it";
    }
    return bound;
}

namespace {

std::vector<double> leastWorks(const LayerProfile& profile) {
    std::vector<double> seconds;
    for (int layer = 0; layer < profile.layerCount(); ++layer) seconds.push_back(leastWorkS(profile, layer));
    return seconds;
}

/// The work of a microbatch, and how much of it all devices do in a second.
struct WorkOfAll {
    double workS = 0, devices = 0;
    bool isMeasured = false;  ///< on several types of GPUs
};

WorkOfAll workOfAll(const Problem& problem) {
    const GpuKinds kinds = gpuKinds(problem.profile, problem.cluster);
    std::vector<std::vector<double>> seconds{leastWorks(problem.profile)};
    for (const std::string& gpu : kinds.gpus) seconds.push_back(leastWorks(profileOn(problem.profile, gpu)));
    std::vector<double> devices(seconds.size(), 0);
    for (int device = 0; device < problem.cluster.deviceCount(); ++device) {
        const int kind = kinds.areAlike() ? 0 : kinds.kindOf[at(device)];
        devices[at(kind)] += kind > 0 ? 1 : problem.cluster.devices[at(device)].speed;
    }
    if (kinds.areAlike())
        return {std::accumulate(seconds[0].begin(), seconds[0].end(), 0.0), devices[0], false};
    const SharedWork shared = sharedWork(seconds, devices);
    WorkOfAll all{.isMeasured = true};
    all.workS = std::accumulate(shared.leastS.begin(), shared.leastS.end(), 0.0);
    for (std::size_t kind = 0; kind < devices.size(); ++kind)
        if (devices[kind] > 0) all.devices += devices[kind] * shared.worth[kind];
    return all;
}

}  // namespace

/// The longest chain of one microbatch never binds beside the whole work: spread over all devices it takes
/// 1/M of it.
LowerBound problemLowerBound(const Problem& problem, const PairTimes& pairTimes) {
    if (!pairTimes.byForwardS.empty()) return {0, "pairs of passes take the time that was measured of them"};
    const double share = std::min(1.0, pairTimes.share);
    const WorkOfAll all = workOfAll(problem);
    const double work = all.workS * problem.setup.microbatches;
    return {share * work / all.devices,
            formatSeconds(work) + " of work on the profile's GPU" +
                (all.isMeasured ? " (less for layers that another type is better at)" : "") +
                ", shared by devices worth " + formatNumber(all.devices) + " of it" +
                (share < 1 ? ", if all of it overlaps in " + formatPercent(share) + " of its time" : "")};
}

}  // namespace stagecraft::analysis
