#include "core/planners/automatic/layout_trial.h"

#include "core/base/indices.h"
#include "core/planners/automatic/held_in_order.h"
#include "core/planners/automatic/plan_bound.h"
#include "core/planners/schedule_search/plan_course.h"
#include "core/runs/chosen_schedule.h"
#include "core/runs/offered_families.h"
#include "core/schedules/families.h"
#include "core/schedules/family_parameters.h"
#include "core/simulation/simulator.h"

#include <algorithm>
#include <stdexcept>

namespace stagecraft::planners {

namespace {

constexpr double alikeWithin = 1e-6;
constexpr int fillingsTried = 2;  // microbatches that say whether more are worth it, by ranks
constexpr int mostFittings = 4;
constexpr double manyPasses = 6000;     // below them all microbatches are simulated at once
constexpr double manySearched = 20000;  // passes beyond which a family that searches is left out

int chunksOn(const ScheduleFamily& family, int chunks) {
    return family.placement == Placement::vee ? 2 : family.placement == Placement::ring ? chunks : 1;
}

/// Whether a device's passes come in an order, be it searched for; else it takes what is ready.
bool hasOrders(const ScheduleFamily& family) { return family.order || family.deviceOrders || family.found; }

/// The longest run of layers with as much work each; those before and after it go with its ends.
std::vector<Stage> alikeCut(const LayerProfile& profile, int parts) {
    const auto isAlike = [&](int a, int b) {
        const double one = profile.layers[at(a)].forwardS + profile.layers[at(a)].backwardS;
        const double other = profile.layers[at(b)].forwardS + profile.layers[at(b)].backwardS;
        return std::abs(one - other) <= alikeWithin * std::max(one, other);
    };
    int first = 0, count = 0;
    for (int begin = 0; begin < profile.layerCount();) {
        int end = begin + 1;
        while (end < profile.layerCount() && isAlike(begin, end)) ++end;
        if (end - begin > count) {
            first = begin;
            count = end - begin;
        }
        begin = end;
    }
    if (count < parts) return {};
    std::vector<Stage> cut = equalLayers(count, parts);
    for (Stage& stage : cut) {
        stage.firstLayer += first;
        stage.lastLayer += first;
    }
    cut.front().firstLayer = 0;
    cut.back().lastLayer = profile.layerCount() - 1;
    return cut;
}

/// Stages that begin so, and of the longest as many halves as it takes for there to be `parts`.
std::vector<Stage> cutAt(std::vector<int> firsts, int layers, int parts) {
    while (static_cast<int>(firsts.size()) < parts) {
        std::size_t longest = 0;
        int most = 0;
        for (std::size_t i = 0; i < firsts.size(); ++i) {
            const int end = i + 1 < firsts.size() ? firsts[i + 1] : layers;
            if (end - firsts[i] > most) {
                most = end - firsts[i];
                longest = i;
            }
        }
        if (most < 2) return {};
        firsts.insert(firsts.begin() + static_cast<std::ptrdiff_t>(longest) + 1,
                      firsts[longest] + (most + 1) / 2);
    }
    std::vector<Stage> cut;
    for (std::size_t i = 0; i < firsts.size(); ++i)
        cut.push_back({firsts[i], (i + 1 < firsts.size() ? firsts[i + 1] : layers) - 1, {}});
    return cut;
}

bool sameCut(const std::vector<Stage>& a, const std::vector<Stage>& b) {
    return std::ranges::equal(a, b, {}, &Stage::firstLayer, &Stage::firstLayer);
}

}  // namespace

std::vector<ScheduleChoice> scheduleChoices(const LayerProfile& profile, int ranks, int mostChunks,
                                            const std::vector<std::string>& families, ZeroStage zero,
                                            bool hasSync) {
    std::vector<ScheduleChoice> choices;
    for (const ScheduleFamily& family : scheduleFamilies()) {
        if (!families.empty() && std::ranges::find(families, family.id) == families.end()) continue;
        if (cutsSequences(family) || sharesVocabulary(family) || hidesExperts(family) || family.evicts ||
            family.placement == Placement::opposite || (zero == ZeroStage::weights && !hasOrders(family)) ||
            std::ranges::find(family.parameters, overlapParameter, &Parameter::name) !=
                family.parameters.end())
            continue;
        const int most = family.placement == Placement::ring ? mostChunks : 1;
        for (int chunks = family.placement == Placement::ring ? 2 : 1; chunks <= most; ++chunks)
            if (ranks * chunksOn(family, chunks) <= profile.layerCount())
                choices.push_back({&family, chunks});
    }
    if (ranks == 1)
        std::erase_if(choices, [hasSync](const ScheduleChoice& choice) {
            return choice.family->placement != Placement::onePerRank &&
                   !(hasSync && choice.family->placement == Placement::ring);
        });
    // What is often fastest first: others are given up the sooner. Those in a V search for their orders. On
    // one rank the passes of all take as long, and of those that fit the usual one is as good as any, unless
    // stages have syncs.
    std::ranges::stable_sort(choices, {}, [ranks](const ScheduleChoice& choice) {
        const ScheduleFamily& family = *choice.family;
        if (ranks == 1) return family.id == "1f1b" ? 0 : 1;
        return family.placement == Placement::vee ? 2 : family.backward == BackwardTasks::split ? 0 : 1;
    });
    return choices;
}

const LayoutTrial::Cuts& LayoutTrial::cuts(int parts, Placement placement) {
    const std::lock_guard lock(mutex_);
    const CostModel& costs = ranks_.costs();
    const int ranks = ranks_.layout().ranks, layers = costs.layerCount();
    std::vector<ComputePace> paces;
    for (int rank = 0; rank < ranks; ++rank) paces.push_back(costs.paceOf(rank));
    const bool areUnlike =
        std::ranges::any_of(paces, [&](const ComputePace& pace) { return pace != paces.front(); });
    const bool isVee = areUnlike && placement == Placement::vee;
    const auto [found, isNew] = cuts_.try_emplace(std::pair(parts, isVee));
    Cuts& all = found->second;
    if (!isNew) return all;
    const auto add = [&all](std::vector<Stage> cut) {
        if (cut.empty()) return;
        for (const std::vector<Stage>& known : all)
            if (sameCut(known, cut)) return;
        all.push_back(std::move(cut));
    };
    std::vector<ComputePace> ofParts;
    for (int part = 0; part < parts; ++part)
        ofParts.push_back(paces[at(isVee ? expectedRank(part, ranks, placement) : part % ranks)]);
    add(leastTimeCut(costs, 0, layers - 1, ofParts));
    add(alikeCut(costs.problem().profile, parts));
    if (parts != ranks) return all;
    const TimeBound least = bound_.ofOneStageEach(ranks);
    if (least.fits()) add(cutAt(bound_.cutWithin(ranks, least.seconds * (1 + alikeWithin)), layers, parts));
    return all;
}

Plan LayoutTrial::planOf(const ScheduleChoice& choice, const std::vector<Stage>& cut) const {
    Plan plan;
    plan.stages = cut;
    for (int stage = 0; stage < plan.stageCount(); ++stage)
        plan.stages[at(stage)].devices = {
            expectedRank(stage, ranks_.layout().ranks, choice.family->placement)};
    ParameterValues values = defaultValues(settingsOf(*choice.family));
    if (values.contains(chunksParameter)) values[chunksParameter] = choice.chunks;
    return underSchedule(std::move(plan), *choice.family, values);
}

/// Whether anything was left to be saved where memory lacks.
bool LayoutTrial::saveSome(const CostModel& costs, const std::vector<double>& lacksBytes,
                           const std::vector<int>& inFlight, Plan& plan) const {
    struct Step {
        int layer;
        LayerMemory memory;
        double bytes, seconds;
    };
    bool some = false;
    for (int rank = 0; rank < ranks_.layout().ranks; ++rank) {
        double lack = lacksBytes[at(rank)];
        if (lack <= 0) continue;
        std::vector<Step> steps;
        for (int index = 0; index < plan.stageCount(); ++index) {
            const Stage& stage = plan.stages[at(index)];
            if (stage.devices.front() != rank) continue;
            const double held = std::max(1, inFlight[at(index)]);
            for (int layer = stage.firstLayer; layer <= stage.lastLayer; ++layer) {
                const LayerMemory now = plan.layerMemory(layer);
                const Layer& own = costs.problem().profile.layers[at(layer)];
                const double kept = costs.keptBytes(layer, now);
                const auto add = [&](LayerMemory memory, double seconds) {
                    const double bytes = (kept - costs.keptBytes(layer, memory)) * held;
                    if (bytes > 0) steps.push_back({layer, memory, bytes, seconds});
                };
                if (now == LayerMemory::keep) add(LayerMemory::selective, own.scoresRecomputeS);
                if (now != LayerMemory::checkpoint) add(LayerMemory::checkpoint, own.forwardS);
            }
        }
        std::ranges::stable_sort(
            steps, [](const Step& a, const Step& b) { return a.bytes * b.seconds > b.bytes * a.seconds; });
        for (const Step& step : steps) {
            if (lack <= 0) break;
            if (plan.layerMemory(step.layer) == LayerMemory::checkpoint) continue;
            plan.memory.layers[step.layer] = step.memory;
            lack -= step.bytes;
            some = true;
        }
    }
    return some;
}

double LayoutTrial::leastS(const CostModel& costs, const Plan& plan,
                           const std::vector<double>& againS) const {
    return (1 - planBoundRounding) *
           leastOfAnyOrderS(
               costs, plan, [this](const Stage& stage) { return ranks_.besidePasses(stage); }, againS);
}

/// Saves until as much less is held as lacks, if passes come in that order; whether anything was left to be
/// saved.
bool LayoutTrial::saveAll(const CostModel& costs, const PassesInOrder& passes,
                          const std::vector<double>& lacksBytes, Plan& plan) const {
    const HeldInOrder before = passes.held(costs, plan);
    HeldInOrder held = before;
    std::vector<double> lacks = lacksBytes;
    bool some = false;
    while (std::ranges::any_of(lacks, [](double bytes) { return bytes > 0; }) &&
           saveSome(costs, lacks, held.inFlight, plan)) {
        some = true;
        held = passes.held(costs, plan);
        for (std::size_t rank = 0; rank < lacks.size(); ++rank)
            lacks[rank] = lacksBytes[rank] - (before.bytes[rank] - held.bytes[rank]);
    }
    return some;
}

/// By rank, at least: what its passes hold in their order beyond what it has room for.
std::vector<double> LayoutTrial::lacksInOrder(const CostModel& costs, const Plan& plan,
                                              const HeldInOrder& held) const {
    std::vector<double> lacksBytes = held.bytes;
    for (const Stage& stage : plan.stages)
        for (int layer = stage.firstLayer; layer <= stage.lastLayer; ++layer)
            lacksBytes[at(stage.devices.front())] += bound_.stateBytes(layer);
    for (std::size_t rank = 0; rank < lacksBytes.size(); ++rank)
        lacksBytes[rank] +=
            costs.problem().setup.reservedBytes -
            costs.problem().memoryLimitBytes(static_cast<int>(rank)) * (1 + planBoundRounding);
    return lacksBytes;
}

/// Whether a plan may be faster, before it is simulated. Where its orders are fixed, what they hold too much
/// for certain is computed again.
/// @param isAsItIs whether nothing was changed
bool LayoutTrial::mayFit(const CostModel& costs, Plan& plan, double worthS, bool& isAsItIs,
                         TrialEffort& effort) const {
    isAsItIs = true;
    // As it is, the plan takes no longer than with more of it computed again.
    effort.needs(leastS(costs, plan));
    if (!effort.comesToAnEnd(worthS)) return false;
    const std::optional<PassesInOrder> passes = passesInOrder(costs, plan, ranks_.stop());
    if (!passes) return true;
    const HeldInOrder held = passes->held(costs, plan);
    const std::vector<double> lacksBytes = lacksInOrder(costs, plan, held);
    if (std::ranges::none_of(lacksBytes, [](double bytes) { return bytes > 0; })) return true;
    effort.wasShort();
    const std::vector<double> againS = leastAgainS(costs, plan, lacksBytes, held.inFlight);
    if (std::ranges::find(againS, infinity) != againS.end()) return false;
    effort.needs(leastS(costs, plan, againS));
    if (!effort.comesToAnEnd(worthS)) return false;
    isAsItIs = false;
    return saveAll(costs, *passes, lacksBytes, plan);
}

/// Computes more of the activations again until the plan fits; nothing if it cannot.
std::optional<RankCourse> LayoutTrial::fit(const CostModel& costs, Plan& plan, double worthS,
                                           TrialEffort& effort) const {
    const bool isFixed = hasFixedOrders(plan);
    try {
        bool isAsItIs = true;
        if (!mayFit(costs, plan, worthS, isAsItIs, effort)) return std::nullopt;
        for (int fitting = 0; fitting <= mostFittings; ++fitting) {
            const double tellS = isAsItIs ? worthS : infinity;
            RankCourse course = ranks_.courseOf(costs, plan, tellS);
            effort.simulated(passesOf(costs, plan));
            if (isAsItIs) effort.needs(course.iterationS);
            if (!effort.comesToAnEnd(worthS)) return std::nullopt;
            if (course.fits()) {
                if (!isAsItIs) keepMore(costs, plan, course, effort);
                return course;
            }
            effort.wasShort();
            if (isFixed) {
                const std::vector<double> againS =
                    leastAgainS(costs, plan, course.lacksHeldBytes, course.passes.held(costs, plan).inFlight);
                if (std::ranges::find(againS, infinity) != againS.end()) return std::nullopt;
                if (isAsItIs) effort.needs(leastS(costs, plan, againS));
                if (!effort.comesToAnEnd(worthS)) return std::nullopt;
            }
            isAsItIs = false;
            if (fitting + 1 == mostFittings) {
                for (int layer = 0; layer < costs.layerCount(); ++layer)
                    plan.memory.layers[layer] = LayerMemory::checkpoint;
            } else if (!saveAll(costs, course.passes, course.lacksBytes, plan)) {
                return std::nullopt;
            }
        }
    } catch (const std::invalid_argument&) {
        // The family takes no such stages or microbatches.
    } catch (const SimulationError&) {
    }
    return std::nullopt;
}

double LayoutTrial::busiestS(const Plan& plan) const {
    std::vector<double> busyS(at(ranks_.layout().ranks), 0);
    for (int stage = 0; stage < plan.stageCount(); ++stage) {
        const StageCost cost = ranks_.costs().wholeMicrobatch(plan, stage);
        busyS[at(plan.stages[at(stage)].devices.front())] +=
            cost.forwardS + cost.backwardS + cost.recomputeS +
            2 * ranks_.besidePasses(plan.stages[at(stage)]).gatherS;
    }
    return *std::ranges::max_element(busyS);
}

const CostModel& LayoutTrial::fewCosts() {
    const std::lock_guard lock(mutex_);
    const PipelineLayout& layout = ranks_.layout();
    if (!few_)
        few_ = ranks_.withMicrobatches(
            std::min(layout.microbatches, fillingsTried * layout.ranks + layout.microbatches % layout.ranks));
    return *few_;
}

const LayoutTrial::Cuts& LayoutTrial::cutsFor(const ScheduleChoice& choice) {
    return cuts(ranks_.layout().ranks * chunksOn(*choice.family, choice.chunks), choice.family->placement);
}

std::size_t LayoutTrial::cutCount(const ScheduleChoice& choice) { return cutsFor(choice).size(); }

TriedPlan LayoutTrial::ofCut(const ScheduleChoice& choice, std::size_t cut, double worthS) {
    return sketch(choice, planOf(choice, cutsFor(choice)[cut]), worthS);
}

std::vector<TrialPlan> LayoutTrial::sketches(const ScheduleChoice& choice, double worthS) {
    std::vector<TrialPlan> all;
    for (std::size_t cut = 0; cut < cutCount(choice); ++cut)
        if (TriedPlan made = ofCut(choice, cut, worthS); made.plan) all.push_back(*std::move(made.plan));
    return all;
}

TriedPlan LayoutTrial::sketch(const ScheduleChoice& choice, Plan plan, double worthS) {
    TriedPlan tried;
    const int microbatches = ranks_.layout().microbatches;
    if (choice.family->found && passesOf(ranks_.costs(), plan) > manySearched) return tried;
    const int few = fewCosts().problem().setup.microbatches;
    const bool isMany = few < microbatches && passesOf(ranks_.costs(), plan) > manyPasses;
    tried.othersS = isMany ? (microbatches - few) * busiestS(plan) : 0;
    TrialPlan sketch{choice, std::move(plan), 0, {}};
    sketch.course =
        fit(isMany ? fewCosts() : ranks_.costs(), sketch.plan, worthS - tried.othersS, tried.effort);
    if (!sketch.course) return tried;
    sketch.leastS = sketch.course->iterationS;
    if (isMany) {
        sketch.leastS += (microbatches - few) * busiestS(sketch.plan);
        sketch.course.reset();
    }
    tried.plan = std::move(sketch);
    return tried;
}

TriedPlan LayoutTrial::completed(TrialPlan sketch) const {
    TriedPlan tried;
    if (!sketch.course) sketch.course = fit(ranks_.costs(), sketch.plan, infinity, tried.effort);
    if (!sketch.course) return tried;
    sketch.leastS = sketch.course->iterationS;
    tried.plan = std::move(sketch);
    return tried;
}

/// What was saved for nothing is kept: the steps by which a plan comes to fit are larger than what lacks.
void LayoutTrial::keepMore(const CostModel& costs, Plan& plan, RankCourse& course,
                           TrialEffort& effort) const {
    for (int round = 0; round < mostFittings; ++round) {
        Plan more = plan;
        const std::vector<int> inFlight = course.passes.held(costs, plan).inFlight;
        for (int rank = 0; rank < ranks_.layout().ranks; ++rank) {
            double room = course.roomBytes[at(rank)];
            for (int index = 0; index < plan.stageCount(); ++index) {
                const Stage& stage = plan.stages[at(index)];
                if (stage.devices.front() != rank) continue;
                for (int layer = stage.firstLayer; layer <= stage.lastLayer; ++layer) {
                    const LayerMemory now = plan.layerMemory(layer);
                    if (now == LayerMemory::keep) continue;
                    const double bytes =
                        (costs.keptBytes(layer, LayerMemory::keep) - costs.keptBytes(layer, now)) *
                        std::max(1, inFlight[at(index)]);
                    if (bytes > room) continue;
                    more.memory.layers.erase(layer);
                    room -= bytes;
                }
            }
        }
        if (more == plan) return;
        effort.simulated(passesOf(costs, more));
        RankCourse next = ranks_.courseOf(costs, more, course.iterationS);
        if (next.iterationS >= course.iterationS || !next.fits()) return;
        plan = std::move(more);
        course = std::move(next);
    }
}

}  // namespace stagecraft::planners
