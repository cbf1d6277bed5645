#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/base/units.h"
#include "core/memory/memory.h"
#include "core/model/profile_sizes.h"
#include "core/planners/chosen_schedule.h"
#include "core/planners/planner.h"
#include "core/schedules/families.h"
#include "core/simulation/simulator.h"

#include <algorithm>

namespace stagecraft::planners {

namespace {

constexpr const char* partition = "partition";
constexpr const char* mostChunks = "max_chunks";
constexpr const char* equalLayersChoice = "equal-layers";
constexpr const char* equalTimeChoice = "equal-time";
constexpr const char* everyFamily = "all";
constexpr const char* microbatchSizes = "microbatch_sizes";
constexpr const char* profilesSize = "profile";
constexpr const char* withinMeasured = "measured";
constexpr const char* anySize = "any";
constexpr int mostTimesOther = 8;  // a size is at most that many times the profile's, or that part of it

std::vector<std::string> familyChoices() {
    std::vector<std::string> choices{everyFamily};
    for (const ScheduleFamily& family : scheduleFamilies()) choices.push_back(family.id);
    return choices;
}

/// The sizes of microbatches that cut the problem's mini-batch evenly, the profile's own first, then
/// ascending. Smaller ones fill the pipeline sooner, and take longer by the sample where the profile was
/// measured at them; beyond what was measured times are in proportion to the size, so that smaller looks
/// better than it is: by default no such size is tried.
std::vector<int> sizesToTry(const Problem& problem, const std::string& which) {
    const int own = problem.profile.microbatchSize;
    std::vector<int> sizes{own};
    if (which == profilesSize) return sizes;
    const std::vector<int> measured = measuredSizes(problem.profile);
    const auto samples = static_cast<long long>(problem.setup.microbatches) * own;
    for (int size = std::max(1, own / mostTimesOther); size <= own * mostTimesOther && size <= samples;
         ++size)
        if (size != own && samples % size == 0 &&
            (which == anySize || (size >= measured.front() && size <= measured.back())))
            sizes.push_back(size);
    return sizes;
}

/// A family with what is tried of it.
struct Candidate {
    const ScheduleFamily* family = nullptr;
    ParameterValues values;
    std::string name;  ///< "interleaved, 2 chunks"
};

/// A candidate that was simulated.
struct Trial {
    std::string name;
    Plan plan;
    double seconds = 0;
    double peakBytes = 0;
    double excessBytes = 0;  ///< over the limit of the device that lacks most
    bool fits() const { return excessBytes <= 0; }
};

/// @param only the id of a family, or that of all
std::vector<Candidate> candidates(const std::string& only, int most) {
    std::vector<Candidate> all;
    for (const ScheduleFamily& family : scheduleFamilies()) {
        if (only != everyFamily && only != family.id) continue;
        const ParameterValues values = defaultValues(settingsOf(family));
        if (family.placement != Placement::ring) {
            all.push_back({&family, values, shortTitle(family)});
            continue;
        }
        for (int chunks = 2; chunks <= most; ++chunks) {
            all.push_back({&family, values, shortTitle(family) + ", " + counted(chunks, "chunk")});
            all.back().values["chunks"] = chunks;
        }
    }
    return all;
}

/// Searches families, chunks, microbatch sizes and recomputation for the least time of the same mini-batch
/// within memory.
class ScheduleSearch {
public:
    ScheduleSearch(const CostModel& costs, const std::string& from, const WorkContext& context)
        : costs_(costs), context_(context) {
        if (from == equalLayersChoice) cut_ = equalLayerCut;
        if (from == equalTimeChoice) cut_ = equalTimeCut;
        if (cut_) return;
        const Planner& planner = *findPlanner(from);
        const PlanningResult other =
            planner.plan(costs, defaultValues(planner.description().parameters), context);
        if (other.status != PlanStatus::ok)
            throw std::runtime_error(planner.description().title + " gives no partition: " + other.reason);
        base_ = other.plan;
    }

    std::vector<Trial> run(const std::vector<Candidate>& all, const std::vector<int>& sizes) {
        const auto steps = static_cast<double>(all.size() * sizes.size());
        double done = 0;
        for (const int size : sizes) {
            const Cut cut = cutInto(size);
            for (const Candidate& candidate : all) {
                context_.throwIfStopped();
                attempt(candidate, cut);
                context_.report(++done / steps);
            }
        }
        return std::move(trials_);
    }
    const std::vector<std::string>& refusals() const { return refusals_; }

private:
    /// The mini-batch in microbatches of one size.
    struct Cut {
        MiniBatch miniBatch;
        CostModel costs;
        std::string name;  ///< after that of a schedule; empty for the profile's own size
    };

    Cut cutInto(int size) const {
        const Problem& problem = costs_.problem();
        if (size == problem.profile.microbatchSize) return {{}, costs_, ""};
        Plan plan;
        plan.miniBatch.microbatchSize = size;
        plan.miniBatch.microbatches = microbatchesAsked(plan, problem);
        return {plan.miniBatch, CostModel(problemOf(plan, problem)),
                ", microbatches of " + counted(size, "sample")};
    }

    void attempt(const Candidate& candidate, const Cut& cut) {
        try {
            Plan plan = base_ ? underSchedule(*base_, *candidate.family, candidate.values)
                              : cutUnder(cut.costs, *candidate.family, candidate.values, cut_);
            plan.memory = {};
            if (cut.miniBatch.microbatches > 0) {
                plan.miniBatch.microbatches = cut.miniBatch.microbatches;
                plan.miniBatch.microbatchSize = cut.miniBatch.microbatchSize;
            }
            add(candidate.name + cut.name, cut.costs, plan);
            if (trials_.back().fits()) return;
            // Recomputing only adds to the time of what fits without.
            for (int layer = 0; layer < costs_.layerCount(); ++layer)
                plan.memory.layers[layer] = LayerMemory::recompute;
            add(candidate.name + cut.name + ", recomputing", cut.costs, plan);
        } catch (const std::invalid_argument& error) {
            refuse(error.what(), cut);
        } catch (const SimulationError& error) {
            refuse(error.what(), cut);
        }
    }

    void refuse(const std::string& reason, const Cut& cut) { refusals_.push_back(reason + cut.name); }

    void add(const std::string& name, const CostModel& costs, const Plan& plan) {
        const Timeline timeline = simulate(costs, plan);
        Trial trial{name, plan, timeline.lastEndS()};
        for (const MemoryCurve& curve : memoryCurves(costs, plan, timeline)) {
            trial.peakBytes = std::max(trial.peakBytes, curve.peakBytes());
            if (curve.limitBytes > 0)
                trial.excessBytes = std::max(trial.excessBytes, curve.peakBytes() - curve.limitBytes);
        }
        trials_.push_back(std::move(trial));
    }

    const CostModel& costs_;
    const WorkContext& context_;
    LayerCut cut_ = nullptr;
    std::optional<Plan> base_;
    std::vector<Trial> trials_;
    std::vector<std::string> refusals_;
};

/// Those that fit first, from the shortest; of equal ones the family that is offered first.
bool isBefore(const Trial& a, const Trial& b) {
    if (a.fits() != b.fits()) return a.fits();
    return a.fits() ? a.seconds < b.seconds : a.excessBytes < b.excessBytes;
}

class SchedulePlanner final : public Planner {
public:
    const PlannerDescription& description() const override { return description_; }

    PlanningResult plan(const CostModel& costs, const ParameterValues& values,
                        const WorkContext& context) const override {
        ScheduleSearch search(costs, std::get<std::string>(values.at(partition)), context);
        std::vector<Trial> trials =
            search.run(candidates(std::get<std::string>(values.at(scheduleFamilyParameter)),
                                  std::get<int>(values.at(mostChunks))),
                       sizesToTry(costs.problem(), std::get<std::string>(values.at(microbatchSizes))));
        std::stable_sort(trials.begin(), trials.end(), isBefore);
        PlanningResult result;
        result.plan.planner = description_.id;
        for (const Trial& trial : trials)
            result.notes.push_back(trial.name + ": " + formatSeconds(trial.seconds) + ", peak " +
                                   formatBytes(trial.peakBytes) +
                                   (trial.fits() ? "" : ", " + formatBytes(trial.excessBytes) + " too much"));
        for (const std::string& refusal : search.refusals()) result.notes.push_back("Left out: " + refusal);
        if (trials.empty() || !trials.front().fits()) {
            result.status = PlanStatus::infeasible;
            result.reason = trials.empty() ? "no schedule takes the partition"
                                           : "none of " + counted(trials.size(), "schedule") +
                                                 " fits into memory; nearest is " + trials.front().name +
                                                 ", which lacks " + formatBytes(trials.front().excessBytes);
            return result;
        }
        result.status = PlanStatus::ok;
        result.plan = std::move(trials.front().plan);
        result.plan.planner = description_.id;
        result.plan.name.clear();
        result.plan.memory.claimsToFit = true;
        result.predictedS = trials.front().seconds;
        return result;
    }

private:
    const PlannerDescription description_{
        "schedule",
        "Best schedule",
        "The papers of its schedules: see 'stagecraft schedules'",
        "A partition under every schedule family, with several numbers of chunks, sizes of microbatches and "
        "with recomputation where it needs it: the shortest that fits into memory.",
        {{partition,
          "Partition",
          "Where the stages come from: cut for each schedule, or another planner's.",
          std::string(equalTimeChoice),
          0,
          0,
          {equalLayersChoice, equalTimeChoice, "spp", "gpipe", "pipedream"}},
         {scheduleFamilyParameter, "Schedule", "One family alone, or all of them.", std::string(everyFamily),
          0, 0, familyChoices()},
         {mostChunks, "Chunks at most", "Stages on each device that interleaved schedules are tried with.", 4,
          2, 64},
         {microbatchSizes,
          "Microbatch sizes",
          "The same mini-batch cut otherwise. measured: within the sizes at which the profile was measured; "
          "any: from an eighth to eight times the profile's, where times in proportion to the size make "
          "small "
          "microbatches look better than they are; profile: its own alone.",
          std::string(withinMeasured),
          0,
          0,
          {withinMeasured, anySize, profilesSize}}},
        true};
};

}  // namespace

std::unique_ptr<Planner> makeSchedulePlanner() { return std::make_unique<SchedulePlanner>(); }

}  // namespace stagecraft::planners
