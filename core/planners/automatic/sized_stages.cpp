#include "core/planners/automatic/sized_stages.h"

#include "core/base/indices.h"
#include "core/model/prices.h"
#include "core/planners/automatic/work_in_turn.h"
#include "core/planners/planning.h"
#include "core/planners/schedule_search/tried_schedules.h"
#include "core/schedules/families.h"

#include <algorithm>

namespace stagecraft::planners {

namespace {

constexpr const char* plannersOfSizes[] = {"spp", "pipedream"};
constexpr double shareForLooking = 1.0 / 200;  // of the passes that the search may simulate
constexpr double shareForFamilies = 1.0 / 100;
constexpr std::size_t mostFollowed = 3;  // places at which every family is tried
constexpr int schedulesTried = 100;      // families, with their numbers of chunks, on all sources of stages
constexpr int mostChunksOnSizes = 4;

/// The passes of the busiest stage of a pipeline, one after the other.
double busiestS(const CostModel& costs, const Plan& plan) {
    if (plan.pipelineCount() > 1) return 0;
    double busiest = 0;
    for (int index = 0; index < plan.stageCount(); ++index) {
        const Stage& stage = plan.stages[at(index)];
        const StageCost cost = costs.wholeMicrobatch(plan, index);
        const int inTurn = stage.replication == Replication::split
                               ? 1
                               : static_cast<int>(stage.devices.size()) / stage.group.ranksOfCopy();
        busiest = std::max(busiest, (cost.forwardS + cost.backwardS + cost.recomputeS) / inTurn);
    }
    return busiest * costs.problem().setup.microbatches;
}

/// The copies of each set of devices, in the order of their first stages.
PipelineLayout layoutOf(const Degree& degree, const Problem& problem, const Plan& plan) {
    PipelineLayout layout{degree.group, problem.setup.zero, degree.samples, 1, problem.setup.microbatches, 0};
    std::vector<std::vector<int>> sets;
    bool isSplit = plan.pipelineCount() == 1;
    for (const Stage& stage : plan.stages) {
        isSplit = isSplit && stage.replication == Replication::split;
        std::vector<int> devices = stage.devices;
        std::ranges::sort(devices);
        if (std::ranges::find(sets, devices) != sets.end()) continue;
        layout.sizes.push_back(static_cast<int>(devices.size()) / degree.group.ranksOfCopy());
        sets.push_back(std::move(devices));
    }
    layout.ranks = static_cast<int>(layout.sizes.size());
    const int first = layout.sizes.front();
    const bool areAlike = std::ranges::all_of(layout.sizes, [first](int size) { return size == first; });
    if (!isSplit || !areAlike || degree.samples % first != 0) return layout;
    layout.sizes.clear();
    layout.copies = first;
    layout.samples = degree.samples / first;
    return layout;
}

bool isUnder(const Plan& plan, const std::vector<std::string>& families) {
    const auto* schedule = std::get_if<FamilySchedule>(&plan.schedule.order);
    if (!schedule || !findScheduleFamily(schedule->name)) return false;
    return families.empty() || std::ranges::find(families, schedule->name) != families.end();
}

/// Ids with commas between.
std::string familiesLeftOut(const AutoLimits& limits) {
    std::string others;
    for (const ScheduleFamily& family : scheduleFamilies()) {
        const bool isWanted =
            limits.families.empty() || std::ranges::find(limits.families, family.id) != limits.families.end();
        if (isWanted && (family.placement != Placement::ring || limits.mostChunks > 1)) continue;
        others += (others.empty() ? "" : ",") + std::string(family.id);
    }
    return others;
}

}  // namespace

SizedStages::SizedStages(const Problem& problem, int batch, std::vector<Degree> degrees,
                         const AutoLimits& limits, const WorkContext& context)
    : problem_(problem), batch_(batch), degrees_(std::move(degrees)), limits_(limits), context_(context) {}

/// In passes that the engine simulates in that time: what SPP takes on layers and groups, and the passes of
/// its plan and PipeDream's, with each recomputation that may be needed.
double SizedStages::costOfLooking(const Place& place) const {
    const double layers = problem_.profile.layerCount();
    const double groups = problem_.cluster.deviceCount() / place.degree->group.ranksOfCopy();
    const double microbatches = double(batch_) / place.degree->samples;
    return 3 * (layers * groups * groups + 2 * 2 * microbatches * std::min(groups, layers));
}

/// All degrees with the stage of ZeRO that most often is the fastest first.
std::vector<SizedStages::Place> SizedStages::placesWithin(double seconds) {
    const auto end = std::ranges::lower_bound(degrees_, seconds, {}, &Degree::leastS);
    std::vector<Place> places;
    double left = limits_.mostPasses * shareForLooking;
    for (const ZeroStage zero : zeroStagesToPlan(problem_, limits_))
        for (auto degree = degrees_.begin(); degree != end; ++degree) {
            ++open_;
            const Place place{&*degree, zero};
            const double cost = costOfLooking(place);
            if (cost > left) continue;
            left -= cost;
            places.push_back(place);
        }
    return places;
}

SizedStages::Found SizedStages::stagesAt(const Place& place, double seconds, const CostsAt& costsAt) const {
    Found found;
    found.place = place;
    const CostModel costs = costsAt(*place.degree, place.zero);
    for (const char* id : plannersOfSizes) {
        const Planner* planner = findPlanner(id);
        std::optional<FittingPlan> made =
            fittingPlan(*planner, costs, defaultValues(planner->description().parameters), context_,
                        [&](const CostModel& own, const Plan& plan) {
                            const bool isWanted = busiestS(own, plan) < seconds;
                            if (isWanted) found.passes += passesOf(own, plan);
                            return isWanted;
                        });
        if (!made || made->course.iterationS >= found.seconds()) continue;
        found.plan = std::move(made);
    }
    return found;
}

/// Those stages and other planners'.
std::optional<FittingPlan> SizedStages::underFamilies(const Found& found, const CostsAt& costsAt) const {
    const double mostPasses = limits_.mostPasses * shareForFamilies;
    if (schedulesTried * passesOf(*found.plan->costs, found.plan->answer.plan) > mostPasses)
        return std::nullopt;
    const Planner* schedules = findPlanner("schedule");
    ParameterValues values = defaultValues(schedules->description().parameters);
    values[microbatchSizesParameter] = std::string(profilesSize);
    values[leaveOutParameter] = familiesLeftOut(limits_);
    values[mostChunksParameter] = std::clamp(limits_.mostChunks, 2, mostChunksOnSizes);
    return fittingPlan(*schedules, costsAt(*found.place.degree, found.place.zero), values, context_);
}

/// Nothing: not of a family that is wanted.
std::optional<AutoPlan> SizedStages::planOf(const Found& found) const {
    const Plan& plan = found.plan->answer.plan;
    if (!isUnder(plan, limits_.families)) return std::nullopt;
    AutoPlan made;
    made.plan = plan;
    made.problem = found.plan->costs->problem();
    made.problem.setup.recomputation = Recomputation::none;  // the plan says it of each layer
    made.layout = layoutOf(*found.place.degree, made.problem, plan);
    made.schedule.family = findScheduleFamily(std::get<FamilySchedule>(plan.schedule.order).name);
    if (made.schedule.family->placement == Placement::ring)
        made.schedule.chunks = plan.stageCount() / made.layout.ranks;
    made.iterationS = found.seconds();
    made.peakBytes = found.plan->course.peakBytes;
    if (hasPrices(made.problem)) made.dollarsPerS = dollarsPerSecond(made.problem, plan);
    return made;
}

std::optional<AutoPlan> SizedStages::fasterThan(double seconds, int threads, const CostsAt& costsAt) {
    const std::vector<Place> places = placesWithin(seconds);
    const auto inParallel = [&](std::size_t count, const WorkInTurn::Work& work) {
        long long done = 0;
        WorkInTurn::onThreads(threads, count, work, [&](std::size_t) {
            ++done;
            return !context_.enough.stop_requested();
        });
        return done;
    };
    std::vector<Found> all(places.size());
    tried_ = inParallel(all.size(), [&](std::size_t i) { all[i] = stagesAt(places[i], seconds, costsAt); });
    for (const Found& found : all) passes_ += found.passes;
    std::ranges::stable_sort(all, {}, &Found::seconds);
    std::erase_if(all, [](const Found& found) { return !found.plan; });
    if (all.size() > mostFollowed) all.resize(mostFollowed);
    std::vector<Found> under(all.begin(), all.end());
    inParallel(under.size(), [&](std::size_t i) { under[i].plan = underFamilies(all[i], costsAt); });
    all.insert(all.end(), under.begin(), under.end());
    std::optional<AutoPlan> best;
    for (const Found& found : all) {
        if (!found.plan) continue;
        std::optional<AutoPlan> made = planOf(found);
        if (made && made->iterationS < (best ? best->iterationS : seconds)) best = std::move(made);
    }
    return best;
}

}  // namespace stagecraft::planners
