#pragma once

#include "core/base/indices.h"
#include "core/base/work_context.h"
#include "core/planners/automatic/auto_answer.h"

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

/// Searches groups, data- and pipeline-parallel degrees, microbatch sizes, cuts, schedules, places of copies
/// and recomputation for the least time of an iteration within memory, by branch and bound: layouts are taken
/// in the order of their lower bounds (LayoutBound), and once the next is no less than the best plan's time
/// nothing better is left. Those of ZeRO-2 and ZeRO-3 come last, when there is something to be faster than:
/// they save memory, and take more time. At the end stages of different size are tried, of which nothing of
/// this is proven (SizedStages). The same answer with any number of threads: layouts are tried in
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
    void tryDifferentSizes(const AutoLimits& limits, AutoAnswer& answer, const WorkContext& context);
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
