#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/base/spelling.h"
#include "core/base/units.h"
#include "core/model/profile_sizes.h"
#include "core/planners/planner.h"
#include "core/planners/schedule_search/offloading.h"
#include "core/planners/schedule_search/refinement.h"
#include "core/planners/schedule_search/tried_schedules.h"
#include "core/runs/chosen_schedule.h"
#include "core/runs/offered_families.h"
#include "core/schedules/families.h"
#include "core/simulation/simulator.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stagecraft::planners {

namespace {

constexpr const char* leaveOut = "leave_out";
constexpr const char* mostChunks = "max_chunks";
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
            throw std::invalid_argument(std::string(leaveOut) + ": no schedule '" + id + "'" +
                                        spellingHint(id, familyChoices()) +
                                        "; expected ids with commas between");
        ids.push_back(std::move(id));
    }
    return ids;
}

int rankOf(const TriedSchedule& tried) { return !tried.leftOut.empty() ? 2 : tried.lackingBytes > 0 ? 1 : 0; }

/// Those that fit first, from the shortest, then those that lack memory, then those that were left out.
bool isBefore(const TriedSchedule& a, const TriedSchedule& b) {
    if (rankOf(a) != rankOf(b)) return rankOf(a) < rankOf(b);
    if (rankOf(a) == 2) return false;
    return rankOf(a) == 0 ? a.iterationTimeS < b.iterationTimeS : a.lackingBytes < b.lackingBytes;
}

/// Whether both fit and take as long, but for the rounding of sums in another order.
bool isAsLong(const TriedSchedule& a, const TriedSchedule& b) {
    constexpr double rounding = 1e-9;
    return rankOf(a) == 0 && rankOf(b) == 0 &&
           std::abs(a.iterationTimeS - b.iterationTimeS) <= rounding * b.iterationTimeS;
}

/// From the best; of those that take as long that which holds fewer bytes, then that which was tried first.
std::vector<TriedSchedule> fromTheBest(const std::vector<TriedSchedule>& rows) {
    std::vector<std::size_t> order(rows.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return isBefore(rows[a], rows[b]); });
    for (auto begin = order.begin(); begin != order.end();) {
        const auto end = std::find_if(begin + 1, order.end(),
                                      [&](std::size_t each) { return !isAsLong(rows[*begin], rows[each]); });
        std::sort(begin, end, [&](std::size_t a, std::size_t b) {
            return std::pair(std::llround(rows[a].peakBytes), a) <
                   std::pair(std::llround(rows[b].peakBytes), b);
        });
        begin = end;
    }
    std::vector<TriedSchedule> sorted;
    for (const std::size_t each : order) sorted.push_back(rows[each]);
    return sorted;
}

/// What is tried where memory lacks.
struct Remedies {
    explicit Remedies(const std::string& asked)
        : recompute(asked != byOffloading), offload(asked != byRecomputing) {}
    bool recompute, offload;
};

/// Searches partitions, families, chunks, microbatch sizes and recomputation for the least time of the same
/// mini-batch within memory.
class ScheduleSearch {
public:
    /// @param mostPasses after which nothing more is simulated
    ScheduleSearch(double mostPasses, Remedies remedies, const WorkContext& context)
        : passesLeft_(mostPasses), remedies_(remedies), context_(context) {}

    /// @param all of a partition and a family, in the order in which they are tried; sizes are filled in
    void run(const StageSource& source, const std::vector<TriedSchedule>& all, const MiniBatchCut& cut) {
        for (TriedSchedule tried : all) {
            context_.throwIfStopped();
            tried.partition = source.id();
            tried.microbatchSize = cut.size();
            attempt(source, cut, tried);
        }
    }
    void leaveOut(TriedSchedule tried, const std::string& reason) {
        tried.leftOut = reason;
        rows_.push_back(std::move(tried));
    }

    /// From the best; the first is chosen if it fits.
    std::vector<TriedSchedule> rows() const { return fromTheBest(rows_); }
    int notTried() const { return notTried_; }

private:
    void attempt(const StageSource& source, const MiniBatchCut& cut, TriedSchedule tried) {
        try {
            if (!simulateInto(tried, source, cut)) return;
            rows_.push_back(tried);
            if (tried.lackingBytes <= 0) return;
            // Both only add to the time of what fits without.
            for (const bool offloads : {false, true}) {
                if (!(offloads ? remedies_.offload : remedies_.recompute)) continue;
                tried.recomputes = !offloads;
                tried.offloads = offloads;
                if (simulateInto(tried, source, cut)) rows_.push_back(tried);
            }
        } catch (const std::invalid_argument& error) {
            leaveOut(std::move(tried), error.what());
        } catch (const SimulationError& error) {
            leaveOut(std::move(tried), error.what());
        }
    }

    /// Whether it was simulated: not if the same plan was before, or the effort is used up.
    bool simulateInto(TriedSchedule& tried, const StageSource& source, const MiniBatchCut& cut) {
        TriedSchedule kept = tried;
        kept.offloads = false;
        Plan plan = cut.planOf(source, kept);
        if (passesLeft_ <= 0) {
            ++notTried_;
            return false;
        }
        if (tried.offloads) {
            const OffloadedPlan made = offloadedToFit(cut.costs(), std::move(plan), context_.stop);
            plan = made.plan;
            passesLeft_ -= made.simulations * passesOf(cut.costs(), plan);
        }
        for (const auto& [known, title] : simulated_)
            if (known == plan) {
                leaveOut(tried, "the same plan as " + title);
                return false;
            }
        passesLeft_ -= passesOf(cut.costs(), plan);
        const PlanCourse course = courseOf(cut.costs(), plan, CourseOf::devices, context_.stop);
        tried.iterationTimeS = course.iterationS;
        tried.peakBytes = course.peakBytes;
        tried.lackingBytes = course.lackingBytes;
        simulated_.emplace_back(plan, triedTitle(tried));
        return true;
    }

    double passesLeft_;
    Remedies remedies_;
    int notTried_ = 0;
    const WorkContext& context_;
    std::vector<TriedSchedule> rows_;
    std::vector<std::pair<Plan, std::string>> simulated_;
};

/// The families that are asked for and can be run, with the numbers of chunks that are tried.
class Families {
public:
    Families(const Problem& problem, const ParameterValues& values) {
        const std::string only = std::get<std::string>(values.at(scheduleFamilyParameter));
        const std::vector<std::string> without = familiesIn(std::get<std::string>(values.at(leaveOut)));
        for (const ScheduleFamily& family : scheduleFamilies()) {
            if (only != everyOne && only != family.id) continue;
            const bool unwanted = std::find(without.begin(), without.end(), family.id) != without.end();
            std::string reason = whyNotForNetwork(family, problem.profile);
            bool isAsked = only == family.id && !problem.profile.causalSequence.has_value();
            if (reason.empty()) {
                reason = whyNothingToHide(family, problem.profile, {everyLayer(problem)});
                isAsked = only == family.id;
            }
            if (unwanted || (!reason.empty() && !isAsked)) {
                leftOut_.push_back(unwanted ? shortTitle(family) + ", as asked for" : reason);
                continue;
            }
            if (!reason.empty()) doubts_.push_back(reason);
            add(family, std::get<int>(values.at(mostChunks)));
        }
    }

    const std::vector<TriedSchedule>& toTry() const { return toTry_; }
    const std::vector<std::string>& leftOut() const { return leftOut_; }
    const std::vector<std::string>& doubts() const { return doubts_; }

private:
    /// With the group that plans have.
    static Stage everyLayer(const Problem& problem) {
        Stage all{0, problem.profile.layerCount() - 1, {}};
        all.group = problem.setup.group();
        return all;
    }
    void add(const ScheduleFamily& family, int most) {
        TriedSchedule tried;
        tried.family = family.id;
        if (family.placement != Placement::ring) {
            toTry_.push_back(std::move(tried));
            return;
        }
        for (tried.chunks = 2; tried.chunks <= most; ++tried.chunks) toTry_.push_back(tried);
    }

    std::vector<TriedSchedule> toTry_;
    std::vector<std::string> leftOut_, doubts_;
};

class SchedulePlanner final : public Planner {
public:
    const PlannerDescription& description() const override { return description_; }
    bool plansByGpuType() const override { return true; }

    PlanningResult plan(const CostModel& costs, const ParameterValues& values,
                        const WorkContext& context) const override {
        const Families families(costs.problem(), values);
        ScheduleSearch search(million * std::get<int>(values.at(effort)),
                              Remedies(std::get<std::string>(values.at(whereMemoryLacks))), context);
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

    static void addNotes(PlanningResult& result, const Families& families, int notTried, int millions) {
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
        if (result.tried.empty() || !result.tried.front().leftOut.empty() ||
            result.tried.front().lackingBytes > 0) {
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
            if (rankOf(row) > 0 || placements.size() == mostRefined) break;
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
             {leaveOut, "Leave out", "Families that are not to be tried: ids with commas between.",
              std::string()},
             {mostChunks, "Chunks at most",
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
