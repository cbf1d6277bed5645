#pragma once

#include "core/base/work_context.h"
#include "core/memory/memory.h"
#include "core/planners/vpipe/memory_floor.h"
#include "core/planners/vpipe/round.h"

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>

namespace stagecraft::planners::vpipe {

/// What a search of all plans came to.
struct SearchResult {
    bool fits = false;
    /// Every plan was simulated, or cannot fit by its floors: then nothing fits unless `fits`.
    bool complete = true;
    std::uint32_t simulated = 0;  ///< plans
    /// What was found; if nothing fits what came closest, by the bytes by which its worst stage exceeds its
    /// limit. Nothing was simulated: what comes closest by its floors.
    std::vector<Stage> stages;
    MemoryPolicy memory;
    int lackingStage = -1;  ///< its worst stage, if it does not fit
    double neededBytes = 0, limitBytes = 0;
};

/// Looks for a plan that fits where Algorithms 1 to 3 find none: what a stage holds depends on what the
/// others do, so that no stage can be settled by itself. Partitions and choices of keep, recompute and swap
/// that the floors allow are simulated, those first whose floors are low, until one fits or the work gets too
/// much
/// (`complete` says so): a second or so. Half a dozen layers are searched through whatever the floors say,
/// larger problems where these leave few plans.
class CompleteSearch {
public:
    /// @param costs under the plan's own setup
    CompleteSearch(const CostModel& costs, const Settings& settings, const WorkContext& context);

    /// @param fixed the only partition to look at; empty: all with this many stages
    SearchResult run(int stages, const std::vector<Stage>& fixed);

private:
    struct Choice {
        LayerOps ops;
        double floorBytes = 0;
    };
    struct Candidate {
        std::vector<Stage> stages;
        std::vector<const std::vector<Choice>*> choices;  ///< by stage
    };

    /// A plan that exceeds a limit in a few mini-batches, and may not in the long run.
    struct Doubtful {
        double excess = 0;  ///< bytes
        std::vector<Stage> stages;
        MemoryPolicy memory;
    };

    /// Where a plan exceeds a limit most; stage -1: nowhere.
    struct Lack {
        int stage = -1;
        double neededBytes = 0, limitBytes = 0, excess = 0;
    };

    std::uint64_t mostWork() const;
    void addCandidate(const MemoryFloor& floor, const std::vector<int>& bounds);
    const std::vector<Choice>& choicesOf(const MemoryFloor& floor, int stage, const Stage& layers);
    /// Every way to treat the layers that may make a difference, or too many: those that may take least.
    std::vector<LayerOps> waysOf(const MemoryFloor& floor, int stage, const Stage& layers);
    void explainNoPartition(const MemoryFloor& floor, const std::vector<int>& bounds);
    void tryAll();
    bool tryWave(const Candidate& candidate, std::size_t stage, std::size_t rest, MemoryPolicy& memory);
    bool tryPlan(const std::vector<Stage>& stages, const MemoryPolicy& memory);
    /// Seconds of an iteration if it fits.
    std::optional<double> timeOf(const std::vector<Stage>& stages, const MemoryPolicy& memory);
    /// The same by what the long run holds, of a plan of training without a barrier.
    std::optional<double> longRunTimeOf(Plan plan);
    void tryDoubtful();
    void take(const std::vector<Stage>& stages, const MemoryPolicy& memory, double seconds);
    static Lack worstLack(const Plan& plan, const std::vector<MemoryCurve>& curves);
    bool takeAsClosest(const Plan& plan, const Lack& lack);
    void speedUp();
    bool speedUpLayer(int layer, LayerMemory op);

    const CostModel& costs_;
    const Settings& settings_;
    const WorkContext& context_;
    std::map<std::array<int, 3>, std::vector<Choice>> choices_;  ///< by stage, first and last layer
    std::vector<Candidate> candidates_;
    std::vector<Doubtful> doubtful_;
    SearchResult result_;
    double leastExcess_ = std::numeric_limits<double>::infinity();
    double iterationTimeS_ = 0;  ///< of what fits
    std::uint64_t work_ = 0;
};

}  // namespace stagecraft::planners::vpipe
