#include "core/simulation/graph_draft.h"

#include "core/cost/stage_layout.h"
#include "core/simulation/contended_flows.h"
#include "core/simulation/execution_graph.h"

namespace stagecraft::simulation {

namespace {

/// A periodic pattern's links are half duplex whatever the setup says (MadPipe, E-MP-10).
ChannelMode channelModeOf(const Plan& plan, const TrainingSetup& setup) {
    return std::holds_alternative<PeriodicSchedule>(plan.schedule.order) ? ChannelMode::halfDuplex
                                                                         : setup.channel;
}

}  // namespace

GraphDraft::GraphDraft(const CostModel& costs, const Plan& plan, const LoweredPlan& lowered, int iterations)
    : costs_(costs),
      plan_(plan),
      lowered_(lowered),
      copies_(plan.pipelineCount()),
      lanes_(plan, costs.deviceCount(), channelModeOf(plan, costs.problem().setup)),
      stageRows_(plan.stages.size()) {
    // A periodic pattern has times of its own.
    if (setup().network == LinkSharing::shared &&
        !std::holds_alternative<PeriodicSchedule>(plan.schedule.order))
        flows_.emplace(costs);
    graph_.iterations = iterations;
    graph_.slices = static_cast<std::uint32_t>(plan.schedule.slices());
    graph_.stageCount = plan.stageCount();
}

const std::string& GraphDraft::deviceId(int device) const {
    return costs_.problem().cluster.devices[static_cast<std::size_t>(device)].id;
}

bool GraphDraft::roundRobin(int index) const { return stage(index).replication == Replication::roundRobin; }

int GraphDraft::replicas(int index) const { return StageLayout(stage(index)).turns(); }

int GraphDraft::addRow(BlockKind kind, int index, std::vector<TaskVariant> variants, RowTrigger trigger) {
    TaskRow added;
    added.kind = kind;
    added.stage = index;
    added.variants = std::move(variants);
    if (trigger != RowTrigger::iteration) {
        added.slices = trigger == RowTrigger::pass ? graph_.slices : 1;
        added.perIteration = microbatchesOf(stage(index).pipeline) * added.slices;
        added.firstMicrobatch = stage(index).pipeline;
        added.microbatchStep = copies_;
    }
    graph_.rows.push_back(std::move(added));
    return static_cast<int>(graph_.rows.size()) - 1;
}

int GraphDraft::addSendings(int index, BlockKind kind, double seconds) {
    if (!flows_) return -1;
    PassSendings pass{lanes_.computeLanes(index).front(), {}};
    for (const InsideStep& step : insideSteps(costs_, plan_, index, kind)) {
        if (step.kind == InsideKind::computing) continue;
        const int flow = flows_->addInside(plan_, index, step, (step.to - step.from) * seconds);
        if (flow >= 0) pass.all.push_back({step.from * seconds, step.to * seconds, flow});
    }
    if (pass.all.empty()) return -1;
    graph_.sends.push_back(std::move(pass));
    return static_cast<int>(graph_.sends.size()) - 1;
}

void GraphDraft::follow(int earlier, int later) {
    row(earlier).next.push_back(later);
    ++row(later).dependencies;
}

void GraphDraft::gather(int earlier, int later) {
    row(earlier).gatheredBy.push_back(later);
    row(later).dependencies += row(earlier).perIteration;
}

void GraphDraft::refuseTask(const Task& task, int device) const {
    const std::string& id = deviceId(device);
    if (task.stage < 0 || task.stage >= plan_.stageCount())
        throw SimulationError("the order of device " + id + " names stage " + std::to_string(task.stage) +
                              ", which does not exist");
    throw SimulationError("the order of device " + id + " holds a task that it cannot run: microbatch " +
                          std::to_string(task.microbatch) + " on stage " + std::to_string(task.stage));
}

void GraphDraft::closeRows() {
    std::uint64_t next = 0;
    for (TaskRow& each : graph_.rows) {
        each.firstTask = static_cast<std::uint32_t>(next);
        next += std::uint64_t{each.perIteration} * static_cast<std::uint64_t>(graph_.iterations);
    }
    if (next >= noBlock)
        throw SimulationError("the timeline would have " + std::to_string(next) +
                              " blocks; at most 4294967294 can be held");
    graph_.taskCount = static_cast<std::uint32_t>(next);
    graph_.lanes = lanes_.lanes();
    graph_.programs.resize(graph_.lanes.size());
    if (flows_) keepContended(graph_, *flows_, costs_.problem().cluster);
}

}  // namespace stagecraft::simulation
