#include "core/simulation/execution_graph.h"

#include "core/schedules/device_orders.h"
#include "core/schedules/families.h"
#include "core/schedules/family_parameters.h"
#include "core/schedules/in_flight.h"
#include "core/schedules/version_difference.h"
#include "core/simulation/lane_layout.h"
#include "core/simulation/simulation_error.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <span>
#include <unordered_map>

namespace stagecraft::simulation {

namespace {

/// A periodic pattern's links are half duplex whatever the setup says (MadPipe, E-MP-10).
ChannelMode channelModeOf(const Plan& plan, const TrainingSetup& setup) {
    return std::holds_alternative<PeriodicSchedule>(plan.schedule.order) ? ChannelMode::halfDuplex
                                                                         : setup.channel;
}

class GraphBuilder {
public:
    GraphBuilder(const CostModel& costs, const Plan& plan, int iterations, const ExplicitSchedule* orders)
        : costs_(costs),
          plan_(plan),
          given_(orders),
          setup_(costs.problem().setup),
          splits_(plan.schedule.splits()),
          copies_(plan.pipelineCount()),
          slices_(static_cast<std::uint32_t>(plan.schedule.slices())),
          layout_(plan, costs.deviceCount(), channelModeOf(plan, setup_)),
          edges_(costs.stageEdges(plan)) {
        graph_.iterations = iterations;
        graph_.slices = slices_;
        graph_.stageCount = plan.stageCount();
    }

    ExecutionGraph build() {
        if (slices_ > 1 && setup_.mode == TrainingMode::asynchronous)
            throw SimulationError(
                "the plan cuts sequences into slices, which is for synchronous training only");
        addComputeRows();
        addTransfers();
        addEndsOfIterations();
        addSwaps();
        spellOut();
        addEvictions();
        finishRows();
        graph_.lanes = layout_.lanes();
        graph_.programs.resize(graph_.lanes.size());
        addOrders();
        addPrefetches();
        prioritiseTransfers(graph_, costs_.problem().cluster);
        countTasks();
        return std::move(graph_);
    }

private:
    struct StageRows {
        int forward = -1, backward = -1, weightGradient = -1, recompute = -1, swapOut = -1, swapIn = -1;
        /// Of the row that gives the gradient on: whole backwards or, where the plan has any, input
        /// gradients.
        int lastBackward() const { return weightGradient >= 0 ? weightGradient : backward; }
        int firstOfBackward() const { return recompute >= 0 ? recompute : backward; }
    };

    const Stage& stage(int index) const { return plan_.stages[static_cast<std::size_t>(index)]; }
    StageRows& rowsOf(int stageIndex) { return stageRows_[static_cast<std::size_t>(stageIndex)]; }
    TaskRow& row(int index) { return graph_.rows[static_cast<std::size_t>(index)]; }
    bool roundRobin(int stageIndex) const { return stage(stageIndex).replication == Replication::roundRobin; }
    int replicas(int stageIndex) const { return replicasInTurn(stage(stageIndex)); }

    /// Copy p of n takes microbatches p, p + n, ….
    std::uint32_t microbatchesOf(int pipeline) const {
        return static_cast<std::uint32_t>((setup_.microbatches - pipeline + copies_ - 1) / copies_);
    }

    int addRow(BlockKind kind, int stageIndex, std::vector<TaskVariant> variants, bool perMicrobatch = true) {
        TaskRow added;
        added.kind = kind;
        added.stage = stageIndex;
        added.variants = std::move(variants);
        if (perMicrobatch) {
            added.perIteration = microbatchesOf(stage(stageIndex).pipeline) * slices_;
            added.slices = slices_;
            added.firstMicrobatch = stage(stageIndex).pipeline;
            added.microbatchStep = copies_;
        }
        graph_.rows.push_back(std::move(added));
        return static_cast<int>(graph_.rows.size()) - 1;
    }

    void follow(int earlier, int later) {
        row(earlier).next.push_back(later);
        ++row(later).dependencies;
    }

    void gather(int earlier, int later) {
        row(earlier).gatheredBy.push_back(later);
        row(later).dependencies += row(earlier).perIteration;
    }

    template <typename Seconds>
    std::vector<TaskVariant> onStage(int stageIndex, Seconds seconds, bool onHostLink = false) {
        std::vector<TaskVariant> variants;
        for (int replica = 0; replica < replicas(stageIndex); ++replica) {
            TaskVariant variant;
            variant.durationS = seconds(costs_.stage(plan_, stageIndex, replica));
            variant.lanes =
                roundRobin(stageIndex)
                    ? std::vector<int>{layout_.computeLanes(stageIndex)[static_cast<std::size_t>(replica)]}
                    : layout_.computeLanes(stageIndex);
            if (onHostLink) {
                if (variant.lanes.size() > 1)
                    throw SimulationError("stage " + std::to_string(stageIndex) +
                                          " swaps, but its devices do not all hold the same stages");
                variant.lanes = {layout_.hostLink(variant.lanes.front())};
            }
            variants.push_back(std::move(variant));
        }
        return variants;
    }

    void addComputeRows() {
        stageRows_.resize(plan_.stages.size());
        for (int s = 0; s < plan_.stageCount(); ++s) {
            StageRows rows;
            rows.forward =
                addRow(BlockKind::forward, s, onStage(s, [](const StageCost& c) { return c.forwardS; }));
            rows.backward = addRow(splits_ ? BlockKind::inputGradient : BlockKind::backward, s,
                                   onStage(s, [this](const StageCost& c) {
                                       return splits_ ? c.backwardS - c.weightGradientS : c.backwardS;
                                   }));
            follow(rows.forward, rows.backward);
            if (slices_ > 1) row(rows.forward).sliceStep = 1, row(rows.backward).sliceStep = -1;
            if (splits_) {
                rows.weightGradient =
                    addRow(BlockKind::weightGradient, s,
                           onStage(s, [](const StageCost& c) { return c.weightGradientS; }));
                follow(rows.backward, rows.weightGradient);
            }
            if (anyLayer(s, LayerMemory::recompute)) {
                rows.recompute = addRow(BlockKind::recompute, s,
                                        onStage(s, [](const StageCost& c) { return c.recomputeS; }));
                follow(rows.forward, rows.recompute);
                follow(rows.recompute, rows.backward);
            }
            // Recomputation uses the backward's weights, which are predicted before it then.
            row(rows.forward).firstBesidesS = predictionS(costs_, plan_, s, false);
            row(rows.firstOfBackward()).firstBesidesS = predictionS(costs_, plan_, s, true);
            rowsOf(s) = rows;
        }
    }

    bool anyLayer(int stageIndex, LayerMemory memory) const {
        return std::any_of(plan_.memory.layers.begin(), plan_.memory.layers.end(), [&](const auto& entry) {
            return entry.second == memory && entry.first >= stage(stageIndex).firstLayer &&
                   entry.first <= stage(stageIndex).lastLayer;
        });
    }

    void addSwaps() {
        for (int s = 0; s < plan_.stageCount(); ++s)
            if (costs_.stage(plan_, s).swapBytes > 0) addSwap(s, rowsOf(s));
    }

    void addSwap(int s, StageRows& rows) {
        const auto seconds = [](const StageCost& c) { return c.swapS; };
        rows.swapOut = addRow(BlockKind::swapOut, s, onStage(s, seconds, true));
        rows.swapIn = addRow(BlockKind::swapIn, s, onStage(s, seconds, true));
        follow(rows.forward, rows.swapOut);
        follow(rows.swapOut, rows.swapIn);
        follow(rows.swapIn, rows.backward);
    }

    /// Rows for what devices lend to each other, of the microbatches that their orders name.
    void addEvictions() {
        if (!spelled_) return;
        std::vector<std::set<int>> evicted(plan_.stages.size());
        for (const Lane& lane : layout_.lanes()) {
            const auto order = spelled_->orders.find(lane.devices.front());
            if (lane.kind != LaneKind::compute || order == spelled_->orders.end()) continue;
            for (const Task& task : order->second)
                if (task.kind == TaskKind::evict) {
                    rowsOfTask(task, order->first);
                    evicted[static_cast<std::size_t>(task.stage)].insert(task.microbatch);
                }
        }
        for (int s = 0; s < plan_.stageCount(); ++s)
            if (!evicted[static_cast<std::size_t>(s)].empty())
                addEviction(s, evicted[static_cast<std::size_t>(s)]);
    }

    void addEviction(int s, const std::set<int>& microbatches) {
        requireEvictable(s);
        const int mirrored = plan_.mirroredStage(s);
        const double seconds = costs_.evictionS(plan_, s, mirrored);
        const auto addPart = [&](BlockKind kind, bool back) {
            const int lane = layout_.channel(std::min(s, mirrored), std::max(s, mirrored),
                                             stage(std::min(s, mirrored)).devices,
                                             stage(std::max(s, mirrored)).devices, back == (s < mirrored));
            const int added = addRow(kind, s, {{{lane}, seconds}});
            row(added).perIteration = static_cast<std::uint32_t>(microbatches.size());
            row(added).microbatches.assign(microbatches.begin(), microbatches.end());
            row(added).dependencies = 1;  // the task that it begins with
            return added;
        };
        rowsOf(s).swapOut = addPart(BlockKind::swapOut, false);
        rowsOf(s).swapIn = addPart(BlockKind::swapIn, true);
    }

    void requireEvictable(int s) const {
        const auto refuse = [&](const std::string& why) {
            throw SimulationError("stage " + std::to_string(s) + " evicts activations, but " + why);
        };
        const int mirrored = plan_.mirroredStage(s);
        if (mirrored == s) refuse("it is in the middle of its pipeline: no stage mirrors it");
        if (setup_.mode == TrainingMode::asynchronous) refuse("evictions are for synchronous training only");
        if (slices_ > 1) refuse("the plan cuts sequences into slices");
        if (costs_.stage(plan_, s).swapBytes > 0) refuse("it swaps layers to the host's memory, too");
        for (const int each : {s, mirrored})
            if (roundRobin(each) || layout_.computeLanes(each).size() > 1)
                refuse("the devices of stage " + std::to_string(each) + " do not all do the same");
        if (stage(s).devices == stage(mirrored).devices)
            refuse("stage " + std::to_string(mirrored) + ", which mirrors it, is on the same devices");
    }

    std::vector<int> sender(int stageIndex, int variant) const {
        if (!roundRobin(stageIndex)) return stage(stageIndex).devices;
        return {stage(stageIndex).devices[static_cast<std::size_t>(variant % replicas(stageIndex))]};
    }

    std::vector<TaskVariant> transferVariants(const StageEdge& edge, bool gradient) {
        std::vector<TaskVariant> variants;
        const int count = std::lcm(replicas(edge.from), replicas(edge.to));
        for (int variant = 0; variant < count; ++variant) {
            const std::vector<int> from = sender(edge.from, variant), to = sender(edge.to, variant);
            const TransferCost cost = costs_.transfer(edge.forwardBytes, edge.backwardBytes, from, to);
            variants.push_back({{layout_.channel(edge.from, edge.to, from, to, gradient)},
                                gradient ? cost.backwardS : cost.forwardS});
        }
        return variants;
    }

    void addTransfers() {
        std::vector<bool> hasSuccessor(plan_.stages.size(), false),
            hasPredecessor(plan_.stages.size(), false);
        for (const StageEdge& edge : edges_) {
            hasSuccessor[static_cast<std::size_t>(edge.from)] = true;
            hasPredecessor[static_cast<std::size_t>(edge.to)] = true;
            const StageRows &from = rowsOf(edge.from), &to = rowsOf(edge.to);
            if (!edge.needsTransfer) {
                follow(from.forward, to.forward);
                waitForGradient(to.backward, edge.from);
                continue;
            }
            const int forward = addRow(BlockKind::transferForward, edge.from, transferVariants(edge, false));
            follow(from.forward, forward);
            follow(forward, to.forward);
            const int backward = addRow(BlockKind::transferBackward, edge.to, transferVariants(edge, true));
            follow(to.backward, backward);
            waitForGradient(backward, edge.from);
            transferRows_.push_back({&edge - edges_.data(), forward, backward});
        }
        for (int s = 0; s < plan_.stageCount(); ++s)
            if (!hasPredecessor[static_cast<std::size_t>(s)]) sourceStages_.push_back(s);
    }

    /// Recomputation is part of the backward pass: it too starts when the gradient is there.
    void waitForGradient(int earlier, int stageIndex) {
        follow(earlier, rowsOf(stageIndex).backward);
        if (rowsOf(stageIndex).recompute >= 0) follow(earlier, rowsOf(stageIndex).recompute);
    }

    void addEndsOfIterations() {
        const std::vector<AllReduceGroup> groups = costs_.allReduceGroups(plan_);
        std::vector<int> allReduceOf(plan_.stages.size(), -1);
        for (const AllReduceGroup& group : groups) {
            const int reduce = addRow(BlockKind::allReduce, group.stages.front(),
                                      {{{layout_.allReduceLane(group)}, group.seconds}}, false);
            for (int s = 0; s < plan_.stageCount(); ++s) {
                const bool own = std::find(group.stages.begin(), group.stages.end(), s) != group.stages.end();
                if (own) allReduceOf[static_cast<std::size_t>(s)] = reduce;
                if (own || !setup_.allreduceOverlaps) gather(rowsOf(s).lastBackward(), reduce);
            }
        }
        std::vector<int> updates;
        for (int s = 0; s < plan_.stageCount(); ++s) {
            const int update = addRow(BlockKind::update, s, {{layout_.computeLanes(s), 0}}, false);
            updates.push_back(update);
            row(update).floats = true;
            const int reduce = allReduceOf[static_cast<std::size_t>(s)];
            if (reduce >= 0)
                follow(reduce, update);
            else
                gather(rowsOf(s).lastBackward(), update);
        }
        if (setup_.mode == TrainingMode::synchronous)
            for (const int s : sourceStages_) row(rowsOf(s).forward).waitsForBarrier = true;
        else
            addWaitsForVersions(updates);
    }

    /// Under double buffering a forward waits for the version that it uses, the update before last. Under
    /// vertical sync the input stage names a version once all stages have it.
    void addWaitsForVersions(const std::vector<int>& updates) {
        const bool waits = plan_.weights.kind == WeightPolicyKind::doubleBuffer && holdsAtMostOneMiniBatch();
        for (int s = 0; s < plan_.stageCount(); ++s) {
            const int update = updates[static_cast<std::size_t>(s)];
            if (waits) {
                row(update).readBy = {rowsOf(s).forward};
                row(rowsOf(s).forward).waitsForVersion = true;
            }
            const int input = inputStageOf(s);
            if (plan_.weights.kind == WeightPolicyKind::verticalSync && input != s)
                follow(update, updates[static_cast<std::size_t>(input)]);
        }
    }

    int inputStageOf(int s) const {
        int input = s;
        while (input > 0 && stage(input - 1).pipeline == stage(s).pipeline) --input;
        return input;
    }

    /// Whether no stage begins more microbatches than a mini-batch has before it finishes the first: else
    /// waiting for the update before last would never end, and the validator is left to say so.
    bool holdsAtMostOneMiniBatch() const {
        const auto* policy = std::get_if<PolicySchedule>(&plan_.schedule.order);
        const ScheduleFamily* family = policy ? findScheduleFamily(policy->name) : nullptr;
        if (!family || !family->streams || !family->replicaOrder) return true;
        for (int pipeline = 0; pipeline < plan_.pipelineCount(); ++pipeline)
            if (mostInFlight(plan_.stages, policy->parameters) > static_cast<int>(microbatchesOf(pipeline)))
                return false;
        return true;
    }

    void finishRows() {
        std::uint64_t next = 0;
        for (TaskRow& each : graph_.rows) {
            each.firstTask = static_cast<std::uint32_t>(next);
            next += std::uint64_t{each.perIteration} * static_cast<std::uint64_t>(graph_.iterations);
        }
        if (next >= noBlock)
            throw SimulationError("the timeline would have " + std::to_string(next) +
                                  " blocks; at most 4294967294 can be held");
        graph_.taskCount = static_cast<std::uint32_t>(next);
    }

    /// A block on several lanes is fused on each.
    void countTasks() {
        for (LaneProgram& program : graph_.programs)
            for (const Fusion& fusion : program.fusions) program.taskCount -= fusion.count - 1;
        for (const TaskRow& each : graph_.rows) {
            const std::uint32_t tasks = each.perIteration * static_cast<std::uint32_t>(graph_.iterations);
            const auto variants = static_cast<std::uint32_t>(each.variants.size());
            for (std::uint32_t v = 0; v < variants; ++v)
                for (const int lane : each.variants[v].lanes)
                    graph_.programs[static_cast<std::size_t>(lane)].taskCount +=
                        (tasks / each.slices + variants - 1 - v) / variants * each.slices;
        }
    }

    // ---- orders ----

    void addOrders() {
        if (const auto* policy = std::get_if<PolicySchedule>(&plan_.schedule.order)) {
            const ScheduleFamily* family = findScheduleFamily(policy->name);
            if (family->deviceOrders)
                addExplicitOrders(*spelled_, family->backward != BackwardTasks::either);
            else if (family->order)
                addPolicyOrders(*family, policy->parameters);
            else
                markGreedy();
            if (family->channelOrder && setup_.channel == ChannelMode::halfDuplex) orderChannels(*family);
        } else if (spelled_) {
            addExplicitOrders(*spelled_, true);
        }
    }

    /// The orders of all devices, where the plan or its family has them.
    void spellOut() {
        spelled_ = std::get_if<ExplicitSchedule>(&plan_.schedule.order);
        const auto* policy = std::get_if<PolicySchedule>(&plan_.schedule.order);
        if (!policy) return;
        const ScheduleFamily* family = findScheduleFamily(policy->name);
        if (!family)
            throw SimulationError("no schedule policy '" + policy->name + "'; expected " +
                                  scheduleFamilyIds());
        if (const std::optional<ParameterFault> fault = parameterFault(*policy))
            throw SimulationError("the schedule '" + policy->name + "': " + fault->problem + "; expected " +
                                  fault->expected);
        if (family->deviceOrders) spellOut(*family, policy->parameters);
    }

    void spellOut(const ScheduleFamily& family, const std::map<std::string, double>& parameters) {
        if (family.backward != BackwardTasks::either && splits_ == (family.backward == BackwardTasks::whole))
            throw SimulationError("the schedule '" + family.id + "' has " + (splits_ ? "whole" : "split") +
                                  " backwards, and the plan has " + (splits_ ? "split" : "whole") + " ones");
        if (given_) {
            spelled_ = given_;
            return;
        }
        try {
            ordersOfFamily_ =
                spelledOut(family, plan_.stages, setup_.microbatches, parameters, passTimes(costs_, plan_));
            spelled_ = &ordersOfFamily_;
        } catch (const std::invalid_argument& error) {
            throw SimulationError(error.what());
        }
    }

    void markGreedy() {
        for (std::size_t lane = 0; lane < graph_.lanes.size(); ++lane)
            if (graph_.lanes[lane].kind == LaneKind::compute)
                graph_.programs[lane].discipline = LaneDiscipline::greedy;
    }

    LaneProgram& ordered(int lane) {
        LaneProgram& program = graph_.programs[static_cast<std::size_t>(lane)];
        program.discipline = LaneDiscipline::ordered;
        return program;
    }

    /// The stages of each pipeline in order, so that a family can be asked for "stage s of S".
    std::vector<std::vector<int>> pipelines() const {
        std::vector<std::vector<int>> stages(static_cast<std::size_t>(plan_.pipelineCount()));
        for (int s = 0; s < plan_.stageCount(); ++s)
            stages[static_cast<std::size_t>(stage(s).pipeline)].push_back(s);
        return stages;
    }

    void addPolicyOrders(const ScheduleFamily& family, const std::map<std::string, double>& parameters) {
        requireOneStagePerLane(family);
        for (const std::vector<int>& pipeline : pipelines())
            for (std::size_t position = 0; position < pipeline.size(); ++position)
                addStageOrder(family, parameters, pipeline, position);
    }

    /// One order for all entries of a round or, where replicas have orders of their own, one over every r-th.
    void addStageOrder(const ScheduleFamily& family, const std::map<std::string, double>& parameters,
                       const std::vector<int>& pipeline, std::size_t position) {
        const int s = pipeline[position];
        const bool streams = family.streams && setup_.mode == TrainingMode::asynchronous;
        const int all = static_cast<int>(row(rowsOf(s).forward).perIteration) * graph_.iterations;
        const int rounds = streams ? 1 : graph_.iterations, perRound = all / rounds;
        const int step = family.replicaOrder ? replicas(s) : 1;
        std::vector<std::vector<StageOp>> orders;  // by first entry of a round
        for (int first = 0; first < std::min(step, perRound); ++first)
            orders.push_back(family.replicaOrder
                                 ? family.replicaOrder(replicaPlaceOf(plan_.stages, s),
                                                       (perRound - first + step - 1) / step, parameters)
                                 : family.order(static_cast<int>(position), static_cast<int>(pipeline.size()),
                                                perRound, parameters));
        const std::size_t blocksAnOp = rowsOf(s).recompute >= 0 || rowsOf(s).weightGradient >= 0 ? 2 : 1;
        for (const int lane : layout_.computeLanes(s))
            ordered(lane).order.reserve(blocksAnOp * 2 * static_cast<std::size_t>(all / replicas(s) + 1));
        for (int round = 0; round < rounds; ++round)
            for (std::size_t first = 0; first < orders.size(); ++first)
                for (const StageOp& op : orders[first])
                    append(op.kind, s,
                           static_cast<std::uint32_t>(round * perRound + static_cast<int>(first) +
                                                      op.microbatch * step));
    }

    void requireOneStagePerLane(const ScheduleFamily& family) const {
        for (std::size_t lane = 0; lane < graph_.lanes.size(); ++lane)
            if (graph_.lanes[lane].kind == LaneKind::compute &&
                layout_.stagesOn(static_cast<int>(lane)).size() > 1)
                throw SimulationError(
                    "the schedule policy '" + family.id + "' gives each device one stage, but device " +
                    deviceId(graph_.lanes[lane].devices.front()) + " holds several; spell out its order");
    }

    /// A family without split backwards has its weight gradients right after.
    void append(TaskKind kind, int s, std::uint32_t entry) {
        const StageRows& rows = rowsOf(s);
        if (kind == TaskKind::backward && rows.recompute >= 0) appendTask(rows.recompute, entry);
        const int chosen = kind == TaskKind::forward    ? rows.forward
                           : kind == TaskKind::backward ? rows.backward
                                                        : rows.weightGradient;
        appendTask(chosen, entry);
        if (kind == TaskKind::backward && rows.weightGradient >= 0) appendTask(rows.weightGradient, entry);
    }

    void appendTask(int rowIndex, std::uint32_t entry) {
        for (const int lane : graph_.variant(row(rowIndex), entry).lanes)
            ordered(lane).order.push_back({rowIndex, entry});
    }

    /// @param namesPasses whether the order says which backwards are whole; else all are as the plan has them
    void addExplicitOrders(const ExplicitSchedule& schedule, bool namesPasses) {
        namesPasses_ = namesPasses;
        const bool recomputes = std::any_of(stageRows_.begin(), stageRows_.end(),
                                            [](const StageRows& rows) { return rows.recompute >= 0; });
        for (std::size_t lane = 0; lane < graph_.lanes.size(); ++lane) {
            if (graph_.lanes[lane].kind != LaneKind::compute) continue;
            const int device = graph_.lanes[lane].devices.front();
            const auto found = schedule.orders.find(device);
            if (found == schedule.orders.end())
                throw SimulationError("device " + deviceId(device) + " holds a stage but has no order");
            LaneProgram& program = ordered(static_cast<int>(lane));
            program.order.reserve(found->second.size() * static_cast<std::size_t>(graph_.iterations));
            // Recomputation is spelled out only by those who want it elsewhere than right before the
            // backward.
            const bool spellsRecompute =
                recomputes && std::any_of(found->second.begin(), found->second.end(),
                                          [](const Task& task) { return task.kind == TaskKind::recompute; });
            for (int iteration = 0; iteration < graph_.iterations; ++iteration)
                for (std::size_t i = 0; i < found->second.size();) {
                    std::size_t end = i + 1;
                    if (!isComputed(found->second[i].kind)) {
                        appendEviction(program, found->second[i], iteration, device);
                        i = end;
                        continue;
                    }
                    while (end < found->second.size() && found->second[end].paired) ++end;
                    appendBlock(program, std::span(found->second).subspan(i, end - i), schedule.pairTimes,
                                iteration, device, spellsRecompute);
                    i = end;
                }
            addWaitsForEvictions(program, deviceId(device));
            requireEachOnce(graph_, program.order, deviceId(device));
        }
        std::sort(graph_.waits.begin(), graph_.waits.end());
        requireSameBlocks();
    }

    /// An eviction, or a load, begins with the task before it in the order.
    void appendEviction(LaneProgram& program, const Task& task, int iteration, int device) {
        const StageRows& rows = rowsOfTask(task, device);
        const int chosen = task.kind == TaskKind::evict ? rows.swapOut : rows.swapIn;
        const auto named = [&](const std::string& problem) {
            throw SimulationError("the order of device " + deviceId(device) + " " + problem + " microbatch " +
                                  std::to_string(task.microbatch) + " of stage " +
                                  std::to_string(task.stage));
        };
        if (chosen < 0) named("loads, without having evicted,");
        if (program.order.empty()) named("has no task before what it does with");
        const std::vector<int>& evicted = row(chosen).microbatches;
        const auto own = std::lower_bound(evicted.begin(), evicted.end(), task.microbatch);
        if (own == evicted.end() || *own != task.microbatch) named("loads, without having evicted,");
        const std::uint32_t entry = static_cast<std::uint32_t>(iteration) * row(chosen).perIteration +
                                    static_cast<std::uint32_t>(own - evicted.begin());
        program.prefetches.push_back({static_cast<std::uint32_t>(program.order.size()) - 1, {chosen, entry}});
    }

    /// A microbatch is evicted after its forward, then loaded, then used; what comes after an eviction in the
    /// order has the memory that it frees.
    void addWaitsForEvictions(const LaneProgram& program, const std::string& device) {
        if (program.prefetches.empty()) return;
        const auto wait = [&](TaskRef before, TaskRef after) {
            graph_.waits.push_back({graph_.taskId(before), graph_.taskId(after)});
        };
        requireEvictedBetweenPasses(program, device);
        for (const Prefetch& each : program.prefetches) {
            const TaskRow& own = row(each.swapIn.row);
            const StageRows& rows = rowsOf(own.stage);
            const std::uint32_t pass = passOf(each.swapIn);
            if (own.kind == BlockKind::swapIn) {
                wait(each.swapIn, {rows.firstOfBackward(), pass});
                continue;
            }
            wait({rows.forward, pass}, each.swapIn);
            wait(each.swapIn, {rows.swapIn, each.swapIn.entry});
            if (each.position + 1 < program.order.size()) wait(each.swapIn, program.order[each.position + 1]);
        }
    }

    /// The entry of its microbatch's passes.
    std::uint32_t passOf(TaskRef eviction) const {
        const TaskRow& own = graph_.rows[static_cast<std::size_t>(eviction.row)];
        return entryOf({TaskKind::evict, own.stage, own.microbatchOf(eviction.entry)},
                       static_cast<int>(eviction.entry / own.perIteration));
    }

    /// Each once, between its microbatch's forward and backward, and what is evicted is loaded.
    void requireEvictedBetweenPasses(const LaneProgram& program, const std::string& device) {
        std::unordered_map<std::uint32_t, std::uint32_t> places;  // of passes, in the order
        for (std::uint32_t i = 0; i < program.order.size(); ++i)
            places.emplace(graph_.taskId(program.order[i]), i);
        std::set<std::uint32_t> seen;
        for (const Prefetch& each : program.prefetches) {
            const TaskRow& own = row(each.swapIn.row);
            const StageRows& rows = rowsOf(own.stage);
            const bool isLoad = own.kind == BlockKind::swapIn;
            const auto refuse = [&](const std::string& mistake) {
                throw SimulationError("the order of device " + device + (isLoad ? " loads" : " evicts") +
                                      " microbatch " + std::to_string(own.microbatchOf(each.swapIn.entry)) +
                                      " of stage " + std::to_string(own.stage) + " " + mistake);
            };
            const auto forward = places.find(graph_.taskId({rows.forward, passOf(each.swapIn)}));
            const auto backward = places.find(graph_.taskId({rows.firstOfBackward(), passOf(each.swapIn)}));
            if (forward == places.end() || backward == places.end() || forward->second > each.position ||
                backward->second <= each.position)
                refuse("at another time than between its forward and its backward");
            if (!seen.insert(graph_.taskId(each.swapIn)).second) refuse("twice");
            if (!isLoad && std::ranges::count(program.prefetches, TaskRef{rows.swapIn, each.swapIn.entry},
                                              &Prefetch::swapIn) == 0)
                refuse("and never loads it");
        }
    }

    std::span<const TaskRef> tasksOf(const LaneProgram& program, const Fusion& fusion) const {
        return std::span(program.order).subspan(fusion.position, fusion.count);
    }

    /// A block of several tasks is one on every device that takes part in it.
    void requireSameBlocks() {
        std::vector<std::unordered_map<std::uint32_t, const Fusion*>> byFirstTask(graph_.programs.size());
        for (std::size_t lane = 0; lane < graph_.programs.size(); ++lane)
            for (const Fusion& fusion : graph_.programs[lane].fusions)
                byFirstTask[lane].emplace(graph_.taskId(tasksOf(graph_.programs[lane], fusion).front()),
                                          &fusion);
        for (std::size_t lane = 0; lane < graph_.programs.size(); ++lane)
            for (const Fusion& fusion : graph_.programs[lane].fusions) {
                const std::span<const TaskRef> tasks = tasksOf(graph_.programs[lane], fusion);
                const TaskRef first = tasks.front();
                for (const int each : graph_.variant(row(first.row), first.entry).lanes) {
                    const auto other = static_cast<std::size_t>(each);
                    const auto found = byFirstTask[other].find(graph_.taskId(first));
                    if (found == byFirstTask[other].end() ||
                        !std::ranges::equal(tasks, tasksOf(graph_.programs[other], *found->second)))
                        refuseBlockOfOne(lane, other, fusion.kind, first);
                }
            }
    }

    [[noreturn]] void refuseBlockOfOne(std::size_t lane, std::size_t other, BlockKind kind, TaskRef first) {
        const auto idOf = [&](std::size_t each) { return deviceId(graph_.lanes[each].devices.front()); };
        const TaskRow& holder = row(first.row);
        throw SimulationError("devices " + idOf(lane) + " and " + idOf(other) + " share stage " +
                              std::to_string(holder.stage) + ", but only the order of " + idOf(lane) +
                              " has " + (kind == BlockKind::pair ? "the pair" : "the whole backward") +
                              " that begins with microbatch " +
                              std::to_string(holder.microbatchOf(first.entry)) + "; expected it in both");
    }

    const std::string& deviceId(int device) const {
        return costs_.problem().cluster.devices[static_cast<std::size_t>(device)].id;
    }

    /// @param tasks one, or the forward and the backward of a pair
    void appendBlock(LaneProgram& program, std::span<const Task> tasks, const PairTimes& pairTimes,
                     int iteration, int device, bool spellsRecompute) {
        if (tasks.size() > 1) requirePair(tasks, device);
        for (const Task& task : tasks) {
            const bool gives = task.kind == TaskKind::backward || task.kind == TaskKind::inputGradient;
            if (!gives || spellsRecompute) continue;
            if (const StageRows& rows = rowsOfTask(task, device); rows.recompute >= 0)
                program.order.push_back({rows.recompute, entryOf(task, iteration)});
        }
        const std::size_t first = program.order.size();
        for (const Task& task : tasks) {
            const StageRows& rows = rowsOfTask(task, device);
            const std::uint32_t entry = entryOf(task, iteration);
            program.order.push_back({rowOf(rows, task.kind), entry});
            if (task.kind == TaskKind::backward && splits_)
                program.order.push_back({rows.weightGradient, entry});
        }
        if (program.order.size() > first + 1 && namesPasses_) fuse(program, first, pairTimes);
    }

    void requirePair(std::span<const Task> tasks, int device) const {
        if (slices_ > 1)
            throw SimulationError("the order of device " + deviceId(device) +
                                  " has a pair; expected none where sequences are cut into slices");
        if (tasks.size() == 2 && tasks[0].kind == TaskKind::forward && tasks[1].kind == TaskKind::backward)
            return;
        throw SimulationError("the order of device " + deviceId(device) +
                              " has a pair that is not a forward and a whole backward");
    }

    /// One block of all tasks from `first` on.
    void fuse(LaneProgram& program, std::size_t first, const PairTimes& pairTimes) {
        const std::span<const TaskRef> block = std::span(program.order).subspan(first);
        const bool isPair = row(block.front().row).kind == BlockKind::forward;
        Fusion fusion{static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(block.size()),
                      isPair ? BlockKind::pair : BlockKind::backward};
        if (isPair && row(block[1].row).stage == row(block[0].row).stage && block[1].entry == block[0].entry)
            throw SimulationError("stage " + std::to_string(row(block[0].row).stage) +
                                  " has a pair of a microbatch's forward and its own backward");
        for (std::size_t i = 0; i < block.size(); ++i) {
            const TaskRow& own = row(block[i].row);
            fusion.durationS += graph_.variant(own, block[i].entry).durationS;
            for (std::size_t j = 0; j < block.size(); ++j)
                if (block[j].entry == block[i].entry)
                    fusion.within[i] += static_cast<std::uint32_t>(std::count(
                        row(block[j].row).next.begin(), row(block[j].row).next.end(), block[i].row));
            if (graph_.variant(own, block[i].entry).lanes !=
                graph_.variant(row(block.front().row), block.front().entry).lanes)
                throw SimulationError("stages " + std::to_string(row(block.front().row).stage) + " and " +
                                      std::to_string(own.stage) +
                                      " have a pair, but do not share all of their devices");
        }
        if (isPair) {
            const TaskRow& forward = row(block.front().row);
            fusion.durationS =
                pairS(pairTimes, forward.stage, graph_.variant(forward, block.front().entry).durationS,
                      fusion.durationS);
        }
        if (!(fusion.durationS > 0) && isPair)
            throw SimulationError("a pair would last " + std::to_string(fusion.durationS) +
                                  " s; expected a share or a time above 0");
        program.fusions.push_back(fusion);
    }

    /// @param bothS of its passes one after the other. They do not end sooner than the longer would alone.
    static double pairS(const PairTimes& pairTimes, int forwardStage, double forwardS, double bothS) {
        const auto stage = static_cast<std::size_t>(forwardStage);
        if (stage < pairTimes.byForwardS.size()) return pairTimes.byForwardS[stage];
        if (!(pairTimes.share > 0)) return 0;
        return std::max({bothS * pairTimes.share, forwardS, bothS - forwardS});
    }

    int rowOf(const StageRows& rows, TaskKind kind) const {
        switch (kind) {
            case TaskKind::forward:
                return rows.forward;
            case TaskKind::backward:
            case TaskKind::inputGradient:
                return rows.backward;
            case TaskKind::weightGradient:
                return rows.weightGradient;
            case TaskKind::recompute:
                return rows.recompute;
            case TaskKind::evict:
            case TaskKind::load:
                return rows.forward;  // of what has run a forward
        }
        return -1;
    }

    std::uint32_t entryOf(const Task& task, int iteration) const {
        const int pipeline = stage(task.stage).pipeline;
        return (static_cast<std::uint32_t>(iteration) * microbatchesOf(pipeline) +
                static_cast<std::uint32_t>((task.microbatch - pipeline) / copies_)) *
                   slices_ +
               static_cast<std::uint32_t>(task.slice);
    }

    /// Those of a task that the device can run.
    const StageRows& rowsOfTask(const Task& task, int device) {
        const std::string& id = deviceId(device);
        if (task.stage < 0 || task.stage >= plan_.stageCount())
            throw SimulationError("the order of device " + id + " names stage " + std::to_string(task.stage) +
                                  ", which does not exist");
        const StageRows& rows = rowsOf(task.stage);
        const std::vector<int>& devices = stage(task.stage).devices;
        const int pipeline = stage(task.stage).pipeline;
        const bool takes = task.microbatch >= 0 && task.microbatch < setup_.microbatches &&
                           task.microbatch % copies_ == pipeline && task.slice >= 0 &&
                           task.slice < static_cast<int>(slices_);
        if (rowOf(rows, task.kind) < 0 || !takes ||
            std::find(devices.begin(), devices.end(), device) == devices.end())
            throw SimulationError(
                "the order of device " + id + " holds a task that it cannot run: microbatch " +
                std::to_string(task.microbatch) + " on stage " + std::to_string(task.stage));
        return rows;
    }

    void addPrefetches() {
        std::vector<FetchedStage> stages;
        for (const StageRows& rows : stageRows_) {
            // When a load begins its device's order says.
            const bool fetches = rows.swapIn >= 0 && row(rows.swapIn).microbatches.empty();
            stages.push_back({rows.recompute, rows.backward, fetches ? rows.swapIn : -1});
        }
        prefetchSwaps(graph_, stages);
    }

    /// On half duplex the channels between neighbours follow the family's order (PE: E-SPP-6 (b)).
    void orderChannels(const ScheduleFamily& family) {
        const std::vector<std::vector<int>> all = pipelines();
        for (const TransferRows& transfer : transferRows_) {
            const StageEdge& edge = edges_[static_cast<std::size_t>(transfer.edge)];
            const std::vector<int>& pipeline = all[static_cast<std::size_t>(stage(edge.from).pipeline)];
            const auto position = std::find(pipeline.begin(), pipeline.end(), edge.from) - pipeline.begin();
            const bool consecutive = pipeline[static_cast<std::size_t>(position) + 1] == edge.to;
            if (!consecutive || replicas(edge.from) > 1 || replicas(edge.to) > 1) continue;
            const std::uint32_t perIteration = row(transfer.forward).perIteration;
            const std::vector<ChannelOp> order =
                family.channelOrder(static_cast<int>(position), static_cast<int>(pipeline.size()),
                                    static_cast<int>(perIteration));
            for (int iteration = 0; iteration < graph_.iterations; ++iteration)
                for (const ChannelOp& op : order)
                    appendTask(op.backward ? transfer.backward : transfer.forward,
                               static_cast<std::uint32_t>(iteration) * perIteration +
                                   static_cast<std::uint32_t>(op.microbatch));
        }
    }

    struct TransferRows {
        std::ptrdiff_t edge = 0;
        int forward = 0, backward = 0;
    };

    const CostModel& costs_;
    const Plan& plan_;
    const ExplicitSchedule* given_;  ///< of the plan's family; nullptr: to be spelled out
    const TrainingSetup& setup_;
    const bool splits_;
    const int copies_;
    const std::uint32_t slices_;
    LaneLayout layout_;
    std::vector<StageEdge> edges_;
    std::vector<StageRows> stageRows_;
    std::vector<TransferRows> transferRows_;
    std::vector<int> sourceStages_;
    bool namesPasses_ = false;
    const ExplicitSchedule* spelled_ = nullptr;
    ExplicitSchedule ordersOfFamily_;
    ExecutionGraph graph_;
};

}  // namespace

TaskRef ExecutionGraph::taskOf(std::uint32_t id) const {
    const auto after =
        std::upper_bound(rows.begin(), rows.end(), id,
                         [](std::uint32_t task, const TaskRow& row) { return task < row.firstTask; });
    const int row = static_cast<int>(after - rows.begin()) - 1;
    return {row, id - rows[static_cast<std::size_t>(row)].firstTask};
}

ExecutionGraph buildExecutionGraph(const CostModel& costs, const Plan& plan, int iterations,
                                   const ExplicitSchedule* orders) {
    requireWellFormed(costs, plan);
    return GraphBuilder(costs, plan, iterations, orders).build();
}

}  // namespace stagecraft::simulation
