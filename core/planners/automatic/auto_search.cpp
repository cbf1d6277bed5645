#include "core/planners/automatic/auto_search.h"

#include "core/base/indices.h"
#include "core/base/units.h"
#include "core/model/indivisible.h"
#include "core/model/profile_sizes.h"
#include "core/planners/planning.h"
#include "core/planners/schedule_search/plan_course.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <tuple>

namespace stagecraft::planners {

namespace {

constexpr std::size_t mostInRound = 8;  // layouts that are tried before the best is looked at again
// Of the least time of a layout; what is estimated to take longer is not looked at.
constexpr double sketchWithin = 1.02;
constexpr int fewPasses = 128;          // forwards of all ranks
constexpr std::size_t mostListed = 24;  // of those that were tried

std::vector<int> divisorsOf(int number, int most) {
    std::vector<int> divisors;
    for (int each = 1; each <= std::min(number, most); ++each)
        if (number % each == 0) divisors.push_back(each);
    return divisors;
}

bool isOther(const std::optional<int>& asked, int degree) { return asked && *asked != degree; }

}  // namespace

ProfileSource scaledProfiles(LayerProfile profile) {
    return [profile = std::move(profile)](int samples, int) { return profileAtSize(profile, samples); };
}

/// A layout with the most ranks that there are devices and layers for, or with a number of them.
struct AutoSearch::Node {
    PipelineLayout layout;
    std::shared_ptr<const LayoutBound> bounds;
    TimeBound bound;
    bool isRoot = true;
    long long number = 0;  ///< decides among equal bounds
};

struct AutoSearch::Tried {
    AutoTried row;
    ScheduleChoice schedule;
    CopiesPlace place = CopiesPlace::together;
    Plan plan;  ///< on ranks
    std::shared_ptr<const LayoutBound> bounds;
    double passes = 0;
};

AutoSearch::AutoSearch(const Problem& problem, ProfileSource source, int batch, int threads)
    : problem_(problem),
      source_(std::move(source)),
      batch_(batch),
      threads_(threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()))),
      machines_(problem),
      base_(problem) {}

const CostModel& AutoSearch::costsAt(int samples) {
    std::unique_ptr<CostModel>& costs = costs_[samples];
    if (!costs) {
        TrainingSetup setup = problem_.setup;
        setup.microbatches = 1;
        setup.passOverheadS = problem_.setup.passOverheadS;
        costs = std::make_unique<CostModel>(base_.withProfile(source_(samples, samples), setup));
    }
    return *costs;
}

std::shared_ptr<const RankLayers> AutoSearch::layersOf(const Group& group, int samples) {
    std::shared_ptr<const RankLayers>& layers = layers_[{group, samples}];
    if (!layers) layers = std::make_shared<const RankLayers>(costsAt(samples), group, machines_);
    return layers;
}

/// That divide all layers and fit on the devices; tensor-parallel ranks within a server.
std::vector<Group> AutoSearch::groups(const AutoLimits& limits) const {
    const LayerProfile& profile = problem_.profile;
    const int last = profile.layerCount() - 1;
    const int devices = limits.mostDevices > 0 ? limits.mostDevices : problem_.cluster.deviceCount();
    const bool sendsKeys = std::ranges::any_of(profile.layers, [](const Layer& layer) {
        return layer.division && layer.division->keyValueBytes > 0;
    });
    const int tensorMost = limits.mostTensor > 0 ? limits.mostTensor : machines_.largestServer;
    const int experts = std::max(1, profile.divisible.experts);
    std::vector<Group> all;
    for (int tensor = 1; tensor <= std::min({tensorMost, machines_.largestServer, devices}); ++tensor)
        for (const bool sequence : {false, true}) {
            if (sequence && (tensor == 1 || !limits.sequenceParallel)) continue;
            for (int context = 1; context <= (sendsKeys ? limits.mostContext : 1); context *= 2)
                for (const int expert : divisorsOf(experts, devices)) {
                    const Group group{tensor, context, expert, sequence};
                    if (isOther(limits.tensor, tensor) || isOther(limits.context, context) ||
                        isOther(limits.expert, expert))
                        continue;
                    if (group.ranksOfCopy() > devices || whyIndivisible(group, profile, 0, last, 0)) continue;
                    all.push_back(group);
                }
        }
    return all;
}

/// Where ZeRO-1 sends no more bytes than an AllReduce of the gradients and holds less, it alone.
std::vector<ZeroStage> AutoSearch::zeroStages(const PipelineLayout& layout, const AutoLimits& limits) const {
    if (limits.zero) return {*limits.zero};
    if (layout.copies * layout.group.context == 1 && layout.group.expert == 1) return {ZeroStage::off};
    if (machines_.anySwitchSums && problem_.setup.collectiveStartS > 0)
        return {ZeroStage::off, ZeroStage::optimizer};
    return {ZeroStage::optimizer};
}

void AutoSearch::addRoots(const Group& group, const AutoLimits& limits, std::vector<Node>& nodes) {
    const int devices = limits.mostDevices > 0 ? std::min(limits.mostDevices, problem_.cluster.deviceCount())
                                               : problem_.cluster.deviceCount();
    for (const int samples : divisorsOf(batch_, limits.mostSamples))
        for (const int copies : divisorsOf(batch_ / samples, devices / group.ranksOfCopy())) {
            PipelineLayout layout{group, ZeroStage::off, samples, copies, batch_ / samples / copies, 1};
            if (whyNoGroup(group, layout.devicesOfRank())) continue;
            layout.ranks = std::min(devices / layout.devicesOfRank(), problem_.profile.layerCount());
            for (const ZeroStage zero : zeroStages(layout, limits)) {
                layout.zero = zero;
                Node node;
                node.layout = layout;
                node.bounds =
                    std::make_shared<const LayoutBound>(layersOf(group, samples), machines_, layout);
                node.bound = node.bounds->ofAtMost(layout.ranks);
                node.number = static_cast<long long>(nodes.size());
                nodes.push_back(std::move(node));
            }
        }
}

std::vector<AutoSearch::Node> AutoSearch::roots(const AutoLimits& limits, AutoAnswer& answer,
                                                const WorkContext& context) {
    std::vector<Node> nodes;
    for (const Group& group : groups(limits)) {
        context.throwIfStopped();
        addRoots(group, limits, nodes);
    }
    for (const Node& node : nodes) answer.counts.layouts += node.layout.ranks;
    return nodes;
}

/// The root with each number of ranks that may be faster.
std::vector<AutoSearch::Node> AutoSearch::withRanks(const Node& root, AutoAnswer& answer) {
    std::vector<Node> open;
    for (int ranks = root.layout.ranks; ranks >= 1; --ranks) {
        Node node = root;
        node.isRoot = false;
        node.layout.ranks = ranks;
        // Where there is room for one stage on each rank alone, the bound is that of those.
        const bool isOne = ranks == 1 || 2 * ranks > root.bounds->layers().layerCount();
        node.bound = isOne ? root.bounds->ofOneStageEach(ranks) : root.bounds->ofAnyPlan(ranks);
        if (!node.bound.fits()) {
            ++answer.counts.noMemory;
        } else if (!isWorthwhile(node.bound.seconds, answer)) {
            ++answer.counts.pruned[node.bound.reason];
        } else {
            open.push_back(std::move(node));
        }
    }
    return open;
}

namespace {

/// Plans of a layout with copies at either place.
class TrialPlaces {
public:
    TrialPlaces(const std::shared_ptr<const LayoutBound>& bound, const MachineFacts& machines,
                const PipelineLayout& layout)
        : bound_(*bound) {
        const std::shared_ptr<const RankLayers> layers(bound, &bound->layers());
        for (const CopiesPlace place : {CopiesPlace::together, CopiesPlace::apart}) {
            if (place == CopiesPlace::apart && (layout.copies == 1 || layout.ranks == 1)) continue;
            ranks_.push_back(std::make_unique<RankProblem>(layers, machines, layout, place));
            trials_.emplace_back(bound_, *ranks_.back());
        }
    }

    struct Sketch {
        TrialPlan plan;
        std::size_t place = 0;
    };
    /// Of all choices, from the fastest. @param worthS what may take as long is left out
    std::vector<Sketch> sketches(const std::vector<ScheduleChoice>& choices, double worthS) {
        std::vector<Sketch> all;
        double leastS = worthS;
        // Few passes are all looked at.
        const PipelineLayout& layout = ranks_.front()->layout();
        const double within = layout.ranks * layout.microbatches <= fewPasses ? infinity : sketchWithin;
        const auto add = [&](std::optional<TrialPlan> plan, std::size_t place) {
            if (!plan) return;
            leastS = std::min(leastS, plan->leastS);
            all.push_back({std::move(*plan), place});
        };
        const TimeBound oneEach = bound_.ofOneStageEach(layout.ranks);
        for (const ScheduleChoice& choice : choices) {
            const bool isOne = choice.family->placement == Placement::onePerRank;
            if (isOne && oneEach.seconds >= worthS) continue;
            for (TrialPlan& plan : trials_.front().sketches(choice, std::min(worthS, within * leastS)))
                add(std::move(plan), 0);
        }
        const std::size_t count = trials_.size() > 1 ? all.size() : 0;
        for (std::size_t i = 0; i < count; ++i) {
            const TrialPlan near = all[i].plan;
            if (near.leastS < within * leastS) add(trials_[1].sketch(near.choice, near.plan, worthS), 1);
        }
        std::ranges::stable_sort(all, {}, [](const Sketch& sketch) { return sketch.plan.leastS; });
        return all;
    }
    std::optional<TrialPlan> completed(Sketch sketch) {
        return trials_[sketch.place].completed(std::move(sketch.plan));
    }
    double passes() const {
        double sum = 0;
        for (const LayoutTrial& trial : trials_) sum += trial.passes();
        return sum;
    }

private:
    const LayoutBound& bound_;
    std::vector<std::unique_ptr<RankProblem>> ranks_;
    std::vector<LayoutTrial> trials_;
};

}  // namespace

AutoSearch::Tried AutoSearch::tried(const Node& node, const AutoLimits& limits, double worthS) const {
    Tried best;
    best.row = {node.layout, node.bound, infinity, "", 1, 0};
    best.bounds = node.bounds;
    TrialPlaces places(node.bounds, machines_, node.layout);
    const std::vector<ScheduleChoice> choices =
        scheduleChoices(problem_.profile, node.layout.ranks, limits.mostChunks, limits.families);
    for (TrialPlaces::Sketch& sketch : places.sketches(choices, worthS)) {
        if (sketch.plan.leastS >= worthS) break;
        const CopiesPlace place = sketch.place == 0 ? CopiesPlace::together : CopiesPlace::apart;
        std::optional<TrialPlan> made = places.completed(std::move(sketch));
        if (!made || !betterObjective(made->leastS, worthS)) continue;
        worthS = made->leastS;
        best.row.iterationS = worthS;
        best.row.family = made->choice.family->id;
        best.row.chunks = made->choice.chunks;
        best.row.peakBytes = made->course->peakBytes;
        best.schedule = made->choice;
        best.place = place;
        best.plan = std::move(made->plan);
    }
    best.passes = places.passes();
    return best;
}

/// As the engine has it on all devices.
std::optional<AutoPlan> AutoSearch::onCluster(const Tried& found) {
    const PipelineLayout& layout = found.row.layout;
    AutoPlan made{layout, found.schedule, found.place, {}, {}, 0, 0};
    const RankProblem ranks(std::shared_ptr<const RankLayers>(found.bounds, &found.bounds->layers()),
                            machines_, layout, found.place);
    TrainingSetup setup = problem_.setup;
    setup.microbatches = layout.microbatches;
    setup.zero = layout.zero;
    setup.tensor = layout.group.tensor;
    setup.context = layout.group.context;
    setup.expert = layout.group.expert;
    setup.sequenceParallel = layout.group.sequenceParallel;
    const CostModel costs = base_.withProfile(source_(layout.samples * layout.copies, layout.samples), setup);
    made.plan = ranks.onDevices(found.plan);
    const PlanCourse course = planners::courseOf(costs, made.plan);
    if (course.lackingBytes > 0) return std::nullopt;
    made.problem = costs.problem();
    made.iterationS = course.iterationS;
    made.peakBytes = course.peakBytes;
    return made;
}

void AutoSearch::tryRound(const std::vector<Node>& round, const AutoLimits& limits, AutoAnswer& answer,
                          const WorkContext& context) {
    const double worthS = answer.best ? answer.best->iterationS : infinity;
    std::vector<Tried> results(round.size());
    std::vector<std::exception_ptr> failures(round.size());
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        for (std::size_t i = next++; i < round.size() && !context.stop.stop_requested(); i = next++) try {
                results[i] = tried(round[i], limits, worthS);
            } catch (...) {
                failures[i] = std::current_exception();
            }
    };
    {
        std::vector<std::jthread> helpers;
        for (int i = 1; i < std::min<int>(threads_, static_cast<int>(round.size())); ++i)
            helpers.emplace_back(work);
        work();
    }
    context.throwIfStopped();
    for (const std::exception_ptr& failure : failures)
        if (failure) std::rethrow_exception(failure);
    answer.counts.tried += static_cast<long long>(round.size());
    for (const Tried& result : results) {
        answer.counts.passes += result.passes;
        answer.tried.push_back(result.row);
    }
    std::ranges::stable_sort(results, {}, [](const Tried& result) { return result.row.iterationS; });
    for (const Tried& result : results) {
        const double bestS = answer.best ? answer.best->iterationS : infinity;
        if (!betterObjective(result.row.iterationS, bestS)) break;
        std::optional<AutoPlan> made = onCluster(result);
        const auto row = std::ranges::find(answer.tried, result.row.layout, &AutoTried::layout);
        if (row != answer.tried.end()) row->iterationS = made ? made->iterationS : infinity;
        if (made && betterObjective(made->iterationS, bestS)) answer.best = std::move(*made);
    }
    if (context.says && answer.best)
        context.says(formatSeconds(answer.best->iterationS) + ", proven within " +
                     formatPercent(answer.gap()));
}

double AutoSearch::leastOfAllS(const AutoLimits& limits) {
    const int devices = limits.mostDevices > 0 ? limits.mostDevices : problem_.cluster.deviceCount();
    const double speeds = (*machines_.speedSums)[at(devices)];
    double least = infinity;
    for (const Group& group : groups(limits))
        for (const int samples : divisorsOf(batch_, limits.mostSamples)) {
            double workS = 0, computedS = 0;
            for (const LayerOnRank& layer : layersOf(group, samples)->layers()) {
                workS += layer.workS();
                computedS += layer.computedS;
            }
            const double share = double(batch_) / samples * group.ranksOfCopy();
            least = std::min(least, share * std::max(workS / devices, computedS / speeds));
        }
    return least;
}

/// Layouts that were not tried yet, the one of the least bound first; of equals that which comes first.
class AutoSearch::Open {
public:
    bool isEmpty() const { return heap_.empty(); }
    double leastS() const { return heap_.front().bound.seconds; }
    const std::vector<Node>& nodes() const { return heap_; }
    void add(Node node) {
        heap_.push_back(std::move(node));
        std::ranges::push_heap(heap_, isLater);
    }
    Node take() {
        std::ranges::pop_heap(heap_, isLater);
        Node node = std::move(heap_.back());
        heap_.pop_back();
        return node;
    }

private:
    static bool isLater(const Node& a, const Node& b) {
        return std::tuple(a.bound.seconds, a.isRoot, a.number, -a.layout.ranks) >
               std::tuple(b.bound.seconds, b.isRoot, b.number, -b.layout.ranks);
    }
    std::vector<Node> heap_;
};

AutoAnswer AutoSearch::best(const AutoLimits& limits, const WorkContext& context) {
    AutoAnswer answer;
    Open open;
    for (Node& node : roots(limits, answer, context)) {
        if (node.bound.fits())
            open.add(std::move(node));
        else
            answer.counts.noMemory += node.layout.ranks;
    }
    std::vector<Node> round;
    std::size_t roundSize = 1;  // more once there is something to be faster than
    while (!open.isEmpty() && answer.counts.passes < limits.mostPasses) {
        context.throwIfStopped();
        if (!isWorthwhile(open.leastS(), answer)) break;
        Node node = open.take();
        if (node.isRoot) {
            for (Node& each : withRanks(node, answer)) open.add(std::move(each));
        } else {
            // The first has the least bound of all.
            if (answer.counts.tried == 0 && round.empty()) {
                answer.provenS = node.bound.seconds;
                answer.provenBy = node.layout;
                answer.provenReason = node.bound.reason;
            }
            round.push_back(std::move(node));
        }
        const bool isLast = open.isEmpty() || !isWorthwhile(open.leastS(), answer);
        if (round.size() < roundSize && (!isLast || round.empty())) continue;
        tryRound(round, limits, answer, context);
        round.clear();
        roundSize = std::min(2 * roundSize, mostInRound);
        if (context.enough.stop_requested()) break;
    }
    for (Node& node : round) open.add(std::move(node));
    for (const Node& node : open.nodes())
        (isWorthwhile(node.bound.seconds, answer) ? answer.counts.open
                                                  : answer.counts.pruned[node.bound.reason]) +=
            node.isRoot ? node.layout.ranks : 1;
    conclude(answer);
    return answer;
}

bool AutoSearch::isWorthwhile(double seconds, const AutoAnswer& answer) {
    return !answer.best || betterObjective(seconds, answer.best->iterationS);
}

void AutoSearch::conclude(AutoAnswer& answer) {
    std::ranges::stable_sort(answer.tried, {}, &AutoTried::iterationS);
    if (answer.tried.size() > mostListed) answer.tried.resize(mostListed);
    if (answer.best) answer.provenS = std::min(answer.provenS, answer.best->iterationS);
    if (answer.best) return;
    answer.reason = answer.counts.layouts == 0 ? "the batch and the layers cannot be divided over these GPUs"
                    : answer.counts.noMemory == answer.counts.layouts
                        ? "no layout fits into memory, which is proven of each"
                        : "no plan was found that fits into memory";
}

}  // namespace stagecraft::planners
