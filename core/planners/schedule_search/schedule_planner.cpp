#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/base/units.h"
#include "core/memory/memory.h"
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

std::vector<std::string> familyChoices() {
    std::vector<std::string> choices{everyFamily};
    for (const ScheduleFamily& family : scheduleFamilies()) choices.push_back(family.id);
    return choices;
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

/// Searches a family, its chunks and recomputation for the least time within memory.
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

    std::vector<Trial> run(const std::vector<Candidate>& all) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            context_.throwIfStopped();
            attempt(all[i]);
            context_.report(static_cast<double>(i + 1) / static_cast<double>(all.size()));
        }
        return std::move(trials_);
    }
    const std::vector<std::string>& refusals() const { return refusals_; }

private:
    void attempt(const Candidate& candidate) {
        try {
            Plan plan = base_ ? underSchedule(*base_, *candidate.family, candidate.values)
                              : cutUnder(costs_, *candidate.family, candidate.values, cut_);
            plan.memory = {};
            add(candidate.name, plan);
            if (trials_.back().fits()) return;
            // Recomputing only adds to the time of what fits without.
            for (int layer = 0; layer < costs_.layerCount(); ++layer)
                plan.memory.layers[layer] = LayerMemory::recompute;
            add(candidate.name + ", recomputing", plan);
        } catch (const std::invalid_argument& error) {
            refusals_.emplace_back(error.what());
        } catch (const SimulationError& error) {
            refusals_.emplace_back(error.what());
        }
    }

    void add(const std::string& name, const Plan& plan) {
        const Timeline timeline = simulate(costs_, plan);
        Trial trial{name, plan, timeline.lastEndS()};
        for (const MemoryCurve& curve : memoryCurves(costs_, plan, timeline)) {
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
        std::vector<Trial> trials = search.run(candidates(
            std::get<std::string>(values.at(scheduleFamilyParameter)), std::get<int>(values.at(mostChunks))));
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
        "A partition under every schedule family, with several numbers of chunks and with recomputation "
        "where it "
        "needs it: the shortest that fits into memory.",
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
          2, 64}},
        true};
};

}  // namespace

std::unique_ptr<Planner> makeSchedulePlanner() { return std::make_unique<SchedulePlanner>(); }

}  // namespace stagecraft::planners
