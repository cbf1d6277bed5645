#pragma once

#include "core/base/indices.h"
#include "core/base/work_context.h"
#include "core/planners/automatic/layout_bound.h"
#include "core/planners/automatic/layout_trial.h"
#include "core/planners/automatic/plan_rates.h"
#include "core/planners/automatic/rank_problem.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft::planners {

/// A network at a microbatch of so many samples in all, with times at `shares` samples too, which is what
/// copies may have of them.
using ProfileSource = std::function<LayerProfile(int samples, const std::vector<int>& shares)>;
/// Of a profile that is there: the times between the sizes at which it was measured, in proportion below and
/// above (profileAtSize).
ProfileSource scaledProfiles(LayerProfile profile);

class WorkInTurn;

/// What is searched. Less of anything never gives a better answer.
struct AutoLimits {
    int mostDevices = 0;   ///< 0: all
    int mostTensor = 0;    ///< ranks that divide a layer; 0: the devices of a server
    int mostContext = 64;  ///< that divide the samples' tokens
    std::optional<int> tensor = {}, context = {}, expert = {};  ///< those degrees alone; nothing: each
    int mostSamples = 64;                                       ///< of a microbatch of a copy
    int mostChunks = 8;                      ///< stages of a rank, where schedules interleave them
    bool sequenceParallel = true;            ///< whether it is tried too
    std::optional<ZeroStage> zero = {};      ///< nothing: each
    std::vector<std::string> families = {};  ///< ids; empty: all that are covered (scheduleChoices)
    double mostPasses = 100e6;               ///< after which nothing more is simulated
    AutoObjective objective = AutoObjective::time;
    double mostSeconds = infinity;  ///< of an iteration
    int mostDegrees = 0;            ///< at which planners are run (plannersAtDegrees()); 0: all
};

/// A plan of a layout.
struct AutoPlan {
    PipelineLayout layout;
    ScheduleChoice schedule;
    CopiesPlace place = CopiesPlace::together;
    std::size_t order = 0;  ///< of the machines' orders of devices (MachineFacts::orders)
    Problem problem;        ///< under which it runs
    Plan plan;
    double iterationS = 0;  ///< by the engine, on the cluster's own devices
    double peakBytes = 0;
    double dollarsPerS = 0;  ///< of the devices that have a stage; 0: the price of some device is not known
};

/// A layout that was looked at, and the best that came of it.
struct AutoTried {
    PipelineLayout layout;
    TimeBound bound;
    double iterationS =
        0;  ///< on ranks (RankProblem); infinity: nothing that fits was found, or nothing faster
    std::string family;
    int chunks = 1;
    double peakBytes = 0;
    double value = infinity;  ///< of what is to be least
    bool wasShort = false;    ///< of memory, in a plan that might have been another with more
};

/// A group, and samples of a microbatch over all copies of it: what any layout or planner starts from.
struct Degree {
    Group group;
    int samples = 1;
    /// Seconds of an iteration that no plan takes less than, whatever its stages and its schedule, as long as
    /// its pairs of passes take as long as both: all passes and updates, over all devices. What is sent to
    /// experts is left out, which schedules may hide.
    double leastS = 0;
};

/// How layouts went out.
struct AutoCounts {
    long long layouts = 0;                    ///< in all
    long long noMemory = 0;                   ///< proven not to fit
    std::map<BoundReason, long long> pruned;  ///< proven to be no faster than the best, by what bounds them
    long long tried = 0;                      ///< for which plans were made
    long long open = 0;                       ///< left as the effort was used up
    double passes = 0;
};

struct AutoAnswer {
    std::optional<AutoPlan> best;
    std::string reason;  ///< why there is none
    AutoObjective objective = AutoObjective::time;
    AutoUnit unit = AutoUnit::seconds;
    /// No plan of any layout that was searched takes less: seconds, or GPU seconds or dollars where the
    /// search was for money (AutoUnit).
    double provenS = 0;
    PipelineLayout provenBy;
    BoundReason provenReason = BoundReason::work;
    std::vector<AutoTried> tried;  ///< from the fastest
    AutoCounts counts;

    /// What is to be least of a plan.
    double valueOf(const AutoPlan& plan) const {
        return plan.iterationS * (unit == AutoUnit::dollars      ? plan.dollarsPerS
                                  : unit == AutoUnit::gpuSeconds ? plan.layout.devices()
                                                                 : 1);
    }
    double bestValue() const { return best ? valueOf(*best) : infinity; }
    /// By how much a plan could be faster at most, of its time: 0.07 for "no plan is more than 7 % faster";
    /// of money by how much more this one costs at most.
    double gap() const { return best ? bestValue() / provenS - 1 : infinity; }
};

/// Searches groups, data- and pipeline-parallel degrees, microbatch sizes, cuts, schedules, places of copies
/// and recomputation for the least time of an iteration within memory, by branch and bound: layouts are taken
/// in the order of their lower bounds (LayoutBound), and once the next is no less than the best plan's time
/// nothing better is left. Those of ZeRO-2 and ZeRO-3 come last, when there is something to be faster than:
/// they save memory, and take more time. The same answer with any number of threads: layouts are tried in
/// rounds of a fixed number, ties go to the layout that comes first, and what a thread tries of a layout
/// before its turn is judged by what is known once its turn has come.
class AutoSearch {
public:
    /// @param problem its cluster and setup count, and what does not depend on sizes of its profile
    /// @param batch samples of an iteration @param threads 0: one for each core
    AutoSearch(const Problem& problem, ProfileSource source, int batch, int threads = 0);

    /// @throws Cancelled
    AutoAnswer best(const AutoLimits& limits, const WorkContext& context = {});

    /// Seconds that no plan at all takes less than, whatever its stages have of devices, as long as all have
    /// the same group and hold activations no longer than they must: all work over all devices.
    double leastOfAllS(const AutoLimits& limits);

    /// On all devices, from the least that its plans take; of equals that which has fewer samples.
    std::vector<Degree> degrees(const AutoLimits& limits, const WorkContext& context = {});
    /// The problem there, with times at the samples that copies have where they have equally many.
    CostModel costsAt(const Degree& degree, ZeroStage zero) const;

private:
    struct Node;
    struct Tried;
    class Open;
    std::shared_ptr<const RankLayers> layersOf(const Group& group, int samples);
    /// All that the layouts of these have.
    void makeLayers(const std::vector<Node>& nodes, const WorkContext& context);
    /// By all threads. @throws what the first has thrown that did, Cancelled
    void inParallel(std::size_t count, const WorkContext& context,
                    const std::function<void(std::size_t)>& each) const;
    const CostModel& costsAt(int samples);
    /// @param shares samples of each copy
    CostModel costsUnder(const Group& group, int samples, const std::vector<int>& shares,
                         ZeroStage zero) const;
    struct Work;
    /// Of the whole batch, in microbatches of so many samples of each copy.
    Work workOf(const Group& group, int samples);
    std::vector<Group> groups(const AutoLimits& limits) const;
    std::vector<Node> roots(const AutoLimits& limits, AutoAnswer& answer, const WorkContext& context);
    void addRoots(const Group& group, const AutoLimits& limits, std::vector<Node>& nodes);
    std::vector<ZeroStage> zeroStages(const PipelineLayout& layout, const AutoLimits& limits) const;
    std::vector<Node> withRanks(const Node& root, const AutoLimits& limits, AutoAnswer& answer) const;
    /// Whether all that was looked at of the same layout fits with ZeRO-1, so that ZeRO-2 is no better.
    bool fitsWithLess(const Node& node, const AutoAnswer& answer) const;
    static void noteProven(const Node& first, const std::vector<Node>& later, AutoAnswer& answer);
    /// Whether it may still be better than the best, within the time there is.
    static bool isWorthwhile(const Node& node, const AutoLimits& limits, const AutoAnswer& answer);
    static void conclude(const AutoLimits& limits, AutoAnswer& answer);
    static void prune(const Node& node, AutoAnswer& answer);
    void tryRound(const std::vector<Node>& round, const AutoLimits& limits, AutoAnswer& answer,
                  const WorkContext& context);
    Tried tried(const Node& node, const AutoLimits& limits, double worth, WorkInTurn& work,
                const std::stop_token& stop) const;
    std::optional<AutoPlan> onCluster(const Tried& found, const std::stop_token& stop);

    Problem problem_;
    ProfileSource source_;
    int batch_;
    int threads_;
    MachineFacts machines_;
    CostModel base_;
    PlanRates rates_;                                  ///< of the search under way
    std::map<int, std::unique_ptr<CostModel>> costs_;  ///< by samples
    std::map<std::pair<Group, int>, std::shared_ptr<const RankLayers>> layers_;
};

}  // namespace stagecraft::planners
