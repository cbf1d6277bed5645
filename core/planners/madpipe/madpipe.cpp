#include "core/planners/madpipe/madpipe.h"

#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/base/units.h"
#include "core/planners/madpipe/contiguous.h"
#include "core/planners/planning.h"
#include "core/runs/device_list.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

namespace stagecraft::planners {

namespace {

std::string layersText(int first, int last) {
    return first == last ? "layer " + std::to_string(first)
                         : "layers " + std::to_string(first) + " to " + std::to_string(last);
}

struct Candidate {
    double expectedS = infinity;
    std::vector<MadPipeStage> stages;
    std::string origin;
};

class Planning {
public:
    Planning(const CostModel& costs, const MadPipeOptions& options, const WorkContext& context)
        : costs_(costs),
          options_(options),
          context_(context),
          chain_(madPipeChain(costs)),
          memoryBytes_(costs.problem().leastMemoryLimitBytes()),
          begin_(std::chrono::steady_clock::now()) {}

    MadPipeOutcome plan() {
        if (!(chain_.totalS() > 0)) {
            outcome_.reason = "The network takes no time; a periodic pattern needs a period.";
            return outcome_;
        }
        std::vector<Candidate> candidates = firstPhase();
        firstPhaseCut_ = context_.enough.stop_requested();
        secondPhaseBegan_ = std::chrono::steady_clock::now();
        for (std::size_t tried = 0; tried < candidates.size(); ++tried) {
            tryOut(candidates[tried]);
            context_.report(firstPhaseShare + (1 - firstPhaseShare) * double(tried + 1) / candidates.size());
        }
        if (best_.plan) {
            outcome_.status = PlanStatus::ok;
            outcome_.plan = std::move(best_.plan);
            outcome_.periodS = best_.periodS;
            outcome_.proven = leftOut_ == 0 && !(openS_ < best_.periodS * (1 - 1e-9));
            describeResult();
        } else {
            outcome_.reason = whyNothingFits(candidates.empty());
        }
        describeProblem();
        return outcome_;
    }

private:
    static constexpr const char* algorithmsOwn = "Algorithm 1's allocation";
    /// Of the progress that is reported.
    static constexpr double firstPhaseShare = 0.4;

    /// The context with progress from one share to another.
    WorkContext between(double from, double to) const {
        WorkContext part = context_;
        part.progress = [this, from, to](double fraction) {
            context_.report(from + fraction * (to - from));
            describeFirstPhase();
        };
        return part;
    }

    /// Where it is once it takes long, a few times a second.
    void describeFirstPhase() const {
        using namespace std::chrono_literals;
        const auto now = std::chrono::steady_clock::now();
        if (!context_.says || now - begin_ < 500ms || now - told_ < 200ms) return;
        told_ = now;
        context_.says(contiguousS_ < infinity
                          ? "Period " + formatSeconds(contiguousS_) +
                                " with one stage per device; looking for allocations that share one"
                          : std::string("No plan yet; looking for an allocation"));
    }

    std::vector<Candidate> firstPhase() {
        const int processors = costs_.deviceCount();
        std::vector<Candidate> candidates;
        if (options_.stages == MadPipeStages::pipedream) {
            const PipeDreamBaseline baseline = pipeDreamBaseline(chain_, processors, memoryBytes_);
            outcome_.expectedS = baseline.partition.value;
            if (!baseline.checked)
                outcome_.notes.emplace_back(
                    "No partition passes PipeDream's own estimate of memory (a stage with j devices from its "
                    "own "
                    "to the last stores j batches); this is its partition without that.");
            return {{baseline.partition.value, baseline.partition.stages, "PipeDream's partition"}};
        }
        // First, since 1F1B* schedules it at once and its period bounds the others.
        const bool contiguousToo =
            options_.stages == MadPipeStages::contiguous || options_.severalAllocations;
        if (contiguousToo) {
            const ContiguousPartition fastest = fastestPartition(chain_, processors, memoryBytes_, context_);
            contiguousS_ = fastest.value;
            if (fastest.found())
                candidates.push_back({fastest.value, fastest.stages, "the best contiguous partition"});
            if (options_.stages == MadPipeStages::contiguous) outcome_.expectedS = fastest.value;
        }
        if (options_.stages == MadPipeStages::contiguous) return candidates;
        const PeriodSearch search = searchPeriod(chain_, processors, memoryBytes_, options_.grid,
                                                 options_.iterations, between(0, firstPhaseShare / 2));
        outcome_.expectedS = search.periodS;
        if (search.allocation.found())
            candidates.push_back({search.periodS, search.allocation.stages, algorithmsOwn});
        // Without a second phase they could not be scheduled anyway.
        if (!options_.severalAllocations || options_.secondPhase.timeLimitS <= 0) return candidates;
        MadPipeGrid full = options_.grid;
        full.special = SpecialMemory::full;
        addMet(searchPeriod(chain_, processors, memoryBytes_, full, options_.iterations,
                            between(firstPhaseShare / 2, firstPhaseShare)),
               "an allocation that charges the special processor in full", candidates);
        addMet(search, "an allocation that Algorithm 1 met on its way", candidates);
        return candidates;
    }

    /// The other allocations that the search for the period met, the fastest first.
    static void addMet(const PeriodSearch& search, const std::string& origin,
                       std::vector<Candidate>& candidates) {
        std::vector<const PeriodSearchStep*> steps;
        for (const PeriodSearchStep& step : search.steps)
            if (step.allocation.found()) steps.push_back(&step);
        const auto reachedS = [](const PeriodSearchStep* step) {
            return std::max(step->periodS, step->targetS);
        };
        std::stable_sort(
            steps.begin(), steps.end(),
            [&](const PeriodSearchStep* a, const PeriodSearchStep* b) { return reachedS(a) < reachedS(b); });
        for (const PeriodSearchStep* step : steps) {
            const bool known = std::any_of(
                candidates.begin(), candidates.end(),
                [&](const Candidate& candidate) { return candidate.stages == step->allocation.stages; });
            if (!known) candidates.push_back({reachedS(step), step->allocation.stages, origin});
        }
    }

    void tryOut(const Candidate& candidate) {
        context_.throwIfStopped();
        SecondPhaseOptions options = options_.secondPhase;
        options.timeLimitS -=
            std::chrono::duration<double>(std::chrono::steady_clock::now() - secondPhaseBegan_).count();
        options.belowS = best_.periodS;
        const bool contiguous = MadPipeAllocation{candidate.expectedS, candidate.stages}.contiguous();
        if (!contiguous && (options.timeLimitS <= 0 || context_.enough.stop_requested())) {
            ++leftOut_;
            return;
        }
        ScheduledPlan scheduled = schedulePlan(costs_, stagesOf(chain_, candidate.stages), options, context_);
        // Where both were asked for and the built-in search has proven its pattern, cbc is not missed.
        cbcIsMissing_ = cbcIsMissing_ || (scheduled.cbcIsMissing &&
                                          (!scheduled.proven || options.solver == PatternSolver::cbc));
        // What is left open here could have been better than what was found.
        if (!scheduled.proven) openS_ = std::min(openS_, scheduled.boundS);
        if (!scheduled.plan || !clearlyLess(scheduled.periodS, best_.periodS)) return;
        best_ = std::move(scheduled);
        chosen_ = candidate.origin;
    }

    void describeResult() {
        const auto periods = [](double seconds) { return formatSeconds(seconds) + " per batch"; };
        const std::string phase = std::isfinite(outcome_.expectedS)
                                      ? "The first phase expected " + periods(outcome_.expectedS)
                                      : std::string("The first phase found no allocation");
        outcome_.notes.insert(outcome_.notes.begin(),
                              phase + "; possible is " + periods(best_.periodS) + ", with " + chosen_ + ".");
        if (options_.stages == MadPipeStages::madpipe && options_.severalAllocations &&
            chosen_ != algorithmsOwn)
            outcome_.notes.emplace_back(
                "That is not the paper's algorithm, which takes what Algorithm 1 returns and no other "
                "(candidates=printed).");
        const Plan& plan = *outcome_.plan;
        std::set<int> devices;
        std::string several;
        for (const Stage& stage : plan.stages)
            if (!devices.insert(stage.devices.front()).second) several = deviceName(stage.devices.front());
        if (!several.empty()) {
            std::string numbers;
            for (std::size_t stage = 0; stage < plan.stages.size(); ++stage)
                if (deviceName(plan.stages[stage].devices.front()) == several)
                    numbers += (numbers.empty() ? "" : ", ") + std::to_string(stage);
            outcome_.notes.push_back("The special processor is " + several + ", with stages " + numbers +
                                     ".");
        }
        if (static_cast<int>(devices.size()) < costs_.deviceCount())
            outcome_.notes.push_back("Stages are not replicated: " + std::to_string(devices.size()) + " of " +
                                     counted(costs_.deviceCount(), "device") + " are used.");
        describeProof();
        if (plan.miniBatch.microbatches > 0)
            outcome_.notes.push_back(
                "Up to " + counted(best_.mostActive, "batch is", "batches are") +
                " in flight, for which two versions of the weights are enough if " +
                counted(plan.miniBatch.microbatches, "microbatch makes", "microbatches make") +
                " a mini-batch; the setup has " + std::to_string(costs_.problem().setup.microbatches) + ".");
    }

    void describeProof() {
        if (openS_ < best_.periodS * (1 - 1e-9))
            outcome_.notes.push_back("The second phase was not solved to the end (" + timeLimitText() +
                                     "): a pattern that is up to " +
                                     formatPercent(1 - openS_ / best_.periodS) +
                                     " shorter is not ruled out for the allocations that were tried.");
        else if (best_.provenBy == "1F1B*")
            outcome_.notes.emplace_back(
                "1F1B* runs these stages: no pattern of them is shorter within this memory (Proposition 1).");
        else if (!best_.provenBy.empty())
            outcome_.notes.push_back("No pattern of these stages is shorter, proven by " +
                                     (best_.provenBy == "cbc" ? best_.provenBy : "the " + best_.provenBy) +
                                     ".");
        if (firstPhaseCut_)
            outcome_.notes.emplace_back("The first phase was not searched to the end: " + timeLimitText() +
                                        ".");
        if (leftOut_ > 0)
            outcome_.notes.push_back(std::to_string(leftOut_) + " allocation" +
                                     (leftOut_ == 1 ? " was" : "s were") +
                                     " not scheduled: " + timeLimitText() + ".");
        if (cbcIsMissing_)
            outcome_.notes.emplace_back(
                "The program cbc is not installed (Debian: coinor-cbc); the built-in search worked alone.");
    }

    std::string timeLimitText() const {
        if (context_.enough.stop_requested()) return "stopped early on request";
        return "time limit " + formatSeconds(options_.secondPhase.timeLimitS);
    }

    void describeProblem() {
        if (chain_.links() < costs_.layerCount())
            outcome_.notes.push_back("Planned as a chain of " + std::to_string(chain_.links()) +
                                     " groups of layers: tensors skip some of the " +
                                     counted(costs_.layerCount(), "layer") + ".");
        const std::vector<int> all = devicesAsNumbered(costs_.deviceCount());
        const Cluster& cluster = costs_.problem().cluster;
        const double slowestBps = costs_.interconnect().minBandwidthBps(all, all);
        const double fastestBps = costs_.interconnect().mostBandwidthBps();
        const bool alikeMemory = std::all_of(all.begin(), all.end(), [&](int device) {
            return costs_.problem().memoryLimitBytes(device) == memoryBytes_;
        });
        const double slowest = costs_.slowestSpeed(all);
        const bool alikeSpeed = std::all_of(cluster.devices.begin(), cluster.devices.end(),
                                            [&](const Device& device) { return device.speed == slowest; });
        if (slowestBps < fastestBps)
            outcome_.notes.push_back("The first phase assumes all links as slow as the slowest, " +
                                     formatBandwidth(slowestBps) + ".");
        if (!alikeMemory || !alikeSpeed)
            outcome_.notes.push_back(
                std::string("The first phase assumes that all devices are alike, with the ") +
                (alikeSpeed ? "" : "slowest speed") + (alikeSpeed || alikeMemory ? "" : " and the ") +
                (alikeMemory ? "" : "smallest memory, " + formatBytes(memoryBytes_)) + ".");
    }

    std::string deviceName(int device) const {
        return costs_.problem().cluster.devices[static_cast<std::size_t>(device)].id;
    }

    /// @param nowhere no allocation at all, not just no pattern of one
    std::string whyNothingFits(bool nowhere) const {
        const ContiguousPartition leanest = leanestPartition(chain_, costs_.deviceCount(), chain_.latestS());
        if (leanest.found() && leanest.value > memoryBytes_) {
            const auto largest = std::max_element(
                leanest.stages.begin(), leanest.stages.end(), [&](const auto& a, const auto& b) {
                    return chain_.memoryBytes(a.first, a.last, 1) < chain_.memoryBytes(b.first, b.last, 1);
                });
            int smallest = 0;
            for (const int device : devicesAsNumbered(costs_.deviceCount()))
                if (costs_.problem().memoryLimitBytes(device) == memoryBytes_) {
                    smallest = device;
                    break;
                }
            const int first = chain_.firstLayer(largest->first);
            const int last = chain_.lastLayer[static_cast<std::size_t>(largest->last)];
            return "Even with one batch at a time, on the most even of all partitions, " +
                   layersText(first, last) + " need " + formatBytes(leanest.value) + " and device " +
                   deviceName(smallest) + " has " + formatBytes(memoryBytes_) + ": " +
                   formatBytes(leanest.value - memoryBytes_) + " are missing.";
        }
        if (options_.stages == MadPipeStages::pipedream)
            return "No period makes PipeDream's partition fit: one of its stages needs more than " +
                   formatBytes(memoryBytes_) + " with one batch alone.";
        return nowhere
                   ? "No allocation fits into " + formatBytes(memoryBytes_) + " per device."
                   : "The first phase has an allocation, but no pattern of it that fits into " +
                         formatBytes(memoryBytes_) + " was found; it underestimates the special processor.";
    }

    const CostModel& costs_;
    const MadPipeOptions& options_;
    const WorkContext& context_;
    const MadPipeChain chain_;
    const double memoryBytes_;
    const std::chrono::steady_clock::time_point begin_;
    MadPipeOutcome outcome_;
    ScheduledPlan best_;
    std::string chosen_;
    double openS_ = infinity;        // the least bound of the allocations whose patterns are not proven
    double contiguousS_ = infinity;  // of the best plan with one stage per device, once it is known
    mutable std::chrono::steady_clock::time_point told_;
    std::chrono::steady_clock::time_point secondPhaseBegan_;
    bool firstPhaseCut_ = false;
    int leftOut_ = 0;
    bool cbcIsMissing_ = false;
};

}  // namespace

MadPipeOutcome planMadPipe(const CostModel& costs, const MadPipeOptions& options,
                           const WorkContext& context) {
    return Planning(costs, options, context).plan();
}

}  // namespace stagecraft::planners
