#include "core/planners/automatic/auto_search.h"

#include "core/base/indices.h"
#include "core/base/units.h"
#include "core/model/indivisible.h"
#include "core/model/prices.h"
#include "core/model/profile_sizes.h"
#include "core/planners/automatic/sized_stages.h"
#include "core/planners/automatic/work_in_turn.h"
#include "core/planners/planning.h"
#include "core/planners/schedule_search/plan_course.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <deque>
#include <exception>
#include <iterator>
#include <set>
#include <thread>
#include <tuple>
#include <utility>

namespace stagecraft::planners {

namespace {

constexpr std::size_t mostInRound = 8;     // layouts that are tried before the best is looked at again
constexpr std::size_t mostOnALayout = 16;  // threads: it has a few dozen choices
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

/// Samples of each copy of that many copies or fewer, where they have equally many.
std::vector<int> sharesOf(int samples, int mostCopies) {
    std::vector<int> shares;
    for (const int copies : divisorsOf(samples, mostCopies)) shares.push_back(samples / copies);
    return shares;
}

bool isOther(const std::optional<int>& asked, int degree) { return asked && *asked != degree; }

}  // namespace

ProfileSource scaledProfiles(LayerProfile profile) {
    return [profile = std::move(profile)](int samples, const std::vector<int>&) {
        return profileAtSize(profile, samples);
    };
}

/// A layout with the most ranks that there are devices and layers for, or with a number of them.
struct AutoSearch::Node {
    PipelineLayout layout;
    std::shared_ptr<const LayoutBound> bounds;
    TimeBound bound;
    double value = 0;                        ///< of what is to be least, at least
    BoundReason reason = BoundReason::work;  ///< of that
    double moreS = 0;                        ///< of its layers (PlanRates)
    bool isRoot = true;                      ///< then of every stage of ZeRO that is searched
    int stages = 1;                          ///< so many
    long long number = 0;                    ///< decides among equal bounds
    long long layouts() const { return isRoot ? static_cast<long long>(stages) * layout.ranks : 1; }
    void boundValue(const ValueBound& least) {
        value = least.value;
        reason = least.reason;
    }
};

struct AutoSearch::Tried {
    AutoTried row;
    ScheduleChoice schedule;
    CopiesPlace place = CopiesPlace::together;
    std::size_t order = 0;  ///< of devices
    Plan plan;              ///< on ranks
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
        costs = std::make_unique<CostModel>(base_.withProfile(source_(samples, {samples}), setup));
    }
    return *costs;
}

CostModel AutoSearch::costsUnder(const Group& group, int samples, const std::vector<int>& shares,
                                 ZeroStage zero) const {
    TrainingSetup setup = problem_.setup;
    setup.microbatches = batch_ / samples;
    setup.zero = zero;
    setup.tensor = group.tensor;
    setup.context = group.context;
    setup.expert = group.expert;
    setup.sequenceParallel = group.sequenceParallel;
    return base_.withProfile(source_(samples, shares), setup);
}

CostModel AutoSearch::costsAt(const Degree& degree, ZeroStage zero) const {
    return costsUnder(degree.group, degree.samples, sharesOf(degree.samples, base_.deviceCount()), zero);
}

std::shared_ptr<const RankLayers> AutoSearch::layersOf(const Group& group, int samples) {
    std::shared_ptr<const RankLayers>& layers = layers_[{group, samples}];
    if (!layers) layers = std::make_shared<const RankLayers>(costsAt(samples), group, machines_);
    return layers;
}

void AutoSearch::makeLayers(const std::vector<Node>& nodes, const WorkContext& context) {
    using Key = std::pair<Group, int>;
    std::vector<std::pair<Key, std::shared_ptr<const RankLayers>>> missing;
    std::set<Key> seen;
    for (const Node& node : nodes)
        if (const Key key{node.layout.group, node.layout.samples}; seen.insert(key).second && !layers_[key]) {
            missing.push_back({key, nullptr});
            costsAt(node.layout.samples);  // sources of profiles answer one thread at a time
        }
    inParallel(missing.size(), context, [&](std::size_t i) {
        const auto& [group, samples] = missing[i].first;
        missing[i].second = std::make_shared<const RankLayers>(*costs_.at(samples), group, machines_);
    });
    for (auto& [key, layers] : missing) layers_[key] = std::move(layers);
}

void AutoSearch::inParallel(std::size_t count, const WorkContext& context,
                            const std::function<void(std::size_t)>& each) const {
    WorkInTurn::onThreads(
        threads_, count,
        [&](std::size_t i) {
            context.throwIfStopped();
            each(i);
        },
        [](std::size_t) { return true; });
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

/// Where ZeRO-1 sends no more bytes than an AllReduce of the gradients and holds less, it in the place of
/// none.
std::vector<ZeroStage> AutoSearch::zeroStages(const PipelineLayout& layout, const AutoLimits& limits) const {
    if (limits.zero) return {*limits.zero};
    if (layout.copies * layout.group.context == 1 && layout.group.expert == 1) return {ZeroStage::off};
    std::vector<ZeroStage> stages{ZeroStage::optimizer};
    if (!problem_.setup.holdsAllGradients())
        stages.insert(stages.end(), {ZeroStage::gradients, ZeroStage::weights});
    if (machines_.anySwitchSums && problem_.setup.collectiveStartS > 0)
        stages.insert(stages.begin(), ZeroStage::off);
    return stages;
}

void AutoSearch::addRoots(const Group& group, const AutoLimits& limits, std::vector<Node>& nodes) {
    const int devices = limits.mostDevices > 0 ? std::min(limits.mostDevices, problem_.cluster.deviceCount())
                                               : problem_.cluster.deviceCount();
    for (const int samples : divisorsOf(batch_, limits.mostSamples))
        for (const int copies : divisorsOf(batch_ / samples, devices / group.ranksOfCopy())) {
            PipelineLayout layout{group, ZeroStage::off, samples, copies, batch_ / samples / copies, 1};
            if (whyNoGroup(group, layout.devicesOfRank())) continue;
            layout.ranks = std::min(devices / layout.devicesOfRank(), problem_.profile.layerCount());
            const std::vector<ZeroStage> stages = zeroStages(layout, limits);
            layout.zero = stages.front();
            Node node;
            node.layout = layout;
            node.stages = static_cast<int>(stages.size());
            node.number = static_cast<long long>(nodes.size());
            nodes.push_back(std::move(node));
        }
}

std::vector<AutoSearch::Node> AutoSearch::roots(const AutoLimits& limits, AutoAnswer& answer,
                                                const WorkContext& context) {
    std::vector<Node> nodes;
    for (const Group& group : groups(limits)) {
        context.throwIfStopped();
        addRoots(group, limits, nodes);
    }
    makeLayers(nodes, context);
    std::map<std::pair<Group, int>, double> moreS;
    for (Node& node : nodes) {
        const std::pair key(node.layout.group, node.layout.samples);
        const auto [own, isNew] = moreS.try_emplace(key);
        if (isNew) own->second = rates_.moreS(*layers_.at(key), batch_ / key.second);
        node.moreS = own->second;
    }
    inParallel(nodes.size(), context, [&](std::size_t i) {
        Node& node = nodes[i];
        const PipelineLayout& layout = node.layout;
        const std::shared_ptr<const RankLayers> layers = layers_.at({layout.group, layout.samples});
        node.bounds = std::make_shared<const LayoutBound>(
            node.stages == 1 ? LayoutBound(layers, machines_, layout)
                             : LayoutBound::underAnyZero(layers, machines_, layout));
        node.bound = node.bounds->ofAtMost(layout.ranks);
        node.boundValue(rates_.ofAnyRanks(*node.bounds, layout, node.bound, node.moreS));
    });
    for (const Node& node : nodes) answer.counts.layouts += node.layouts();
    return nodes;
}

/// The root with each stage of ZeRO and number of ranks that may be faster.
std::vector<AutoSearch::Node> AutoSearch::withRanks(const Node& root, const AutoLimits& limits,
                                                    AutoAnswer& answer) const {
    std::vector<Node> open;
    const std::shared_ptr<const RankLayers> layers(root.bounds, &root.bounds->layers());
    for (const ZeroStage zero : zeroStages(root.layout, limits)) {
        Node ofStage = root;
        ofStage.isRoot = false;
        ofStage.layout.zero = zero;
        if (root.stages > 1)
            ofStage.bounds = std::make_shared<const LayoutBound>(layers, machines_, ofStage.layout);
        for (int ranks = root.layout.ranks; ranks >= 1; --ranks) {
            Node node = ofStage;
            node.layout.ranks = ranks;
            // Where there is room for one stage on each rank alone, the bound is that of those.
            const bool isOne =
                2 * ranks > layers->layerCount() || (ranks == 1 && node.layout.devicesOfRank() == 1);
            node.bound = isOne ? node.bounds->ofOneStageEach(ranks) : node.bounds->ofAnyPlan(ranks);
            node.boundValue(rates_.ofRanks(*node.bounds, node.layout, node.bound, node.moreS));
            if (!node.bound.fits()) {
                ++answer.counts.noMemory;
            } else if (!isWorthwhile(node, limits, answer)) {
                ++answer.counts.pruned[node.reason];
            } else {
                open.push_back(std::move(node));
            }
        }
    }
    return open;
}

/// Under ZeRO-2 passes run as under ZeRO-1, and the links between copies have what they have there and more,
/// none of it sooner; unless passes hide some, or a sum waits for the last pass of all.
bool AutoSearch::fitsWithLess(const Node& node, const AutoAnswer& answer) const {
    const TrainingSetup& setup = problem_.setup;
    if (node.layout.zero != ZeroStage::gradients || setup.zeroOverlap > 0 || !setup.allreduceOverlaps)
        return false;
    PipelineLayout less = node.layout;
    less.zero = ZeroStage::optimizer;
    const auto row = std::ranges::find(answer.tried, less, &AutoTried::layout);
    return row != answer.tried.end() && !row->wasShort;
}

namespace {

/// Where ranks and their copies are.
struct RankPlaces {
    CopiesPlace place = CopiesPlace::together;
    std::size_t order = 0;
};

/// Plans of a layout on each order of devices, with copies at either place.
class TrialPlaces {
public:
    /// @param worth what may be as much is left out @param belowS what may take as long
    TrialPlaces(const std::shared_ptr<const LayoutBound>& bound, const MachineFacts& machines,
                const PipelineLayout& layout, const PlanRates& rates, double worth, double belowS,
                const std::stop_token& stop)
        : bound_(*bound), worth_(worth), belowS_(belowS), least_(worth) {
        const std::shared_ptr<const RankLayers> layers(bound, &bound->layers());
        isEither_ = layout.copies > 1 && layout.ranks > 1;
        for (std::size_t order = 0; order < rates.orderCount(); ++order)
            for (const CopiesPlace place : {CopiesPlace::together, CopiesPlace::apart}) {
                if (place == CopiesPlace::apart && !isEither_) continue;
                places_.push_back({place, order});
                rates_.push_back(rates.of(layout, order));
                ranks_.push_back(std::make_unique<RankProblem>(layers, machines, layout, place, order));
                ranks_.back()->answerTo(stop);
                trials_.emplace_back(bound_, *ranks_.back());
            }
    }

    struct Sketch {
        TrialPlan plan;
        std::size_t trial = 0;
    };
    /// What is to be least of it.
    double valueOf(double seconds, std::size_t trial) const { return seconds * rates_[trial]; }
    /// Of all choices, from the best.
    std::vector<Sketch> sketches(const std::vector<ScheduleChoice>& choices, WorkInTurn& work) {
        // Few passes are all looked at.
        const PipelineLayout& layout = ranks_.front()->layout();
        within_ = layout.ranks * layout.microbatches <= fewPasses ? infinity : sketchWithin;
        std::vector<Sketch> all = ofChoices(choices, work);
        if (isEither_) {
            std::vector<Sketch> apart = placedApart(all, work);
            all.insert(all.end(), std::make_move_iterator(apart.begin()),
                       std::make_move_iterator(apart.end()));
        }
        std::ranges::stable_sort(
            all, {}, [this](const Sketch& sketch) { return valueOf(sketch.plan.leastS, sketch.trial); });
        return all;
    }
    std::optional<TrialPlan> completed(Sketch sketch) {
        TriedPlan tried = trials_[sketch.trial].completed(std::move(sketch.plan));
        count(tried, infinity);
        return std::move(tried.plan);
    }
    const RankPlaces& placesOf(const Sketch& sketch) const { return places_[sketch.trial]; }
    double passes() const { return passes_; }
    bool wereShort() const { return wereShort_; }

private:
    /// A plan under a choice.
    struct Piece {
        const ScheduleChoice* choice = nullptr;
        std::size_t trial = 0, cut = 0;
        bool isLastCut = false;
    };
    std::vector<Piece> piecesOf(const std::vector<ScheduleChoice>& choices) {
        const std::size_t step = isEither_ ? 2 : 1;
        const TimeBound oneEach = bound_.ofOneStageEach(ranks_.front()->layout().ranks);
        std::vector<Piece> pieces;
        for (const ScheduleChoice& choice : choices) {
            const bool isOne = choice.family->placement == Placement::onePerRank;
            for (std::size_t trial = 0; trial < trials_.size(); trial += step) {
                if (isOne && oneEach.seconds >= secondsFor(worth_, trial)) continue;
                const std::size_t cuts = trials_[trial].cutCount(choice);
                for (std::size_t cut = 0; cut < cuts; ++cut)
                    pieces.push_back({&choice, trial, cut, cut + 1 == cuts});
            }
        }
        return pieces;
    }

    /// Side by side where there are two places. All cuts under a choice are worth as much.
    std::vector<Sketch> ofChoices(const std::vector<ScheduleChoice>& choices, WorkInTurn& work) {
        const std::vector<Piece> pieces = piecesOf(choices);
        std::vector<TriedPlan> tried(pieces.size());
        std::vector<Sketch> all;
        double ownWorth = worth_, ownLeast = infinity;
        const auto worthNow = [this] { return std::min(worth_, within_ * least_); };
        work.run(
            pieces.size(),
            [&](std::size_t i) {
                const auto& [choice, trial, cut, isLast] = pieces[i];
                tried[i] = trials_[trial].ofCut(*choice, cut, secondsFor(worthNow(), trial));
            },
            [&](std::size_t i) {
                const std::size_t trial = pieces[i].trial;
                if (pieces[i].cut == 0) ownWorth = worthNow();
                const double ownWorthS = secondsFor(ownWorth, trial);
                count(tried[i], ownWorthS);
                if (tried[i].isWorth(ownWorthS)) {
                    ownLeast = std::min(ownLeast, valueOf(tried[i].plan->leastS, trial));
                    all.push_back({*std::move(tried[i].plan), trial});
                }
                if (pieces[i].isLastCut) least_ = std::min<double>(least_, ownLeast);
                return true;
            });
        return all;
    }

    /// Those that are near the best.
    std::vector<Sketch> placedApart(const std::vector<Sketch>& together, WorkInTurn& work) {
        std::vector<TriedPlan> tried(together.size());
        std::vector<Sketch> all;
        const auto isNear = [&](std::size_t i) {
            return valueOf(together[i].plan.leastS, together[i].trial) < within_ * least_;
        };
        const auto worthS = [&](std::size_t i) { return secondsFor(worth_, together[i].trial); };
        work.run(
            together.size(),
            [&](std::size_t i) {
                const TrialPlan& near = together[i].plan;
                if (isNear(i))
                    tried[i] = trials_[together[i].trial + 1].sketch(near.choice, near.plan, worthS(i));
            },
            [&](std::size_t i) {
                if (!isNear(i)) return true;
                count(tried[i], worthS(i));
                if (!tried[i].isWorth(worthS(i))) return true;
                least_ = std::min<double>(least_, valueOf(tried[i].plan->leastS, together[i].trial));
                all.push_back({*std::move(tried[i].plan), together[i].trial + 1});
                return true;
            });
        return all;
    }

    void count(const TriedPlan& tried, double worthS) {
        passes_ += tried.passes(worthS);
        wereShort_ = wereShort_ || tried.wasShort(worthS);
    }

    double secondsFor(double worth, std::size_t trial) const {
        return std::min(worth / rates_[trial], belowS_);
    }

    const LayoutBound& bound_;
    double worth_, belowS_;
    double within_ = sketchWithin;
    bool isEither_ = false;  ///< then trials come in pairs, together and apart
    std::vector<RankPlaces> places_;
    std::vector<double> rates_;  ///< by trial: what a second counts for
    std::vector<std::unique_ptr<RankProblem>> ranks_;
    std::deque<LayoutTrial> trials_;
    std::atomic<double> least_;  ///< of the best, or worth_
    double passes_ = 0;
    bool wereShort_ = false;
};

}  // namespace

/// @param worth what is as much is left out
AutoSearch::Tried AutoSearch::tried(const Node& node, const AutoLimits& limits, double worth,
                                    WorkInTurn& work, const std::stop_token& stop) const {
    Tried best;
    best.row = {node.layout, node.bound, infinity, "", 1, 0, infinity, false};
    best.bounds = node.bounds;
    const double belowS = std::nextafter(limits.mostSeconds, infinity);
    TrialPlaces places(node.bounds, machines_, node.layout, rates_, worth, belowS, stop);
    const std::vector<ScheduleChoice> choices =
        scheduleChoices(problem_.profile, node.layout.ranks, limits.mostChunks, limits.families,
                        node.layout.zero, node.layout.devicesOfRank() > 1);
    for (TrialPlaces::Sketch& sketch : places.sketches(choices, work)) {
        const std::size_t trial = sketch.trial;
        if (places.valueOf(sketch.plan.leastS, trial) >= worth) break;
        const RankPlaces where = places.placesOf(sketch);
        std::optional<TrialPlan> made = places.completed(std::move(sketch));
        if (!made || !betterObjective(made->leastS, belowS)) continue;
        const double value = places.valueOf(made->leastS, trial);
        if (!betterObjective(value, worth)) continue;
        worth = value;
        best.row.value = value;
        best.row.iterationS = made->leastS;
        best.row.family = made->choice.family->id;
        best.row.chunks = made->choice.chunks;
        best.row.peakBytes = made->course->peakBytes;
        best.schedule = made->choice;
        best.place = where.place;
        best.order = where.order;
        best.plan = std::move(made->plan);
    }
    best.passes = places.passes();
    best.row.wasShort = places.wereShort();
    return best;
}

/// As the engine has it on all devices.
std::optional<AutoPlan> AutoSearch::onCluster(const Tried& found, const std::stop_token& stop) {
    const PipelineLayout& layout = found.row.layout;
    AutoPlan made{layout, found.schedule, found.place, found.order, {}, {}, 0, 0, 0};
    const RankProblem ranks(std::shared_ptr<const RankLayers>(found.bounds, &found.bounds->layers()),
                            machines_, layout, found.place, found.order);
    const CostModel costs =
        costsUnder(layout.group, layout.samples * layout.copies, {layout.samples}, layout.zero);
    made.plan = ranks.onDevices(found.plan);
    const PlanCourse course = planners::courseOf(costs, made.plan, CourseOf::devices, stop);
    if (course.lackingBytes > 0) return std::nullopt;
    made.problem = costs.problem();
    made.iterationS = course.iterationS;
    made.peakBytes = course.peakBytes;
    if (hasPrices(problem_)) made.dollarsPerS = dollarsPerSecond(problem_, made.plan);
    return made;
}

void AutoSearch::tryRound(const std::vector<Node>& round, const AutoLimits& limits, AutoAnswer& answer,
                          const WorkContext& context) {
    std::vector<Tried> results(round.size());
    std::vector<std::exception_ptr> failures(round.size());
    std::atomic<std::size_t> next = 0;
    WorkInTurn inTurn(round.size());
    const auto work = [&] {
        for (std::size_t i = next++; i < round.size(); i = next++, inTurn.done()) try {
                if (!context.stop.stop_requested())
                    results[i] = tried(round[i], limits, answer.bestValue(), inTurn, context.stop);
            } catch (...) {
                failures[i] = std::current_exception();
            }
        inTurn.help();
    };
    {
        std::vector<std::jthread> helpers;
        const std::size_t threads = std::min(at(threads_), mostOnALayout * round.size());
        for (std::size_t i = 1; i < threads; ++i) helpers.emplace_back(work);
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
    std::ranges::stable_sort(results, {}, [](const Tried& result) { return result.row.value; });
    for (const Tried& result : results) {
        if (!betterObjective(result.row.value, answer.bestValue())) break;
        std::optional<AutoPlan> made = onCluster(result, context.stop);
        if (made && made->iterationS > limits.mostSeconds) made.reset();
        const auto row = std::ranges::find(answer.tried, result.row.layout, &AutoTried::layout);
        if (row != answer.tried.end()) {
            row->iterationS = made ? made->iterationS : infinity;
            row->value = made ? answer.valueOf(*made) : infinity;
        }
        if (made && betterObjective(answer.valueOf(*made), answer.bestValue()))
            answer.best = std::move(*made);
    }
    if (context.says && answer.best)
        context.says(formatSeconds(answer.best->iterationS) +
                     (answer.unit == AutoUnit::dollars ? " for " + formatDollars(answer.bestValue()) : "") +
                     ", proven within " + formatPercent(answer.gap()));
}

/// Seconds of all devices of all copies together.
struct AutoSearch::Work {
    double wholeS = 0;     ///< passes, with what the ranks of groups send each other
    double computedS = 0;  ///< of them, on devices of speed 1 (LayerOnRank::computedS)
    double fastestS = 0;   ///< the same on the fastest devices
    double updateS = 0;    ///< the optimizer's step, of each parameter on one device
};

AutoSearch::Work AutoSearch::workOf(const Group& group, int samples) {
    const LayoutStates states(problem_, {group});
    const std::shared_ptr<const RankLayers> own = layersOf(group, samples);
    Work work;
    for (const LayerOnRank& layer : own->layers()) {
        work.wholeS += layer.workS();
        work.computedS += layer.computedS;
        work.updateS += states.updateS(group.tensor * layer.parameterBytes, group.expert * layer.expertBytes);
    }
    const double share = double(batch_) / samples * group.ranksOfCopy();
    work.wholeS *= share;
    work.computedS *= share;
    work.fastestS = work.computedS / own->speedSums()[1];
    return work;
}

double AutoSearch::leastOfAllS(const AutoLimits& limits) {
    const int devices = limits.mostDevices > 0 ? limits.mostDevices : problem_.cluster.deviceCount();
    double least = infinity;
    for (const Group& group : groups(limits))
        for (const int samples : divisorsOf(batch_, limits.mostSamples)) {
            const Work work = workOf(group, samples);
            least = std::min(least,
                             std::max((work.wholeS + work.updateS) / devices,
                                      work.computedS / layersOf(group, samples)->speedSums()[at(devices)]));
        }
    return least;
}

std::vector<Degree> AutoSearch::degrees(const AutoLimits& limits, const WorkContext& context) {
    const int devices = problem_.cluster.deviceCount();
    std::vector<Degree> all;
    for (const Group& group : groups(limits)) {
        std::map<int, double> leastS;  // by samples of a copy
        const auto leastOf = [&](int samples) {
            const auto [own, isNew] = leastS.try_emplace(samples);
            if (!isNew) return own->second;
            const Work work = workOf(group, samples);
            // Some schedules hide what is sent to experts; none hides what else is not hidden already.
            const double passesS = group.expert > 1 ? work.fastestS : std::max(work.fastestS, work.wholeS);
            own->second = std::max((passesS + work.updateS) / devices,
                                   work.computedS / layersOf(group, samples)->speedSums()[at(devices)]);
            return own->second;
        };
        const int mostCopies = std::max(1, devices / group.ranksOfCopy());
        for (const int samples : divisorsOf(batch_, batch_)) {
            context.throwIfStopped();
            if (samples / mostCopies > limits.mostSamples) break;
            // Between two numbers of samples at which there are times they lie on a line; those of a file
            // may be at others than copies have.
            std::vector<int> shares = sharesOf(samples, devices);
            if (!problem_.profile.otherSizes.empty())
                for (int copies = 2; copies <= std::min(samples, mostCopies); ++copies)
                    shares.push_back((samples + copies - 1) / copies);
            double least = infinity;
            for (const int share : shares) least = std::min(least, leastOf(share));
            all.push_back({group, samples, least});
        }
    }
    std::ranges::stable_sort(all, {}, [](const Degree& degree) { return degree.leastS; });
    return all;
}

/// Layouts that were not tried yet, the one of the least bound first; of equals that which comes first.
class AutoSearch::Open {
public:
    bool isEmpty() const { return heap_.empty(); }
    const Node& least() const { return heap_.front(); }
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
        return std::tuple(a.value, a.isRoot, a.number, -a.layout.ranks, a.layout.zero) >
               std::tuple(b.value, b.isRoot, b.number, -b.layout.ranks, b.layout.zero);
    }
    std::vector<Node> heap_;
};

void AutoSearch::prune(const Node& node, AutoAnswer& answer) {
    answer.counts.pruned[node.reason] += node.layouts();
}

AutoAnswer AutoSearch::best(const AutoLimits& limits, const WorkContext& context) {
    AutoAnswer answer;
    rates_ = {limits.objective, problem_, machines_, limits.mostSeconds};
    answer.objective = limits.objective;
    answer.unit = rates_.unit();
    Open open;
    for (Node& node : roots(limits, answer, context)) {
        if (node.bound.fits())
            open.add(std::move(node));
        else
            answer.counts.noMemory += node.layouts();
    }
    std::vector<Node> round, later;
    std::size_t roundSize = 1;  // more once there is something to be faster than
    while (answer.counts.passes < limits.mostPasses) {
        context.throwIfStopped();
        while (!open.isEmpty() && open.least().bound.seconds > limits.mostSeconds) prune(open.take(), answer);
        if (open.isEmpty() || !isWorthwhile(open.least(), limits, answer)) {
            if (later.empty()) break;
            for (Node& node : std::exchange(later, {})) open.add(std::move(node));
            continue;
        }
        Node node = open.take();
        if (node.isRoot) {
            for (Node& each : withRanks(node, limits, answer)) {
                const bool isLater = node.stages > 1 && each.layout.zero >= ZeroStage::gradients;
                if (isLater)
                    later.push_back(std::move(each));
                else
                    open.add(std::move(each));
            }
        } else if (fitsWithLess(node, answer)) {
            ++answer.counts.pruned[BoundReason::fitsWithLess];
        } else {
            if (answer.counts.tried == 0 && round.empty()) noteProven(node, later, answer);
            round.push_back(std::move(node));
        }
        const bool isLast = open.isEmpty() || !isWorthwhile(open.least(), limits, answer);
        if (round.size() < roundSize && (!isLast || round.empty())) continue;
        tryRound(round, limits, answer, context);
        round.clear();
        roundSize = std::min(2 * roundSize, mostInRound);
        if (context.enough.stop_requested()) break;
    }
    for (std::vector<Node>* left : {&round, &later})
        for (Node& node : *left) open.add(std::move(node));
    for (const Node& node : open.nodes()) {
        if (isWorthwhile(node, limits, answer))
            answer.counts.open += node.layouts();
        else
            prune(node, answer);
    }
    tryDifferentSizes(limits, answer, context);
    conclude(limits, answer);
    return answer;
}

/// The first that is tried has the least bound of all but those that come later: what is not divided into
/// numbers of ranks yet is bounded by no less.
void AutoSearch::noteProven(const Node& first, const std::vector<Node>& later, AutoAnswer& answer) {
    const Node* least = &first;
    for (const Node& node : later)
        if (node.value < least->value) least = &node;
    answer.provenS = least->value;
    answer.provenBy = least->layout;
    answer.provenReason = least->reason;
}

bool AutoSearch::isWorthwhile(const Node& node, const AutoLimits& limits, const AutoAnswer& answer) {
    if (node.bound.seconds > limits.mostSeconds) return false;
    return !answer.best || betterObjective(node.value, answer.bestValue());
}

/// What work says holds of them too, which is all that is known of them.
void AutoSearch::tryDifferentSizes(const AutoLimits& limits, AutoAnswer& answer, const WorkContext& context) {
    const bool areAll = limits.mostDevices == 0 || limits.mostDevices >= problem_.cluster.deviceCount();
    if (!limits.differentSizes || !areAll || limits.objective != AutoObjective::time ||
        context.enough.stop_requested())
        return;
    std::vector<Degree> all = degrees(limits, context);
    const double leastS = all.empty() ? 0 : all.front().leastS;
    answer.counts.sizedLeastS = leastS;
    SizedStages sized(problem_, batch_, std::move(all), limits, context);
    const double worthS = std::min(answer.bestValue(), std::nextafter(limits.mostSeconds, infinity));
    std::optional<AutoPlan> found = sized.fasterThan(
        worthS, threads_, [this](const Degree& degree, ZeroStage zero) { return costsAt(degree, zero); });
    answer.counts.sizedDegrees = sized.degreesOpen();
    answer.counts.sizedTried = sized.degreesTried();
    answer.counts.passes += sized.passes();
    if (!found || !betterObjective(found->iterationS, answer.bestValue())) return;
    if (answer.provenS == 0) {
        answer.provenS = leastS;
        answer.provenBy = found->layout;
    }
    answer.tried.push_back({found->layout,
                            {leastS, BoundReason::work},
                            found->iterationS,
                            found->schedule.family->id,
                            found->schedule.chunks,
                            found->peakBytes,
                            found->iterationS,
                            false});
    answer.best = std::move(found);
}

void AutoSearch::conclude(const AutoLimits& limits, AutoAnswer& answer) {
    std::ranges::stable_sort(answer.tried, {}, &AutoTried::value);
    if (answer.tried.size() > mostListed) answer.tried.resize(mostListed);
    if (answer.best) answer.provenS = std::min(answer.provenS, answer.bestValue());
    if (answer.best) return;
    answer.reason = answer.counts.layouts == 0 ? "the batch and the layers cannot be divided over these GPUs"
                    : answer.counts.noMemory == answer.counts.layouts
                        ? "no layout fits into memory, which is proven of each"
                    : limits.mostSeconds < infinity
                        ? "no plan was found that fits into memory and takes no longer than asked"
                        : "no plan was found that fits into memory";
}

}  // namespace stagecraft::planners
