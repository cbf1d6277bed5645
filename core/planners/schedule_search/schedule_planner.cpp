#include "core/base/counted.h"
#include "core/base/spelling.h"
#include "core/base/units.h"
#include "core/model/profile_sizes.h"
#include "core/planners/planner.h"
#include "core/planners/schedule_search/families_to_try.h"
#include "core/planners/schedule_search/refinement.h"
#include "core/planners/schedule_search/schedule_trials.h"
#include "core/runs/chosen_schedule.h"
#include "core/schedules/families.h"

#include <algorithm>

namespace stagecraft::planners {

namespace {

constexpr const char* effort = "effort";
constexpr const char* everyOne = "all";
constexpr const char* withinMeasured = "measured";
constexpr const char* anySize = "any";
constexpr int mostTimesOther = 8;  // a size is at most that many times the profile's, or that part of it
constexpr const char* refine = "refine";
constexpr const char* whereMemoryLacks = "where_memory_lacks";
constexpr const char* byRecomputing = "recompute";
constexpr const char* byOffloading = "offload";
constexpr const char* byEither = "either";
constexpr double million = 1e6;
constexpr std::size_t mostRefined = 3;  // plans, each of another placement

std::vector<std::string> familyChoices() {
    std::vector<std::string> choices{everyOne};
    for (const ScheduleFamily& family : scheduleFamilies()) choices.push_back(family.id);
    return choices;
}

std::vector<std::string> partitionChoices() {
    std::vector<std::string> choices{everyOne};
    choices.insert(choices.end(), stageSourceIds().begin(), stageSourceIds().end());
    return choices;
}

/// The sizes of microbatches that cut the problem's mini-batch evenly, the profile's own (0) first, then
/// ascending. Smaller ones fill the pipeline sooner, and take longer by the sample where the profile was
/// measured at them; beyond what was measured times are in proportion to the size, so that smaller looks
/// better than it is: by default no such size is tried.
std::vector<int> sizesToTry(const Problem& problem, const std::string& which) {
    std::vector<int> sizes{0};
    if (which == profilesSize) return sizes;
    const int own = problem.profile.microbatchSize;
    const std::vector<int> measured = measuredSizes(problem.profile);
    const auto samples = static_cast<long long>(problem.setup.microbatches) * own;
    for (int size = std::max(1, own / mostTimesOther); size <= own * mostTimesOther && size <= samples;
         ++size)
        if (size != own && samples % size == 0 &&
            (which == anySize || (size >= measured.front() && size <= measured.back())))
            sizes.push_back(size);
    return sizes;
}

MemoryRemedies remediesOf(const std::string& asked) {
    return {.recompute = asked != byOffloading, .offload = asked != byRecomputing};
}

/// @param list ids with commas between @throws std::invalid_argument for one that there is not
std::vector<std::string> familiesIn(const std::string& list) {
    std::vector<std::string> ids;
    for (std::size_t start = 0; start < list.size();) {
        const std::size_t comma = std::min(list.find(',', start), list.size());
        std::string id = list.substr(start, comma - start);
        id.erase(0, id.find_first_not_of(' '));
        id.erase(id.find_last_not_of(' ') + 1);
        start = comma + 1;
        if (!findScheduleFamily(id))
            throw std::invalid_argument(std::string(leaveOutParameter) + ": no schedule '" + id + "'" +
                                        spellingHint(id, familyChoices()) +
                                        "; expected ids with commas between");
        ids.push_back(std::move(id));
    }
    return ids;
}

class SchedulePlanner final : public Planner {
public:
    const PlannerDescription& description() const override { return description_; }
    bool plansByGpuType() const override { return true; }

    PlanningResult plan(const CostModel& costs, const ParameterValues& values,
                        const WorkContext& context) const override {
        const std::string only = std::get<std::string>(values.at(scheduleFamilyParameter));
        const FamiliesToTry families(costs.problem(),
                                     only == everyOne ? std::vector<std::string>{} : std::vector{only},
                                     familiesIn(std::get<std::string>(values.at(leaveOutParameter))),
                                     std::get<int>(values.at(mostChunksParameter)));
        ScheduleTrials search(million * std::get<int>(values.at(effort)),
                              remediesOf(std::get<std::string>(values.at(whereMemoryLacks))), context);
        PlanningResult result;
        result.plan.planner = description_.id;
        const std::vector<StageSource> sources = sourcesOf(costs, values, context, result.notes);
        const std::vector<int> sizes =
            sizesToTry(costs.problem(), std::get<std::string>(values.at(microbatchSizesParameter)));
        const auto steps = static_cast<double>(sources.size() * sizes.size());
        double done = 0;
        for (const int size : sizes) {
            const MiniBatchCut cut(costs, size);
            for (const StageSource& source : sources) {
                search.run(source, families.toTry(), cut);
                context.report(++done / steps);
            }
        }
        const int notTried = search.notTried();
        result.tried = search.rows();
        addNotes(result, families, notTried, std::get<int>(values.at(effort)));
        conclude(result, costs, sources);
        if (result.status == PlanStatus::ok && std::get<bool>(values.at(refine)))
            refineBest(result, costs, sources, million * std::get<int>(values.at(effort)), context);
        return result;
    }

private:
    /// @param notes gets a line for each planner that gives no partition, unless it was the only one asked
    static std::vector<StageSource> sourcesOf(const CostModel& costs, const ParameterValues& values,
                                              const WorkContext& context, std::vector<std::string>& notes) {
        const std::string asked = std::get<std::string>(values.at(partitionParameter));
        std::vector<StageSource> sources;
        if (asked != everyOne) {
            sources.emplace_back(asked, costs, context);
            return sources;
        }
        for (const std::string& id : stageSourceIds()) {
            try {
                sources.emplace_back(id, costs, context);
            } catch (const std::runtime_error& error) {
                notes.push_back(std::string("Left out: ") + error.what());
            }
        }
        return sources;
    }

    static void addNotes(PlanningResult& result, const FamiliesToTry& families, int notTried, int millions) {
        const auto simulated =
            std::count_if(result.tried.begin(), result.tried.end(),
                          [](const TriedSchedule& tried) { return tried.leftOut.empty(); });
        result.notes.insert(result.notes.begin(), "Simulated " + counted(simulated, "schedule") +
                                                      "; the plan is the shortest of these that fits.");
        for (const std::string& left : families.leftOut()) result.notes.push_back("Left out: " + left + ".");
        for (const std::string& doubt : families.doubts())
            result.notes.push_back("Asked for all the same: " + doubt + ".");
        if (notTried > 0)
            result.notes.push_back("Not simulated: " + counted(notTried, "more schedule") +
                                   ", for the effort of " +
                                   counted(millions, "million passes", "million passes") + " was used up.");
    }

    void conclude(PlanningResult& result, const CostModel& costs,
                  const std::vector<StageSource>& sources) const {
        if (result.tried.empty() || !fits(result.tried.front())) {
            result.status = PlanStatus::infeasible;
            result.reason = whyNone(result);
            return;
        }
        TriedSchedule& best = result.tried.front();
        best.chosen = true;
        const auto source = std::find_if(sources.begin(), sources.end(), [&best](const StageSource& each) {
            return each.id() == best.partition;
        });
        result.status = PlanStatus::ok;
        result.plan = MiniBatchCut(costs, best.microbatchSize).planOf(*source, best);
        result.plan.planner = description_.id;
        result.plan.claims.fitsMemory = true;
        result.predictedS = best.iterationTimeS;
        result.notes.insert(result.notes.begin(), "Chosen: " + triedTitle(best) + ".");
    }

    /// Goes on from the best of each placement; what comes of the best of these is the plan.
    void refineBest(PlanningResult& result, const CostModel& costs, const std::vector<StageSource>& sources,
                    double mostPasses, const WorkContext& context) const {
        std::vector<std::pair<Placement, int>> placements;  // with chunks
        double bestS = result.tried.front().iterationTimeS;
        for (TriedSchedule& row : result.tried) {
            if (!fits(row) || placements.size() == mostRefined) break;
            const std::pair placement{findScheduleFamily(row.family)->placement, row.chunks};
            if (std::ranges::find(placements, placement) != placements.end()) continue;
            placements.push_back(placement);
            const MiniBatchCut cut(costs, row.microbatchSize);
            const auto source = std::ranges::find(sources, row.partition, &StageSource::id);
            RefinedPlan refined =
                Refinement(cut.costs(), mostPasses / mostRefined, context).from(cut.planOf(*source, row));
            result.notes.push_back("Refined from " + triedTitle(row) + ", " +
                                   formatSeconds(row.iterationTimeS) + ": " + refined.text() + ", " +
                                   formatSeconds(refined.iterationS) +
                                   (refined.isEnd ? "." : "; then the effort was used up."));
            if (refined.iterationS >= bestS) continue;
            bestS = refined.iterationS;
            for (TriedSchedule& other : result.tried) other.chosen = &other == &row;
            refined.plan.planner = result.plan.planner;
            refined.plan.claims = result.plan.claims;
            result.plan = std::move(refined.plan);
            result.predictedS = bestS;
            result.notes.front() = "Chosen: what came of " + triedTitle(row) + ".";
        }
    }

    static std::string whyNone(const PlanningResult& result) {
        const auto simulated =
            std::count_if(result.tried.begin(), result.tried.end(),
                          [](const TriedSchedule& tried) { return tried.leftOut.empty(); });
        if (simulated == 0) {
            if (!result.tried.empty()) return "no schedule takes the stages: " + result.tried.front().leftOut;
            for (const std::string& note : result.notes)
                if (note.starts_with("Left out: ")) return "no schedule is left to try. " + note;
            return "no schedule is left to try";
        }
        const TriedSchedule& nearest = result.tried.front();
        return "none of " + counted(simulated, "schedule") + " fits into memory; nearest is " +
               triedTitle(nearest) + ", which lacks " + formatBytes(nearest.lackingBytes);
    }

    const PlannerDescription description_ = [] {
        PlannerDescription description{
            "schedule",
            "Schedule search",
            "The papers of its schedules: see 'stagecraft schedules'",
            "Schedule families on several partitions, with several numbers of chunks and sizes of "
            "microbatches, and with recomputation where they need it: the shortest of those tried that fits "
            "into memory.",
            {{partitionParameter, "Partition",
              "Where the stages come from: cut for each schedule, or another planner's; all: each of these.",
              std::string(everyOne), 0, 0, partitionChoices()},
             {scheduleFamilyParameter, "Schedule",
              "One family alone, or all that the network can run: slices of sequences are left out unless "
              "the "
              "profile says that sequences are causal.",
              std::string(everyOne), 0, 0, familyChoices()},
             {leaveOutParameter, "Leave out", "Families that are not to be tried: ids with commas between.",
              std::string()},
             {mostChunksParameter, "Chunks at most",
              "Stages on each device that interleaved schedules are tried with.", 4, 2, 64},
             {microbatchSizesParameter,
              "Microbatch sizes",
              "The same mini-batch cut otherwise. measured: within the sizes at which the profile was "
              "measured; any: from an eighth to eight times the profile's, where times in proportion to the "
              "size make small microbatches look better than they are; profile: its own alone.",
              std::string(withinMeasured),
              0,
              0,
              {withinMeasured, anySize, profilesSize}},
             {whereMemoryLacks,
              "Where memory lacks",
              "recompute: all activations; offload: to the hosts' memory, of as many layers as it takes, "
              "those "
              "first that wait longest for their backward (PipeOffload, arXiv 2503.01328); either: the "
              "shorter of both.",
              std::string(byRecomputing),
              0,
              0,
              {byRecomputing, byOffloading, byEither}},
             {refine, "Refine",
              "Goes on from the best of each placement, as AdaPtis does (arXiv 2509.23722): layers over a "
              "boundary, devices exchanged, another order, one after the other as long as the iteration gets "
              "shorter.",
              false},
             {effort, "Effort",
              "Millions of passes that are simulated at most, over all schedules; what is not tried is "
              "counted in the notes.",
              10, 1, 100000}}};
        description.plansForMemory = true;
        description.choosesSchedule = true;
        description.effort = {.search = 5, .simulation = 400};  // some hundred plans
        return description;
    }();
};

}  // namespace

std::unique_ptr<Planner> makeSchedulePlanner() { return std::make_unique<SchedulePlanner>(); }

}  // namespace stagecraft::planners
