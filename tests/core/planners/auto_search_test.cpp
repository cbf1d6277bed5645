// The search over layouts: its bounds against every plan of tiny problems, its answers against what else
// there is.
#include "core/base/indices.h"
#include "core/model/prices.h"
#include "core/model/profile_sizes.h"
#include "core/generation/asked_machines.h"
#include "core/generation/generated_profile.h"
#include "core/model/measured_gpus.h"
#include "core/planners/automatic/auto_frontier.h"
#include "core/planners/automatic/plan_bound.h"
#include "core/planners/automatic/work_in_turn.h"
#include "core/planners/planner.h"
#include "core/planners/schedule_search/plan_course.h"
#include "core/runs/chosen_schedule.h"
#include "core/schedules/families.h"
#include "tests/core/planners/tiny_problems.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <thread>

namespace stagecraft {

namespace {

constexpr double rounding = 1e-7;

Problem tinyOfSpeeds(const std::vector<double>& speeds) {
    std::mt19937 random(1);
    Problem problem = tiny(random, {.devices = static_cast<int>(speeds.size())});
    for (std::size_t device = 0; device < speeds.size(); ++device)
        problem.cluster.devices[device].speed = speeds[device];
    return problem;
}

// ---- every plan of a layout without copies, by brute force ----

/// A pass of a piece of consecutive layers, for a microbatch.
enum class BrutePass { forward, inputGradient, weightGradient };

/// The least time of all orders of all passes, on pieces that are on given ranks: ranks run one pass at a
/// time, and hold a piece's activations from the start of its forward to the end of its input gradient.
class EveryOrder {
public:
    struct Piece {
        int rank = 0;
        double forwardS = 0, inputS = 0, weightS = 0, heldBytes = 0;
        double updateS = 0;  ///< on its rank, once all passes there are done
    };
    EveryOrder(std::vector<Piece> pieces, int ranks, int microbatches, std::vector<double> roomBytes)
        : pieces_(std::move(pieces)),
          microbatches_(microbatches),
          room_(std::move(roomBytes)),
          freeS_(at(ranks), 0),
          held_(at(ranks), 0),
          updatesS_(at(ranks), 0) {
        for (const Piece& piece : pieces_) updatesS_[at(piece.rank)] += piece.updateS;
        for (auto& ends : endsS_) ends.assign(pieces_.size() * at(microbatches), -1);
    }

    /// Stops where no order is faster than `knownS`.
    double leastS(double knownS) {
        best_ = knownS;
        left_ = 3 * static_cast<int>(pieces_.size()) * microbatches_;
        search(0);
        return best_;
    }

private:
    double& endOf(BrutePass pass, int piece, int microbatch) {
        return endsS_[static_cast<std::size_t>(pass)][at(piece * microbatches_ + microbatch)];
    }
    /// When what it needs is there; below 0: not yet, or it has run.
    double readyS(BrutePass pass, int piece, int microbatch) {
        if (endOf(pass, piece, microbatch) >= 0) return -1;
        const int last = static_cast<int>(pieces_.size()) - 1;
        if (pass == BrutePass::forward)
            return piece == 0 ? 0 : endOf(BrutePass::forward, piece - 1, microbatch);
        if (pass == BrutePass::weightGradient) return endOf(BrutePass::inputGradient, piece, microbatch);
        return piece == last ? endOf(BrutePass::forward, piece, microbatch)
                             : endOf(BrutePass::inputGradient, piece + 1, microbatch);
    }
    void search(double soFarS) {
        if (soFarS >= best_) return;
        if (left_ == 0) {
            double endS = 0;
            for (std::size_t rank = 0; rank < freeS_.size(); ++rank)
                endS = std::max(endS, freeS_[rank] + updatesS_[rank]);
            best_ = std::min(best_, endS);
            return;
        }
        for (int piece = 0; piece < static_cast<int>(pieces_.size()); ++piece)
            for (const BrutePass pass :
                 {BrutePass::inputGradient, BrutePass::forward, BrutePass::weightGradient})
                for (int microbatch = 0; microbatch < microbatches_; ++microbatch) {
                    const double readyS_ = readyS(pass, piece, microbatch);
                    if (readyS_ < 0) continue;
                    run(pass, piece, microbatch, readyS_, soFarS);
                    break;  // microbatches are alike: each pass takes them in turn
                }
    }
    void run(BrutePass pass, int piece, int microbatch, double readyS, double soFarS) {
        const Piece& own = pieces_[at(piece)];
        double &free = freeS_[at(own.rank)], &held = held_[at(own.rank)];
        const double beforeS = free, heldBefore = held;
        const double startS = std::max(readyS, free);
        // Passes are taken in the order of their starts, so that each schedule is looked at once.
        if (startS < lastStartS_) return;
        if (pass == BrutePass::forward) held += own.heldBytes;
        if (held > room_[at(own.rank)] + rounding) {
            held = heldBefore;
            return;
        }
        if (pass == BrutePass::inputGradient) held -= own.heldBytes;
        free = startS + (pass == BrutePass::forward         ? own.forwardS
                         : pass == BrutePass::inputGradient ? own.inputS
                                                            : own.weightS);
        const double lastStartS = std::exchange(lastStartS_, startS);
        endOf(pass, piece, microbatch) = free;
        --left_;
        search(std::max(soFarS, free));
        ++left_;
        endOf(pass, piece, microbatch) = -1;
        lastStartS_ = lastStartS;
        free = beforeS;
        held = heldBefore;
    }

    std::vector<Piece> pieces_;
    int microbatches_;
    std::vector<double> room_;
    std::array<std::vector<double>, 3> endsS_;
    std::vector<double> freeS_, held_, updatesS_;
    double lastStartS_ = 0, best_ = 0;
    int left_ = 0;
};

/// By layer, whether its activations are computed again, but for what comes into it.
using Again = std::vector<bool>;

/// The pieces of a cut, with less memory than any engine would take for them.
std::vector<EveryOrder::Piece> piecesOf(const Problem& problem, const std::vector<int>& firsts,
                                        const std::vector<int>& ranks, const Again& again) {
    std::vector<EveryOrder::Piece> pieces;
    for (std::size_t i = 0; i < firsts.size(); ++i) {
        EveryOrder::Piece& piece = pieces.emplace_back();
        piece.rank = ranks[i];
        const int end = i + 1 < firsts.size() ? firsts[i + 1] : problem.profile.layerCount();
        const std::string gpu =
            measuredGpuOf(measuredGpus(problem.profile), problem.cluster.devices[at(ranks[i])].gpu);
        const LayerProfile profile = gpu.empty() ? problem.profile : profileOn(problem.profile, gpu);
        for (int layer = firsts[i]; layer < end; ++layer) {
            const Layer& own = profile.layers[at(layer)];
            const double input = layer > 0 ? problem.profile.layers[at(layer - 1)].outputBytes : 0;
            piece.forwardS += own.forwardS;
            piece.inputS += own.backwardS - own.weightGradientS + (again[at(layer)] ? own.forwardS : 0);
            piece.weightS += own.weightGradientS;
            // SGD reads gradients, and reads and writes weights.
            if (problem.setup.updateBytesPerS > 0)
                piece.updateS += 3 * own.parameterBytes / problem.setup.updateBytesPerS;
            piece.heldBytes +=
                again[at(layer)] ? std::min(input, own.storedActivationBytes) : own.storedActivationBytes;
        }
    }
    return pieces;
}

/// Visits every cut into pieces, every rank for each of them, and every choice of what is computed again.
template <typename Visit>
void forEveryPlan(const Problem& problem, int ranks, bool oneEach, bool mayAgain, Visit visit) {
    const int layers = problem.profile.layerCount();
    for (int cuts = 0; cuts < (1 << (layers - 1)); ++cuts) {
        std::vector<int> firsts{0};
        for (int layer = 1; layer < layers; ++layer)
            if (cuts & (1 << (layer - 1))) firsts.push_back(layer);
        const auto pieces = firsts.size();
        if (oneEach && pieces != at(ranks)) continue;
        std::vector<int> placed(pieces, 0);
        const std::function<void(std::size_t)> place = [&](std::size_t piece) {
            if (piece < pieces) {
                for (int rank = 0; rank < ranks; ++rank) {
                    placed[piece] = oneEach ? static_cast<int>(piece) : rank;
                    place(piece + 1);
                    if (oneEach) break;
                }
                return;
            }
            for (int chosen = 0; chosen < (mayAgain ? 1 << layers : 1); ++chosen) {
                Again again;
                for (int layer = 0; layer < layers; ++layer) again.push_back(chosen & (1 << layer));
                visit(firsts, placed, again);
            }
        };
        place(0);
    }
}

/// Weights and gradients of each rank's layers are there throughout.
std::vector<double> roomsOf(const Problem& problem, const std::vector<int>& firsts,
                            const std::vector<int>& ranks, int count) {
    std::vector<double> rooms(at(count), problem.cluster.devices.front().memoryBytes);
    for (std::size_t i = 0; i < firsts.size(); ++i) {
        const int end = i + 1 < firsts.size() ? firsts[i + 1] : problem.profile.layerCount();
        for (int layer = firsts[i]; layer < end; ++layer)
            rooms[at(ranks[i])] -= 2 * problem.profile.layers[at(layer)].parameterBytes;
    }
    return rooms;
}

double leastOfEveryPlan(const Problem& problem, int ranks, int microbatches, bool oneEach, bool mayAgain) {
    double best = infinity;
    forEveryPlan(problem, ranks, oneEach, mayAgain,
                 [&](const std::vector<int>& firsts, const std::vector<int>& placed, const Again& again) {
                     EveryOrder orders(piecesOf(problem, firsts, placed, again), ranks, microbatches,
                                       roomsOf(problem, firsts, placed, ranks));
                     best = orders.leastS(best);
                 });
    return best;
}

/// By device, the problem with the times that layers take there.
std::vector<Problem> onEachDevice(const Problem& problem) {
    std::vector<Problem> all;
    const std::vector<std::string> measured = measuredGpus(problem.profile);
    for (const Device& device : problem.cluster.devices) {
        Problem& own = all.emplace_back(problem);
        const std::string gpu = measuredGpuOf(measured, device.gpu);
        own.profile = withoutMeasuredGpus(gpu.empty() ? problem.profile : profileOn(problem.profile, gpu));
        if (gpu.empty())
            for (Layer& layer : own.profile.layers)
                for (double* seconds : {&layer.forwardS, &layer.backwardS, &layer.weightGradientS})
                    *seconds /= device.speed;
    }
    return all;
}

/// Dollars of the cheapest of every choice of so many devices, cut, place, order and recomputation that takes
/// no longer than that.
double leastDollars(const Problem& problem, int ranks, int microbatches, double mostS = infinity) {
    const std::vector<Problem> onDevices = onEachDevice(problem);
    const int count = problem.cluster.deviceCount();
    double best = infinity;
    for (int chosen = 0; chosen < (1 << count); ++chosen) {
        std::vector<int> devices;
        for (int device = 0; device < count; ++device)
            if (chosen & (1 << device)) devices.push_back(device);
        if (static_cast<int>(devices.size()) != ranks) continue;
        const double perSecond = dollarsPerSecond(problem, devices);
        forEveryPlan(problem, ranks, false, true,
                     [&](const std::vector<int>& firsts, const std::vector<int>& placed, const Again& again) {
                         std::vector<EveryOrder::Piece> pieces;
                         for (std::size_t i = 0; i < placed.size(); ++i)
                             pieces.push_back(
                                 piecesOf(onDevices[at(devices[at(placed[i])])], firsts, placed, again)[i]);
                         EveryOrder orders(pieces, ranks, microbatches,
                                           roomsOf(problem, firsts, placed, ranks));
                         // What is no faster than that is not looked at.
                         const double belowS = std::min(best / perSecond, mostS * (1 + rounding));
                         if (const double least = orders.leastS(belowS); least < belowS)
                             best = perSecond * least;
                     });
    }
    return best;
}

/// Dear devices and cheap ones, some of each, the cheap ones so many times as slow.
void priceDevices(std::mt19937& random, double slower, double cheaper, Problem& problem) {
    const int count = problem.cluster.deviceCount();
    const int cheap = 1 + static_cast<int>(random() % static_cast<unsigned>(count - 1));
    for (int i = 0; i < count; ++i) {
        // Some of the cheap ones come before the dear ones.
        Device& device = problem.cluster.devices[at((i + count / 2) % count)];
        device.pricePerHour = 3600 * (i < cheap ? 1 / cheaper : 1);
        device.speed = i < cheap ? 1 / slower : 1;
    }
}

/// The problem on some of its devices.
Problem onSome(const Problem& problem, const std::function<bool(const Device&)>& isTaken) {
    Problem some = problem;
    std::set<std::string> ids;
    some.cluster.devices.clear();
    for (const Device& device : problem.cluster.devices)
        if (isTaken(device)) {
            some.cluster.devices.push_back(device);
            ids.insert(device.id);
        }
    some.cluster.links.clear();
    for (const Link& link : problem.cluster.links)
        if (ids.contains(link.a) && ids.contains(link.b)) some.cluster.links.push_back(link);
    return some;
}

LayoutBound boundOf(const Problem& problem, const PipelineLayout& layout) {
    const MachineFacts machines(problem);
    const CostModel costs(problem);
    return {std::make_shared<const RankLayers>(costs, layout.group, machines), machines, layout};
}

AutoAnswer searched(const Problem& problem, int batch, const AutoLimits& limits = {}, int threads = 1) {
    return AutoSearch(problem, scaledProfiles(problem.profile), batch, threads).best(limits);
}

}  // namespace

TEST(AutoSearch, BoundsAreBelowTheBestOfEveryCutPlaceOrderAndRecomputation) {
    std::mt19937 random(7);
    int bounds = 0, byMemory = 0, infeasible = 0;
    for (int round = 0; round < 80; ++round) {
        TinyProblem shape;
        shape.layers = 2 + round % 2;
        shape.memoryBytes = 7 + 3 * (round % 13);
        Problem problem = tiny(random, shape);
        problem.setup.updateBytesPerS = round % 3 ? 0 : 1 + round % 5;
        if (round % 5 > 2) measureTypes(random, problem);
        const int microbatches = 1 + round % 2, ranks = 2;
        PipelineLayout layout;
        layout.microbatches = microbatches;
        const LayoutBound bound = boundOf(problem, layout);
        const double least = leastOfEveryPlan(problem, ranks, microbatches, false, true);
        const TimeBound any = bound.ofAnyPlan(ranks);
        if (!any.fits()) ++infeasible;
        EXPECT_LE(any.seconds, least * (1 + rounding)) << "round " << round;
        byMemory += any.reason == BoundReason::memory;
        ++bounds;
        const double leastOneEach = leastOfEveryPlan(problem, ranks, microbatches, true, true);
        EXPECT_LE(bound.ofOneStageEach(ranks).seconds, leastOneEach * (1 + rounding)) << "round " << round;
        EXPECT_LE(any.seconds, bound.ofOneStageEach(ranks).seconds) << "round " << round;
    }
    // All kinds came up.
    EXPECT_GT(byMemory, 3);
    EXPECT_GT(infeasible, 3);
}

TEST(AutoSearch, BoundsAreNearWhatBruteForceFinds) {
    std::mt19937 random(11);
    double shares = 0;
    constexpr int rounds = 20;
    for (int round = 0; round < rounds; ++round) {
        const Problem problem = tiny(random, {.layers = 3});
        PipelineLayout layout;
        layout.microbatches = 2;
        shares +=
            boundOf(problem, layout).ofOneStageEach(2).seconds / leastOfEveryPlan(problem, 2, 2, true, false);
    }
    EXPECT_GT(shares / rounds, 0.85);
    EXPECT_LE(shares / rounds, 1 + rounding);
}

/// Two layers of forward 1 s, input and weight gradient 1 s each, on a rank each, with room for the
/// activations of one microbatch: the first rank holds each of them for 4 s, from its forward to its input
/// gradient.
TEST(AutoSearch, MemoryBoundsWhatIsUnderWayByTheTimeThatItIsHeld) {
    Problem problem;
    problem.profile.layers = {
        {"in", 0, 0, 0, 5, 5, 0, 0}, {"a", 1, 2, 0, 5, 5, 5, 1}, {"b", 1, 2, 0, 0, 0, 5, 1}};
    std::mt19937 random(1);
    problem.cluster = tiny(random, {.memoryBytes = 5}).cluster;
    PipelineLayout layout;
    layout.microbatches = 2;
    const TimeBound bound = boundOf(problem, layout).ofOneStageEach(2);
    EXPECT_NEAR(bound.seconds, 2 * 4, 1e-6);
    EXPECT_EQ(bound.reason, BoundReason::stages);
    // A weight gradient is left at the end.
    EXPECT_NEAR(leastOfEveryPlan(problem, 2, 2, true, false), 9, rounding);
    // Any rank of two may have either layer: the second has a forward before it, and then two microbatches.
    EXPECT_NEAR(boundOf(problem, layout).ofAnyPlan(2).seconds, 1 + 2 * 3, 1e-6);
}

TEST(AutoSearch, NoPlanOfALayoutThatTheEngineRunsIsFasterThanItsBound) {
    std::mt19937 random(3);
    int compared = 0;
    for (int round = 0; round < 12; ++round) {
        Problem problem = tiny(random, {.layers = 6, .devices = 4, .batch = 8, .hasSync = true});
        problem.setup.optimizer = static_cast<Optimizer>(round % 3);
        problem.setup.memoryLimitBytes = 60 + 20 * (round % 3);
        // Then rings of copies are laid along the links between them.
        if (round % 4 > 1) problem.setup.collectiveStartS = 0.25;
        problem.setup.updateBytesPerS = round % 3 ? 0.5 * round : 0;
        problem.setup.gradientPasses = static_cast<GradientPasses>(round / 4);
        problem.setup.allreduceOverlaps = round % 5 > 0;
        const bool isUnlike = round % 3 == 1;
        if (isUnlike) measureTypes(random, problem);
        const MachineFacts machines(problem);
        for (const auto& [ranks, copies] : {std::pair(2, 2), std::pair(4, 1), std::pair(1, 4)}) {
            PipelineLayout layout;
            layout.ranks = ranks;
            layout.copies = copies;
            layout.microbatches = 8 / copies;
            layout.zero = round % 2 ? ZeroStage::optimizer : ZeroStage::off;
            const LayoutBound bound = boundOf(problem, layout);
            for (const CopiesPlace place : {CopiesPlace::together, CopiesPlace::apart}) {
                const RankProblem reduced(
                    std::shared_ptr<const RankLayers>(std::shared_ptr<void>(), &bound.layers()), machines,
                    layout, place);
                LayoutTrial trial(bound, reduced);
                for (const ScheduleChoice& choice :
                     scheduleChoices(problem.profile, ranks, 3, {}, layout.zero, copies > 1))
                    for (const TrialPlan& sketch : trial.sketches(choice, infinity)) {
                        const auto made = trial.completed(sketch).plan;
                        if (!made) continue;
                        Problem whole = problem;
                        whole.profile = profileAtSize(whole.profile, copies);
                        whole.setup.microbatches = layout.microbatches;
                        whole.setup.zero = layout.zero;
                        const PlanCourse course = courseOf(CostModel(whole), reduced.onDevices(made->plan));
                        // Each rank simulated once is all of them; where its devices are of several types
                        // it is as slow as the slowest in each layer.
                        EXPECT_LE(course.iterationS, made->leastS * (1 + rounding));
                        if (!isUnlike || copies == 1) {
                            EXPECT_NEAR(course.iterationS, made->leastS, rounding * made->leastS)
                                << choice.family->id << " on " << ranks << " × " << copies;
                            EXPECT_NEAR(course.peakBytes, made->course->peakBytes,
                                        rounding * course.peakBytes);
                        }
                        EXPECT_GE(course.iterationS, bound.ofAnyPlan(ranks).seconds * (1 - rounding));
                        const bool isOne =
                            choice.chunks == 1 && choice.family->placement == Placement::onePerRank;
                        EXPECT_GE(course.iterationS,
                                  (isOne ? bound.ofOneStageEach(ranks) : bound.ofAnyPlan(ranks)).seconds *
                                      (1 - rounding));
                        ++compared;
                    }
            }
        }
    }
    EXPECT_GT(compared, 200);
}

/// Whatever share of it passes hide.
TEST(AutoSearch, BoundsAreBelowPlansWhoseCopiesSendForEachMicrobatch) {
    std::mt19937 random(5);
    int compared = 0;
    for (int round = 0; round < 24; ++round) {
        Problem problem = tiny(random, {.layers = 6, .devices = 4, .batch = 8, .hasSync = true});
        problem.setup.memoryLimitBytes = 1e6;
        problem.setup.collectiveStartS = round % 2 ? 0.25 : 0;
        problem.setup.zeroOverlap = 0.5 * (round % 3);
        problem.setup.updateBytesPerS = round % 4 ? 0 : 0.5 * (1 + round);
        if (round % 8 == 0) problem.setup.gradientPasses = GradientPasses::norm;
        problem.setup.allreduceOverlaps = round % 7 > 1;
        const MachineFacts machines(problem);
        PipelineLayout layout;
        layout.ranks = round % 4 < 2 ? 1 : 2;
        layout.copies = 4 / layout.ranks;
        layout.microbatches = 8 / layout.copies;
        layout.zero = round % 5 < 2 ? ZeroStage::gradients : ZeroStage::weights;
        const LayoutBound bound = boundOf(problem, layout);
        const TimeBound ofAny =
            LayoutBound::underAnyZero(std::make_shared<const RankLayers>(bound.layers()), machines, layout)
                .ofAtMost(layout.ranks);
        const RankProblem reduced(std::shared_ptr<const RankLayers>(std::shared_ptr<void>(), &bound.layers()),
                                  machines, layout, CopiesPlace::together);
        LayoutTrial trial(bound, reduced);
        for (const ScheduleChoice& choice :
             scheduleChoices(problem.profile, layout.ranks, 3, {}, layout.zero, layout.copies > 1))
            for (const TrialPlan& sketch : trial.sketches(choice, infinity)) {
                const auto made = trial.completed(sketch).plan;
                if (!made) continue;
                Problem whole = problem;
                whole.profile = profileAtSize(whole.profile, layout.copies);
                whole.setup.microbatches = layout.microbatches;
                whole.setup.zero = layout.zero;
                const PlanCourse course = courseOf(CostModel(whole), reduced.onDevices(made->plan));
                // Each rank simulated once is all of them, with what copies send for each microbatch.
                EXPECT_LE(course.iterationS, made->leastS * (1 + rounding)) << choice.family->id;
                if (!choice.family->found) {  // else another order may be shorter with that
                    EXPECT_NEAR(course.iterationS, made->leastS, rounding * made->leastS)
                        << choice.family->id << " × " << choice.chunks << ", round " << round;
                    EXPECT_NEAR(course.peakBytes, made->course->peakBytes, rounding * course.peakBytes);
                }
                const double ofOrderS =
                    leastOfAnyOrderS(reduced.costs(), made->plan,
                                     [&reduced](const Stage& stage) { return reduced.besidePasses(stage); });
                EXPECT_GE(course.iterationS, ofOrderS * (1 - rounding)) << choice.family->id;
                EXPECT_GE(course.iterationS, ofAny.seconds * (1 - rounding));
                EXPECT_GE(course.iterationS, bound.ofAnyPlan(layout.ranks).seconds * (1 - rounding));
                ++compared;
            }
    }
    EXPECT_GT(compared, 50);
}

namespace {

/// Plans of four ranks of groups take as long, and hold as much, as all of their devices do.
void expectRanksAreAllOfThem(const Problem& problem) {
    const MachineFacts machines(problem);
    const CostModel costs(problem);
    for (const Group& group :
         {Group{2, 1, 1, true}, Group{2, 2, 1, true}, Group{1, 1, 4, false}, Group{2, 1, 4, true}}) {
        PipelineLayout layout{group, ZeroStage::optimizer, 1, 4 / group.ranksOfCopy(), 4, 4};
        const auto layers = std::make_shared<const RankLayers>(costs, group, machines);
        const LayoutBound bound(layers, machines, layout);
        const RankProblem ranks(layers, machines, layout, CopiesPlace::together);
        LayoutTrial trial(bound, ranks);
        for (const char* family : {"1f1b", "zb-h1", "interleaved"}) {
            const auto choices = scheduleChoices(problem.profile, 4, 2, {family});
            ASSERT_FALSE(choices.empty());
            const std::vector<TrialPlan> sketches = trial.sketches(choices.front(), infinity);
            ASSERT_FALSE(sketches.empty()) << groupText(group) << " " << family;
            Problem whole = problem;
            whole.profile = profileAtSize(whole.profile, layout.copies);
            whole.setup.microbatches = layout.microbatches;
            whole.setup.zero = layout.zero;
            const PlanCourse course = courseOf(CostModel(whole), ranks.onDevices(sketches.front().plan));
            EXPECT_NEAR(course.iterationS, sketches.front().leastS, 1e-6 * course.iterationS)
                << groupText(group) << " " << family;
            EXPECT_NEAR(course.peakBytes, sketches.front().course->peakBytes, 1e-6 * course.peakBytes)
                << groupText(group) << " " << family;
            EXPECT_GE(course.iterationS, bound.ofAnyPlan(4).seconds);
        }
    }
}

}  // namespace

TEST(AutoSearch, RanksOfGroupsSimulatedOnceAreAllOfThem) {
    Problem problem;
    problem.cluster = generation::machinesAsked("2x dgx-h100").make();
    problem.profile = generation::generatedProfile(
        "mixtral-8x7b", {{"gpu", std::string("H100-SXM5-80GB")}, {"precision", std::string("bf16")}});
    problem.profile = profileAtSize(problem.profile, 1);
    problem.setup = usualSetup({}, problem.profile);
    problem.setup.memoryLimitBytes = 400e9;
    expectRanksAreAllOfThem(problem);
    // What ranks send takes as long on GPUs that compute slower.
    for (Device& device : problem.cluster.devices)
        if (device.server != problem.cluster.devices.front().server) device.speed = 0.5;
    expectRanksAreAllOfThem(problem);
    for (Layer& layer : problem.profile.layers)
        layer.onRanks = {{.tensor = 1,
                          .times = LayerTimes{2 * layer.forwardS, 3 * layer.backwardS, layer.backwardS},
                          .gpu = "H100"}};
    for (std::size_t device = 0; device < 8; ++device) problem.cluster.devices[device].gpu = "other";
    expectRanksAreAllOfThem(problem);
}

TEST(AutoSearch, LessOfTheSearchIsNeverBetter) {
    EXPECT_TRUE(rc::check([] {
        std::mt19937 random(static_cast<unsigned>(*rc::gen::inRange(0, 1 << 30)));
        Problem problem = tiny(random, {.layers = 5, .devices = 4, .hasSync = true});
        problem.setup.memoryLimitBytes = 20.0 + static_cast<double>(random() % 60);
        const AutoAnswer all = searched(problem, 4);
        AutoLimits limits;
        switch (random() % 5) {
            case 0:
                limits.families = {"1f1b"};
                break;
            case 1:
                limits.mostChunks = 1;
                break;
            case 2:
                limits.zero = static_cast<ZeroStage>(random() % 4);
                break;
            case 3:
                limits.mostDevices = 2;
                break;
            default:
                limits.families = {"zb-h1", "interleaved"};
        }
        const AutoAnswer less = searched(problem, 4, limits);
        if (!less.best) return;
        RC_ASSERT(all.best.has_value());
        RC_ASSERT(all.best->iterationS <= less.best->iterationS * (1 + rounding));
        RC_ASSERT(all.provenS <= less.best->iterationS * (1 + rounding));
    }));
}

/// Each layout, family, cut and place by itself, on all devices.
TEST(AutoSearch, IsNoWorseThanAnyOfItsLayoutsByItself) {
    int compared = 0, equal = 0;
    std::map<int, int> stagesFound;
    for (unsigned seed = 1; seed <= 16; ++seed) {
        std::mt19937 random(seed);
        Problem problem = tiny(random, {.layers = 5, .devices = 4, .hasSync = true});
        problem.setup.memoryLimitBytes = 15.0 + static_cast<double>(random() % 60);
        problem.setup.zeroOverlap = seed % 4 == 0 ? 0.5 : 0;
        problem.setup.updateBytesPerS = static_cast<double>(random() % 4);
        if (seed % 4 == 1) problem.setup.gradientPasses = GradientPasses::norm;
        problem.setup.allreduceOverlaps = seed % 3 > 0;
        constexpr int batch = 4;
        const AutoAnswer answer = searched(problem, batch);
        if (answer.best) ++stagesFound[static_cast<int>(answer.best->layout.zero)];
        const MachineFacts machines(problem);
        for (const auto& [samples, copies, stage] :
             {std::tuple(1, 1, 0), std::tuple(1, 2, 1), std::tuple(1, 2, 2), std::tuple(1, 2, 3),
              std::tuple(1, 4, 1), std::tuple(1, 4, 3), std::tuple(2, 1, 0), std::tuple(2, 2, 2)})
            for (int ranks = 1; ranks * copies <= 4; ++ranks) {
                Problem whole = problem;
                whole.profile = profileAtSize(problem.profile, samples);
                PipelineLayout layout{{},     static_cast<ZeroStage>(stage), samples,
                                      copies, batch / samples / copies,      ranks};
                const LayoutBound bound = boundOf(whole, layout);
                const RankProblem reduced(
                    std::shared_ptr<const RankLayers>(std::shared_ptr<void>(), &bound.layers()), machines,
                    layout, CopiesPlace::together);
                LayoutTrial trial(bound, reduced);
                whole.profile = profileAtSize(problem.profile, samples * copies);
                whole.setup.microbatches = layout.microbatches;
                whole.setup.zero = layout.zero;
                const CostModel costs(whole);
                for (const ScheduleChoice& choice :
                     scheduleChoices(problem.profile, ranks, 3, {}, layout.zero, copies > 1))
                    for (const TrialPlan& made : trial.sketches(choice, infinity)) {
                        const PlanCourse course = courseOf(costs, reduced.onDevices(made.plan));
                        if (course.lackingBytes > 0) continue;
                        ASSERT_TRUE(answer.best);
                        EXPECT_LE(answer.best->iterationS, course.iterationS * (1 + rounding))
                            << seed << ": " << layoutText(layout) << " " << choice.family->id;
                        equal += answer.best->iterationS >= course.iterationS * (1 - rounding);
                        ++compared;
                    }
            }
    }
    EXPECT_GT(compared, 300);
    EXPECT_GT(equal, 5);
    for (const int stage : {1, 2, 3}) EXPECT_GT(stagesFound[stage], 0) << "ZeRO-" << stage;
}

TEST(AutoFrontier, WhatItProvesHoldsForEveryPointThatTakesNoMore) {
    int beatenByMoreMemory = 0;
    for (unsigned seed = 1; seed <= 24; ++seed) {
        std::mt19937 random(seed);
        AutoQuestion question{
            .problem = tiny(
                random,
                {.layers = 4, .devices = 4, .batch = 4, .memoryBytes = 40.0 + 5 * seed, .hasSync = true}),
            .batch = 4,
            .threads = 1};
        question.source = scaledProfiles(question.problem.profile);
        const auto points = frontierOf(question, searched(question.problem, question.batch));
        ASSERT_EQ(points.size(), std::size_t(1 + frontierSearches(question)));
        for (const FrontierAxis axis : {FrontierAxis::memory, FrontierAxis::gpus, FrontierAxis::cost}) {
            const auto steps = provenSteps(question, points, axis);
            ASSERT_FALSE(steps.empty());
            for (const FrontierPoint& point : points) {
                if (!point.answer.best) continue;
                const double taken = frontierValue(*point.answer.best, axis);
                for (const auto& [upTo, seconds] : steps) {
                    if (taken > upTo) {
                        beatenByMoreMemory += axis == FrontierAxis::memory &&
                                              point.answer.best->iterationS < seconds * (1 - rounding);
                        continue;
                    }
                    EXPECT_GE(point.answer.best->iterationS, seconds * (1 - rounding));
                }
            }
            for (std::size_t i = 1; i < steps.size(); ++i) {
                EXPECT_LT(steps[i - 1].first, steps[i].first);
                EXPECT_GE(steps[i - 1].second, steps[i].second);
            }
        }
    }
    EXPECT_GT(beatenByMoreMemory, 0);  // what is proven within less does not hold beyond it
}

TEST(AutoFrontier, KeepsWhatNothingBeatsWithoutTakingMore) {
    EXPECT_TRUE(rc::check([] {
        const auto drawn = *rc::gen::container<std::vector<std::tuple<int, int, bool>>>(
            rc::gen::tuple(rc::gen::inRange(1, 6), rc::gen::inRange(1, 6), rc::gen::arbitrary<bool>()));
        std::vector<FrontierPoint> points;
        for (const auto& [seconds, bytes, hasPlan] : drawn) {
            points.emplace_back();
            if (!hasPlan) continue;
            points.back().answer.best.emplace();
            points.back().answer.best->iterationS = seconds;
            points.back().answer.best->peakBytes = bytes;
        }
        const auto beats = [&](std::size_t a, std::size_t b) {
            if (!points[a].answer.best || a == b) return false;
            const AutoPlan &one = *points[a].answer.best, &other = *points[b].answer.best;
            const bool isEqual = one.iterationS == other.iterationS && one.peakBytes == other.peakBytes;
            return one.iterationS <= other.iterationS && one.peakBytes <= other.peakBytes &&
                   (!isEqual || a < b);
        };
        const auto kept = unbeaten(points, FrontierAxis::memory);
        for (std::size_t i = 0; i < points.size(); ++i) {
            bool isBeaten = !points[i].answer.best;
            for (std::size_t other = 0; other < points.size(); ++other)
                isBeaten = isBeaten || beats(other, i);
            RC_ASSERT((std::ranges::count(kept, i) == 1) == !isBeaten);
        }
    }));
}

TEST(AutoSearch, AnswersTheSameWithAnyNumberOfThreads) {
    std::mt19937 random(23);
    Problem problem = tiny(random, {.layers = 8, .devices = 8, .hasSync = true});
    problem.setup.memoryLimitBytes = 70;
    const AutoAnswer one = searched(problem, 16, {}, 1);
    ASSERT_TRUE(one.best);
    for (const int threads : {2, 5}) {
        const AutoAnswer several = searched(problem, 16, {}, threads);
        ASSERT_TRUE(several.best);
        EXPECT_EQ(one.best->plan, several.best->plan);
        EXPECT_EQ(one.provenS, several.provenS);
        EXPECT_EQ(one.counts.tried, several.counts.tried);
        EXPECT_EQ(one.counts.passes, several.counts.passes);
        EXPECT_EQ(one.counts.pruned, several.counts.pruned);
        ASSERT_EQ(one.tried.size(), several.tried.size());
        for (std::size_t i = 0; i < one.tried.size(); ++i) {
            EXPECT_EQ(one.tried[i].layout, several.tried[i].layout);
            EXPECT_EQ(one.tried[i].iterationS, several.tried[i].iterationS);
            EXPECT_EQ(one.tried[i].family, several.tried[i].family);
            EXPECT_EQ(one.tried[i].wasShort, several.tried[i].wasShort);
        }
    }
}

TEST(WorkInTurn, TakesInTurnWhatAnyThreadHasMade) {
    constexpr std::size_t pieces = 200, lastWanted = 150;
    for (const int threads : {1, 2, 5}) {
        WorkInTurn work(1);
        std::vector<std::jthread> helpers;
        for (int i = 1; i < threads; ++i) helpers.emplace_back([&work] { work.help(); });
        std::vector<int> made(pieces, 0);
        std::vector<std::size_t> taken;
        std::atomic<int> begun = 0;
        work.run(
            pieces,
            [&](std::size_t piece) {
                ++begun;
                if (piece % 7 == 0) std::this_thread::yield();
                made[piece] = static_cast<int>(piece) + 1;
                if (piece > lastWanted) throw std::runtime_error("of a piece that nobody takes");
            },
            [&](std::size_t piece) {
                EXPECT_EQ(made[piece], static_cast<int>(piece) + 1);
                taken.push_back(piece);
                return piece < lastWanted;
            });
        ASSERT_EQ(taken.size(), lastWanted + 1);
        EXPECT_TRUE(std::ranges::is_sorted(taken));
        // One thread begins none of which it is not known that it is wanted.
        if (threads == 1) {
            EXPECT_EQ(begun, static_cast<int>(lastWanted) + 1);
        }
        EXPECT_THROW(work.run(
                         pieces,
                         [](std::size_t piece) {
                             if (piece == 3) throw std::invalid_argument("the fourth");
                             if (piece == 4) throw std::runtime_error("the fifth");
                         },
                         [](std::size_t piece) {
                             EXPECT_LT(piece, 3);
                             return true;
                         }),
                     std::invalid_argument);
        work.done();
    }
}

TEST(AutoSearch, IsNoWorseThanAnyFamilyOnStagesOfEqualTimeAtAnyDegree) {
    std::mt19937 random(5);
    for (int round = 0; round < 4; ++round) {
        Problem problem = tiny(random, {.layers = 8, .devices = 4, .hasSync = true});
        const AutoAnswer answer = searched(problem, 8);
        ASSERT_TRUE(answer.best);
        EXPECT_TRUE(answer.best->peakBytes <= problem.cluster.devices.front().memoryBytes);
        Problem whole = problem;
        whole.setup.microbatches = 8;
        const CostModel costs(whole);
        for (const ScheduleChoice& choice : scheduleChoices(problem.profile, 4, 2, {})) {
            ParameterValues values = defaultValues(settingsOf(*choice.family));
            if (values.contains(chunksParameter)) values[chunksParameter] = choice.chunks;
            const Plan plan = cutUnder(costs, *choice.family, values, equalTimeCut);
            EXPECT_LE(answer.best->iterationS, courseOf(costs, plan).iterationS * (1 + rounding))
                << choice.family->id;
        }
    }
}

/// On stages with as many devices each, under families that are covered.
bool isSearched(const Plan& plan, const LayerProfile& profile) {
    const auto* schedule = std::get_if<FamilySchedule>(&plan.schedule.order);
    if (!schedule || plan.pipelineCount() != 1) return false;
    std::set<int> devices;
    for (const Stage& stage : plan.stages) {
        if (stage.devices.size() != plan.stages.front().devices.size()) return false;
        if (stage.replication != Replication::split) return false;
        devices.insert(stage.devices.begin(), stage.devices.end());
    }
    if (plan.stages.size() * plan.stages.front().devices.size() % devices.size() != 0) return false;
    const int ranks = static_cast<int>(devices.size() / plan.stages.front().devices.size());
    for (const ScheduleChoice& choice : scheduleChoices(profile, ranks, 8, {}, ZeroStage::off, true))
        if (choice.family->id == schedule->name) return true;
    return false;
}

/// Passes over all gradients suppose that each copy holds them: those that share them out are left out.
TEST(AutoSearch, TakesNoGradientsApartThatArePassedOverWhole) {
    for (unsigned seed = 1; seed <= 8; ++seed) {
        std::mt19937 random(seed);
        Problem problem = tiny(random, {.layers = 5, .devices = 4, .hasSync = true});
        problem.setup.memoryLimitBytes = 15.0 + static_cast<double>(random() % 60);
        problem.setup.updateBytesPerS = 2;
        problem.setup.gradientPasses = GradientPasses::megatron;
        const AutoAnswer answer = searched(problem, 4);
        for (const AutoTried& tried : answer.tried) EXPECT_LT(tried.layout.zero, ZeroStage::gradients);
    }
}

/// By planner, at each number of microbatches: what its plan takes, if it fits and is of a kind that is
/// searched.
std::vector<std::pair<std::string, double>> plansOfPlanners(const Problem& problem, int batch) {
    std::vector<std::pair<std::string, double>> all;
    for (const int microbatches : {2, 4, 8}) {
        Problem whole = problem;
        whole.profile = profileAtSize(problem.profile, batch / microbatches);
        whole.setup.microbatches = microbatches;
        const CostModel costs(whole);
        for (const auto& planner : allPlanners()) {
            const std::string& id = planner->description().id;
            const PlanningResult made =
                runPlanner(*planner, costs, defaultValues(planner->description().parameters), {});
            if (made.status != PlanStatus::ok || !isSearched(made.plan, whole.profile)) continue;
            const PlanCourse course = courseOf(costs, made.plan);
            if (course.lackingBytes == 0)
                all.emplace_back(id + ", " + std::to_string(microbatches) + " microbatches",
                                 course.iterationS);
        }
    }
    return all;
}

/// Each planner that can be run, at each number of microbatches and stage of ZeRO.
TEST(AutoSearch, NoPlannersPlanOfAKindThatIsSearchedIsFasterThanWhatIsProven) {
    int searchedKinds = 0, beaten = 0;
    for (unsigned seed = 1; seed <= 6; ++seed) {
        std::mt19937 random(seed);
        Problem problem = tiny(random, {.layers = 5, .devices = 4, .hasSync = true});
        problem.setup.memoryLimitBytes = 30.0 + static_cast<double>(random() % 60);
        problem.setup.updateBytesPerS = static_cast<double>(random() % 4);
        constexpr int batch = 8;
        const AutoAnswer answer = searched(problem, batch);
        for (int zero = 0; zero < 4; ++zero) {
            problem.setup.zero = static_cast<ZeroStage>(zero);
            for (const auto& [planner, iterationS] : plansOfPlanners(problem, batch)) {
                ++searchedKinds;
                ASSERT_TRUE(answer.best);
                EXPECT_GE(iterationS, answer.provenS * (1 - rounding)) << planner;
                beaten += iterationS < answer.best->iterationS * (1 - rounding);
            }
        }
    }
    EXPECT_GT(searchedKinds, 100);
    EXPECT_EQ(beaten, 0);
}

/// Of two layers on two devices with SGD: either half the layers each, or all of them, shared out.
TEST(AutoSearch, RanksLayoutsWithTheOptimizersStep) {
    Problem problem;
    std::mt19937 random(1);
    problem.cluster = tiny(random, {.devices = 2}).cluster;
    for (Link& link : problem.cluster.links) link.bandwidthBps = 1e18;
    problem.setup.wholeSamples = true;
    problem.setup.updateBytesPerS = 3;
    problem.profile.layers = {{"a", 1, 2, 1, 0, 0, 0, 1}, {"b", 1, 2, 1, 0, 0, 0, 1}};
    AutoLimits limits;
    limits.zero = ZeroStage::off;
    // As copies each has all layers of one sample and their updates: (1 + 2) * 2 + 2 * 1.
    const AutoAnswer whole = searched(problem, 2, limits);
    ASSERT_TRUE(whole.best);
    EXPECT_NEAR(whole.best->iterationS, 6 + 2, 1e-6);
    EXPECT_NEAR(whole.provenS, 6 + 2, 1e-6);
    // ZeRO-1 halves those.
    const AutoAnswer shared = searched(problem, 2);
    ASSERT_TRUE(shared.best);
    EXPECT_NEAR(shared.best->iterationS, 6 + 1, 1e-6);
    EXPECT_EQ(shared.best->layout.zero, ZeroStage::optimizer);
    EXPECT_NEAR(AutoSearch(problem, scaledProfiles(problem.profile), 2, 1).leastOfAllS({}), 6 + 1, 1e-6);
    // The slower the update, the more a pipeline saves where states are not shared out.
    problem.setup.updateBytesPerS = 1;
    const AutoAnswer slow = searched(problem, 2, limits);
    ASSERT_TRUE(slow.best);
    EXPECT_EQ(slow.best->layout.ranks, 2);
    EXPECT_LT(slow.best->iterationS, 6 + 6);
}

TEST(AutoSearch, KnowsThatSomeDevicesAreSlower) {
    std::mt19937 random(2);
    for (int round = 0; round < 6; ++round) {
        Problem problem = tiny(random, {.layers = 6, .devices = 4});
        double work = 0, speeds = 0;
        for (const Layer& layer : problem.profile.layers) work += layer.forwardS + layer.backwardS;
        for (int device = 0; device < 4; ++device) {
            problem.cluster.devices[at(device)].speed = device < 2 ? 1 : 0.25;
            speeds += device < 2 ? 1 : 0.25;
        }
        AutoSearch search(problem, scaledProfiles(problem.profile), 8, 1);
        const AutoAnswer answer = search.best({});
        ASSERT_TRUE(answer.best);
        EXPECT_NEAR(search.leastOfAllS({}), 8 * work / speeds, rounding * 8 * work / speeds);
        EXPECT_GE(answer.best->iterationS, 8 * work / speeds * (1 - rounding));
        EXPECT_LE(answer.provenS, answer.best->iterationS);
        // All four as one stage are as slow as the slowest.
        EXPECT_LT(answer.best->iterationS, 8 * work / (4 * 0.25));
    }
}

/// Two slow devices come first in the file, and one of two ranks is half as fast: the fast ones may begin,
/// or end, and the slow ones have fewer layers, or none.
TEST(AutoSearch, PlacesUnlikeDevicesInEitherOrder) {
    const MachineFacts alike{tinyOfSpeeds({1, 1, 1, 1})};
    EXPECT_TRUE(alike.areAlike());
    const MachineFacts unlike{tinyOfSpeeds({0.5, 1, 0.5, 1})};
    EXPECT_EQ(unlike.orders, (std::vector<std::vector<int>>{{0, 1, 2, 3}, {1, 3, 0, 2}, {0, 2, 1, 3}}));
    EXPECT_EQ(MachineFacts{tinyOfSpeeds({1, 2, 3, 4})}.orders,
              (std::vector<std::vector<int>>{{0, 1, 2, 3}, {3, 2, 1, 0}}));
    // Layers of 1, 1 and 4 s forward: the slow device first, with two of them, or it waits for no more.
    Problem problem = tinyOfSpeeds({0.5, 1});
    problem.profile.layers = {{"a", 1, 2, 0, 0, 0, 0, 1}, {"b", 4, 8, 0, 0, 0, 0, 4}};
    const AutoAnswer slowFirst = searched(problem, 8);
    std::swap(problem.cluster.devices[0].speed, problem.cluster.devices[1].speed);
    const AutoAnswer fastFirst = searched(problem, 8);
    ASSERT_TRUE(slowFirst.best && fastFirst.best);
    EXPECT_NEAR(slowFirst.best->iterationS, fastFirst.best->iterationS, 1e-6);
    EXPECT_EQ(slowFirst.best->plan.stages.front().devices, (std::vector<int>{0}));
    EXPECT_EQ(fastFirst.best->plan.stages.front().devices, (std::vector<int>{1}));
    // Where the slow one is slower than all layers on the other, it is idle.
    problem.cluster.devices[1].speed = 0.05;
    const AutoAnswer alone = searched(problem, 8);
    ASSERT_TRUE(alone.best);
    EXPECT_EQ(alone.best->layout.devices(), 1);
    EXPECT_EQ(alone.best->plan.stages.front().devices, (std::vector<int>{0}));
    std::swap(problem.cluster.devices[0].speed, problem.cluster.devices[1].speed);
    EXPECT_EQ(searched(problem, 8).best->plan.stages.front().devices, (std::vector<int>{1}));
}

TEST(AutoSearch, NoPlannerIsFasterOnUnlikeDevices) {
    int searchedKinds = 0, otherOrders = 0;
    for (unsigned seed = 1; seed <= 16; ++seed) {
        std::mt19937 random(seed);
        Problem problem = tiny(random, {.layers = 5, .devices = 4, .hasSync = true});
        problem.setup.memoryLimitBytes = 40.0 + static_cast<double>(random() % 60);
        const double slower = 1.0 / static_cast<double>(2 + random() % 3);
        for (Device& device : problem.cluster.devices) device.speed = random() % 2 == 0 ? 1 : slower;
        if (seed % 2 == 0) measureTypes(random, problem);
        constexpr int batch = 8;
        const AutoAnswer answer = searched(problem, batch);
        otherOrders += answer.best && answer.best->order > 0;
        for (const auto& [planner, iterationS] : plansOfPlanners(problem, batch)) {
            ++searchedKinds;
            ASSERT_TRUE(answer.best);
            EXPECT_GE(iterationS, answer.provenS * (1 - rounding)) << planner;
            EXPECT_GE(iterationS, answer.best->iterationS * (1 - rounding)) << planner << " " << seed;
        }
    }
    EXPECT_GT(searchedKinds, 30);
    EXPECT_GT(otherOrders, 0);
}

/// Of what the search for time finds on each number of devices, nothing costs less, nor less than is proven.
TEST(AutoSearch, FindsTheCheapestPlanWithinATime) {
    int fewer = 0, later = 0;
    for (unsigned seed = 1; seed <= 12; ++seed) {
        std::mt19937 random(seed);
        Problem problem = tiny(random, {.layers = 5, .devices = 4, .hasSync = true});
        problem.setup.memoryLimitBytes = 25.0 + static_cast<double>(random() % 60);
        AutoLimits cheap;
        cheap.objective = AutoObjective::money;
        const AutoLimits equal{.differentSizes = false};
        const AutoAnswer money = searched(problem, 8, cheap), time = searched(problem, 8, equal);
        ASSERT_EQ(money.best.has_value(), time.best.has_value());
        if (!money.best) continue;
        EXPECT_EQ(money.bestValue(), money.best->iterationS * money.best->layout.devices());
        EXPECT_LE(money.provenS, money.bestValue() * (1 + rounding));
        for (int devices = 1; devices <= 4; ++devices) {
            AutoLimits limits;
            limits.mostDevices = devices;
            const AutoAnswer some = searched(problem, 8, limits);
            if (!some.best) continue;
            const double value = some.best->iterationS * some.best->layout.devices();
            EXPECT_LE(money.bestValue(), value * (1 + rounding));
            EXPECT_LE(money.provenS, value * (1 + rounding));
        }
        fewer += money.best->layout.devices() < time.best->layout.devices();
        // Within hardly more than the least time it may cost more; within no more than that it is the
        // fastest.
        cheap.mostSeconds = time.best->iterationS * 1.001;
        const AutoAnswer soon = searched(problem, 8, cheap);
        ASSERT_TRUE(soon.best);
        EXPECT_LE(soon.best->iterationS, cheap.mostSeconds);
        EXPECT_GE(soon.bestValue(), money.bestValue() * (1 - rounding));
        later += soon.bestValue() > money.bestValue() * (1 + rounding);
        cheap.mostSeconds = time.provenS * (1 - 1e-6);
        EXPECT_FALSE(searched(problem, 8, cheap).best);
    }
    EXPECT_GT(fewer, 0);
    EXPECT_GT(later, 0);
}

TEST(AutoSearch, BoundsOfMoneyAreBelowTheCheapestOfEveryPlanOnEveryChoiceOfDevices) {
    std::mt19937 random(19);
    int byWork = 0, bySoon = 0, compared = 0;
    double shares = 0;
    for (int round = 0; round < 24; ++round) {
        TinyProblem shape;
        shape.layers = 2;
        shape.devices = 3;
        shape.memoryBytes = 9 + 4 * (round % 11);
        Problem problem = tiny(random, shape);
        problem.setup.updateBytesPerS = round % 3 ? 0 : 1 + round % 5;
        priceDevices(random, 1 + round % 4, 1 + (round / 4) % 4, problem);
        if (round % 3 == 2) measureTypes(random, problem);
        PipelineLayout layout;
        layout.microbatches = 1 + round % 2;
        const LayoutBound bound = boundOf(problem, layout);
        const PlanRates rates(AutoObjective::money, problem, MachineFacts(problem));
        ASSERT_EQ(rates.unit(), AutoUnit::dollars);
        const double moreS = rates.moreS(bound.layers(), layout.microbatches);
        double leastOfAny = infinity;
        for (int ranks = 1; ranks <= 2; ++ranks) {
            layout.ranks = ranks;
            const double least = leastDollars(problem, ranks, layout.microbatches);
            const ValueBound own = rates.ofRanks(bound, layout, bound.ofAnyPlan(ranks), moreS);
            EXPECT_LE(own.value, least * (1 + rounding)) << "round " << round << ", " << ranks << " ranks";
            const double byTime = bound.ofAnyPlan(ranks).seconds;
            byWork += own.reason == BoundReason::work && std::isfinite(byTime) && moreS > 0;
            leastOfAny = std::min(leastOfAny, least);
            if (!std::isfinite(least)) continue;
            shares += own.value / least;
            ++compared;
        }
        EXPECT_LE(rates.ofAnyRanks(bound, layout, bound.ofAtMost(2), moreS).value,
                  leastOfAny * (1 + rounding))
            << "round " << round;
        // In less time the cheap ones have not time for all of it.
        Problem ofOnePrice = problem;
        for (Device& device : ofOnePrice.cluster.devices) device.pricePerHour = 3600;
        const double fastestS = leastDollars(ofOnePrice, 2, layout.microbatches) / 2;
        for (const double slower : {1.0, 1.3, 1.8}) {
            if (!std::isfinite(fastestS)) continue;
            const double mostS = slower * fastestS;
            const PlanRates soon(AutoObjective::money, problem, MachineFacts(problem), mostS);
            const double moreSoonS = soon.moreS(bound.layers(), layout.microbatches);
            EXPECT_GE(moreSoonS, moreS);
            for (int ranks = 1; ranks <= 2; ++ranks) {
                layout.ranks = ranks;
                const double least = leastDollars(problem, ranks, layout.microbatches, mostS);
                EXPECT_LE(soon.ofRanks(bound, layout, bound.ofAnyPlan(ranks), moreSoonS).value,
                          least * (1 + rounding))
                    << "round " << round << ", " << ranks << " ranks within " << mostS;
                bySoon += std::isfinite(least) && moreSoonS > moreS * (1 + rounding);
            }
        }
    }
    EXPECT_GT(bySoon, 5);
    EXPECT_GT(byWork, 3);
    EXPECT_GT(compared, 20);
    EXPECT_GT(shares / compared, 0.75);
}

/// On one rank what is bought is all work at the least that it costs anywhere: the bound is what it takes.
TEST(AutoSearch, ProvesThatWorkGoesWhereItIsCheapest) {
    std::mt19937 random(3);
    Problem problem = tiny(random, {.devices = 2});
    priceDevices(random, 2, 3, problem);
    const AutoLimits cheapest{.objective = AutoObjective::money};
    const AutoAnswer slow = searched(problem, 4, cheapest);
    ASSERT_TRUE(slow.best);
    EXPECT_EQ(slow.unit, AutoUnit::dollars);
    EXPECT_EQ(slow.best->layout.devices(), 1);
    double workS = 0;
    for (const Layer& layer : problem.profile.layers) workS += layer.forwardS + layer.backwardS;
    EXPECT_NEAR(slow.bestValue(), 4 * workS * 2 / 3, 1e-6);
    EXPECT_NEAR(slow.provenS, slow.bestValue(), 1e-6);
    EXPECT_LT(problem.cluster.devices[at(slow.best->plan.stages.front().devices.front())].speed, 1);
    // In as long as the dear one takes for all of it the cheap one does half, and a third of the money is
    // saved on that.
    const LayoutBound bound = boundOf(problem, {.microbatches = 4});
    const PlanRates soon(AutoObjective::money, problem, MachineFacts(problem), 4 * workS);
    EXPECT_NEAR((workS + soon.moreS(bound.layers(), 4)) / 3, workS * (1 - 0.5 / 3), 1e-6);
    // Four times as slow, it is dearer.
    for (Device& device : problem.cluster.devices)
        if (device.speed < 1) device.speed = 0.25;
    const AutoAnswer fast = searched(problem, 4, cheapest);
    ASSERT_TRUE(fast.best);
    EXPECT_NEAR(fast.bestValue(), 4 * workS, 1e-6);
    EXPECT_NEAR(fast.provenS, fast.bestValue(), 1e-6);
    // A price that is not known is none.
    problem.cluster.devices[0].pricePerHour = 0;
    EXPECT_EQ(searched(problem, 4, cheapest).unit, AutoUnit::gpuSeconds);
    problem.setup.gpuPricePerHour = 3600;
    EXPECT_EQ(searched(problem, 4, cheapest).unit, AutoUnit::dollars);
}

/// Dear devices are left out, or cheap ones, and nothing that the searches for time find on any of the
/// devices costs less than what is proven.
TEST(AutoSearch, FindsTheCheapestPlanOnDevicesOfSeveralPrices) {
    int allCheap = 0, allDear = 0, soonIsDearer = 0;
    for (unsigned seed = 1; seed <= 12; ++seed) {
        std::mt19937 random(seed);
        Problem problem = tiny(random, {.layers = 5, .devices = 4, .hasSync = true});
        problem.setup.memoryLimitBytes = 25.0 + static_cast<double>(random() % 60);
        priceDevices(random, seed % 3 == 2 ? 1 : seed % 3 ? 2 : 4, seed % 3 ? 3 : 2, problem);
        const bool isMeasured = seed % 4 == 0;
        if (isMeasured) measureTypes(random, problem);
        AutoLimits cheap;
        cheap.objective = AutoObjective::money;
        const AutoLimits equal{.differentSizes = false};
        const AutoAnswer money = searched(problem, 8, cheap), time = searched(problem, 8, equal);
        ASSERT_EQ(money.best.has_value(), time.best.has_value());
        if (!money.best) continue;
        EXPECT_NEAR(money.bestValue(), money.best->iterationS * dollarsPerSecond(problem, money.best->plan),
                    1e-9);
        EXPECT_LE(money.provenS, money.bestValue() * (1 + rounding));
        EXPECT_LE(money.bestValue(), time.best->iterationS * time.best->dollarsPerS * (1 + rounding));
        for (int chosen = 1; chosen < 16; ++chosen) {
            const Problem own = onSome(
                problem, [&](const Device& device) { return chosen & (1 << (device.id.back() - '0')); });
            const bool isOfOneKind =
                !isMeasured && std::ranges::all_of(own.cluster.devices, [&](const Device& device) {
                    return device.pricePerHour == own.cluster.devices.front().pricePerHour;
                });
            const AutoAnswer some = searched(own, 8, equal);
            if (!some.best) continue;
            const double value = some.best->iterationS * dollarsPerSecond(own, some.best->plan);
            EXPECT_LE(money.provenS, value * (1 + rounding)) << seed << ": " << chosen;
            if (isOfOneKind) {
                EXPECT_LE(money.bestValue(), value * (1 + rounding)) << seed << ": " << chosen;
            }
        }
        std::set<double> prices;
        for (const int device : usedDevices(money.best->plan)) prices.insert(pricePerHour(problem, device));
        allCheap += prices.size() == 1 && *prices.begin() < 3600;
        allDear += prices.size() == 1 && *prices.begin() == 3600;
        cheap.mostSeconds = time.best->iterationS * 1.001;
        const AutoAnswer soon = searched(problem, 8, cheap);
        // A rank on several types may be faster on all devices than by itself, by which it is left out.
        if (isMeasured && !soon.best) continue;
        ASSERT_TRUE(soon.best);
        EXPECT_LE(soon.best->iterationS, cheap.mostSeconds);
        EXPECT_GE(soon.bestValue(), money.bestValue() * (1 - rounding));
        soonIsDearer += soon.bestValue() > money.bestValue() * (1 + rounding);
    }
    EXPECT_GT(allCheap, 2);
    EXPECT_GT(allDear, 0);
    EXPECT_GT(soonIsDearer, 2);
}

TEST(AutoSearch, TellsDevicesApartByTheirPricesForMoneyAlone) {
    Problem problem = tinyOfSpeeds({1, 1, 1, 1});
    for (const int dear : {0, 2}) problem.cluster.devices[at(dear)].pricePerHour = 2;
    for (const int cheap : {1, 3}) problem.cluster.devices[at(cheap)].pricePerHour = 1;
    const MachineFacts machines(problem);
    EXPECT_EQ(machines.orders, (std::vector<std::vector<int>>{{0, 1, 2, 3}, {0, 2, 1, 3}, {1, 3, 0, 2}}));
    EXPECT_EQ(machines.ordersForTime, 1U);
    EXPECT_EQ(PlanRates(AutoObjective::time, problem, machines).orderCount(), 1U);
    EXPECT_EQ(PlanRates(AutoObjective::money, problem, machines).orderCount(), 3U);
    AutoLimits cheap;
    cheap.objective = AutoObjective::money;
    const AutoAnswer answer = searched(problem, 4, cheap);
    ASSERT_TRUE(answer.best);
    for (const int device : usedDevices(answer.best->plan)) EXPECT_EQ(device % 2, 1);
    // Of many kinds also from the cheapest, by the hour and by what is computed.
    problem = tinyOfSpeeds({1, 2, 4, 8});
    for (const auto& [device, price] :
         {std::pair(0, 3.0), std::pair(1, 2.0), std::pair(2, 5.0), std::pair(3, 9.0)})
        problem.cluster.devices[at(device)].pricePerHour = price;
    EXPECT_EQ(MachineFacts(problem).orders,
              (std::vector<std::vector<int>>{{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 0, 2, 3}, {1, 3, 2, 0}}));
}

TEST(AutoSearch, SaysThatNothingFits) {
    std::mt19937 random(1);
    Problem problem = tiny(random, {.layers = 4, .devices = 2});
    problem.profile.layers[1].parameterBytes = 100;
    problem.setup.memoryLimitBytes = 90;
    const AutoAnswer answer = searched(problem, 4);
    EXPECT_FALSE(answer.best);
    EXPECT_EQ(answer.counts.noMemory, answer.counts.layouts);
    EXPECT_NE(answer.reason.find("memory"), std::string::npos);
}

TEST(AutoSearch, CanBeCancelled) {
    std::mt19937 random(1);
    const Problem problem = tiny(random, {.layers = 6, .devices = 4});
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW(AutoSearch(problem, scaledProfiles(problem.profile), 8).best({}, {stop.get_token(), {}}),
                 Cancelled);
}

}  // namespace stagecraft
