#include "core/planners/schedule_search/tried_schedules.h"

#include "core/base/counted.h"
#include "core/runs/arranged_stages.h"
#include "core/runs/chosen_schedule.h"
#include "core/planners/planner.h"
#include "core/planners/schedule_search/offloading.h"
#include "core/schedules/families.h"

#include <stdexcept>

namespace stagecraft::planners {

namespace {

constexpr const char* equalLayer = "equal-layers";

CostModel costsAt(const CostModel& costs, const MiniBatch& miniBatch) {
    if (miniBatch.microbatchSize == 0) return costs;
    Plan plan;
    plan.miniBatch = miniBatch;
    return CostModel(problemOf(plan, costs.problem()));
}

MiniBatch miniBatchOf(const Problem& problem, int size) {
    if (size == 0 || size == problem.profile.microbatchSize) return {};
    Plan plan;
    plan.miniBatch.microbatchSize = size;
    plan.miniBatch.microbatches = microbatchesAsked(plan, problem);
    return plan.miniBatch;
}

}  // namespace

const std::vector<std::string>& stageSourceIds() {
    static const std::vector<std::string> ids = {equalTimeStages, equalLayer, "spp", "gpipe", "pipedream"};
    return ids;
}

std::string stageSourceTitle(const std::string& id) {
    if (id == equalTimeStages) return "stages of equal time";
    if (id == equalLayer) return "equal numbers of layers";
    const Planner* planner = findPlanner(id);
    return (planner ? planner->description().title : id) + "'s stages";
}

std::string triedScheduleTitle(const TriedSchedule& tried) {
    const ScheduleFamily* family = findScheduleFamily(tried.family);
    std::string title = family ? shortTitle(*family) : tried.family;
    if (tried.chunks > 1) title += ", " + counted(tried.chunks, "chunk");
    if (tried.microbatchSize > 0) title += ", microbatches of " + counted(tried.microbatchSize, "sample");
    return title + (tried.recomputes ? ", recomputing" : tried.offloads ? ", offloading" : "");
}

std::string triedTitle(const TriedSchedule& tried) {
    return triedScheduleTitle(tried) + " on " + stageSourceTitle(tried.partition);
}

StageSource::StageSource(const std::string& id, const CostModel& costs, const WorkContext& context)
    : id_(id) {
    if (id == equalTimeStages || id == equalLayer) return;
    const Planner* planner = findPlanner(id);
    if (!planner) throw std::runtime_error("no planner '" + id + "' to take stages from");
    const PlanningResult made =
        planServerByServer(*planner, costs, defaultValues(planner->description().parameters), context);
    if (made.status != PlanStatus::ok)
        throw std::runtime_error(planner->description().title + " gives no partition: " + made.reason);
    plan_ = made.plan;
    plan_->memory = {};
    plan_->claims = {};  // they are of the plan, and this takes its stages alone
}

Plan StageSource::under(const CostModel& costs, const ScheduleFamily& family,
                        const ParameterValues& values) const {
    if (plan_) return arrangedUnder(costs, *plan_, family, values);
    return cutUnder(costs, family, values, id_ == equalTimeStages ? equalTimeCut : equalLayerCut);
}

MiniBatchCut::MiniBatchCut(const CostModel& costs, int size)
    : miniBatch_(miniBatchOf(costs.problem(), size)), costs_(costsAt(costs, miniBatch_)) {}

Plan MiniBatchCut::planOf(const StageSource& source, const TriedSchedule& tried) const {
    const ScheduleFamily* family = findScheduleFamily(tried.family);
    if (!family) throw std::invalid_argument("no schedule '" + tried.family + "'");
    ParameterValues values = defaultValues(settingsOf(*family));
    if (values.contains(chunksParameter)) values[chunksParameter] = tried.chunks;
    Plan plan = source.under(costs_, *family, values);
    if (miniBatch_.microbatches > 0) plan.miniBatch = miniBatch_;
    if (tried.recomputes)
        for (int layer = 0; layer < costs_.layerCount(); ++layer)
            plan.memory.layers[layer] = LayerMemory::recompute;
    plan.name.clear();
    return tried.offloads ? offloadedToFit(costs_, std::move(plan)).plan : plan;
}

Plan planOfTried(const CostModel& costs, const TriedSchedule& tried, const WorkContext& context) {
    return MiniBatchCut(costs, tried.microbatchSize)
        .planOf(StageSource(tried.partition, costs, context), tried);
}

}  // namespace stagecraft::planners
