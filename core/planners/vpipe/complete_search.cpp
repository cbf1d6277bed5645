#include "core/planners/vpipe/complete_search.h"

#include "core/analysis/evaluation.h"
#include "core/base/indices.h"
#include "core/planners/vpipe/roomy_partitions.h"

#include <algorithm>
#include <set>

namespace stagecraft::planners::vpipe {

namespace {

constexpr std::size_t mostPartitions = 1000;
constexpr std::size_t mostWays = 6561;  // of a stage: eight layers with three ways each
/// Of all simulations together, in blocks, about a third of a microsecond each; a plan costs some besides.
constexpr double usualWork = 3e6;
constexpr std::uint64_t workOfPlan = 100;

}  // namespace

CompleteSearch::CompleteSearch(const CostModel& costs, const Settings& settings, const WorkContext& context)
    : costs_(costs), settings_(settings), context_(context) {}

std::uint64_t CompleteSearch::mostWork() const {
    return static_cast<std::uint64_t>(usualWork * settings_.searchEffort);
}

SearchResult CompleteSearch::run(int stages, const std::vector<Stage>& fixed) {
    const MemoryFloor floor(costs_, settings_, stages);
    RoomyPartitions partitions;
    if (fixed.empty()) {
        partitions = roomyPartitions(floor, mostPartitions);
    } else {
        partitions.roomiest = boundsOf(fixed);
        if (!(worstExcess(floor, partitions.roomiest) > 0)) partitions.bounds = {partitions.roomiest};
    }
    result_.complete = partitions.all;
    for (const std::vector<int>& bounds : partitions.bounds) addCandidate(floor, bounds);
    if (candidates_.empty()) {
        explainNoPartition(floor, partitions.roomiest);
        return result_;
    }
    tryAll();
    if (!result_.fits) tryDoubtful();
    if (result_.fits) speedUp();
    return result_;
}

void CompleteSearch::addCandidate(const MemoryFloor& floor, const std::vector<int>& bounds) {
    Candidate candidate;
    candidate.stages = stagesOf(bounds, costs_.layerCount());
    for (std::size_t s = 0; s < candidate.stages.size(); ++s)
        candidate.choices.push_back(&choicesOf(floor, static_cast<int>(s), candidate.stages[s]));
    const auto hasNone = [](const std::vector<Choice>* choices) { return choices->empty(); };
    if (std::none_of(candidate.choices.begin(), candidate.choices.end(), hasNone))
        candidates_.push_back(std::move(candidate));
}

const std::vector<CompleteSearch::Choice>& CompleteSearch::choicesOf(const MemoryFloor& floor, int stage,
                                                                     const Stage& layers) {
    const auto [found, isNew] = choices_.try_emplace({stage, layers.firstLayer, layers.lastLayer});
    std::vector<Choice>& choices = found->second;
    if (!isNew) return choices;
    // A stage is simulated by what it holds of each kind and recomputes: choices that agree there are one.
    std::set<std::array<double, 4>> known;
    for (LayerOps& ops : waysOf(floor, stage, layers)) {
        std::array<double, 4> sums{};  // bytes kept, recomputed and swapped; seconds recomputed
        for (int layer = layers.firstLayer; layer <= layers.lastLayer; ++layer) {
            const LayerMemory op = ops[at(layer - layers.firstLayer)];
            sums[op == LayerMemory::keep        ? 0
                 : op == LayerMemory::recompute ? 1
                                                : 2] += costs_.storedActivationBytes(layer, layer);
            if (op == LayerMemory::recompute) sums[3] += costs_.forwardS(layer, layer);
        }
        const double bytes = floor.bytes(stage, layers.firstLayer, ops);
        if (floor.excess(stage, bytes) > 0 || !known.insert(sums).second) continue;
        choices.push_back({std::move(ops), bytes});
    }
    std::stable_sort(choices.begin(), choices.end(),
                     [](const Choice& a, const Choice& b) { return a.floorBytes < b.floorBytes; });
    return choices;
}

std::vector<LayerOps> CompleteSearch::waysOf(const MemoryFloor& floor, int stage, const Stage& layers) {
    const auto count = at(layers.layerCount());
    const std::size_t most = floor.canSwap(stage) ? 3 : 2;
    const auto waysOfLayer = [&](std::size_t index) {
        const int layer = layers.firstLayer + static_cast<int>(index);
        return costs_.storedActivationBytes(layer, layer) > 0 ? most : 2;
    };
    std::vector<LayerOps> ways{{}};
    for (std::size_t layer = 0; layer < count; ++layer) {
        if (ways.size() * waysOfLayer(layer) > mostWays) {
            result_.complete = false;
            ways = {LayerOps(count, LayerMemory::keep), LayerOps(count, LayerMemory::recompute)};
            if (most == 3) ways.push_back(LayerOps(count, LayerMemory::swap));
            return ways;
        }
        std::vector<LayerOps> longer;
        for (const LayerMemory op : {LayerMemory::keep, LayerMemory::recompute, LayerMemory::swap}) {
            if (op == LayerMemory::swap && waysOfLayer(layer) < 3) continue;
            for (const LayerOps& way : ways) {
                longer.push_back(way);
                longer.back().push_back(op);
            }
        }
        ways = std::move(longer);
    }
    return ways;
}

/// Then the roomiest partition says what is missing: no other asks for less.
void CompleteSearch::explainNoPartition(const MemoryFloor& floor, const std::vector<int>& bounds) {
    const double excess = worstExcess(floor, bounds, &result_.lackingStage);
    result_.stages = stagesOf(bounds, costs_.layerCount());
    result_.limitBytes = costs_.problem().memoryLimitBytes(result_.lackingStage);
    result_.neededBytes = excess - floor.excess(result_.lackingStage, 0);
}

/// By waves: first every partition with the choices whose floors are lowest, then with one stage one choice
/// further on, and so on.
void CompleteSearch::tryAll() {
    std::size_t waves = 0;
    for (const Candidate& candidate : candidates_) {
        std::size_t own = 1;
        for (const std::vector<Choice>* choices : candidate.choices) own += choices->size() - 1;
        waves = std::max(waves, own);
    }
    for (std::size_t wave = 0; wave < waves; ++wave)
        for (const Candidate& candidate : candidates_) {
            MemoryPolicy memory;
            if (tryWave(candidate, 0, wave, memory)) return;
        }
}

/// @param rest by how many choices the stages from this one on are beyond their first
/// @return whether the search is over
bool CompleteSearch::tryWave(const Candidate& candidate, std::size_t stage, std::size_t rest,
                             MemoryPolicy& memory) {
    if (stage == candidate.stages.size()) return rest == 0 && tryPlan(candidate.stages, memory);
    std::size_t mostBehind = 0;
    for (std::size_t s = stage + 1; s < candidate.stages.size(); ++s)
        mostBehind += candidate.choices[s]->size() - 1;
    const std::vector<Choice>& choices = *candidate.choices[stage];
    const int first = candidate.stages[stage].firstLayer;
    for (std::size_t i = rest > mostBehind ? rest - mostBehind : 0; i < choices.size() && i <= rest; ++i) {
        for (std::size_t layer = 0; layer < choices[i].ops.size(); ++layer) {
            const int index = first + static_cast<int>(layer);
            memory.layers.erase(index);
            if (choices[i].ops[layer] != LayerMemory::keep) memory.layers[index] = choices[i].ops[layer];
        }
        if (tryWave(candidate, stage + 1, rest - i, memory)) return true;
    }
    return false;
}

bool CompleteSearch::tryPlan(const std::vector<Stage>& stages, const MemoryPolicy& memory) {
    if (work_ > mostWork()) {
        result_.complete = false;
        return true;
    }
    const std::optional<double> seconds = timeOf(stages, memory);
    context_.report(static_cast<double>(work_) / static_cast<double>(mostWork()));
    if (!seconds) return false;
    take(stages, memory, *seconds);
    return true;
}

std::optional<double> CompleteSearch::timeOf(const std::vector<Stage>& stages, const MemoryPolicy& memory) {
    context_.throwIfStopped();
    Plan plan = planOf(stages, memory, settings_);
    SimulationOptions options;
    options.stop = context_.stop;
    options.iterations = iterationsFor(costs_, plan.stageCount());
    const SimulatedRun run = simulatedRun(costs_, plan, options);
    work_ += workOfPlan + run.timeline.blockCount();
    ++result_.simulated;
    const std::vector<MemoryCurve> curves = memoryCurves(costs_, plan, run.lowered().edges, run.timeline);
    const Lack lack = worstLack(plan, curves);
    const bool synchronous = costs_.problem().setup.mode == TrainingMode::synchronous;
    if (lack.excess > 0 && lack.excess >= leastExcess_) {
        if (!synchronous && !result_.fits) doubtful_.push_back({lack.excess, stages, memory});
        return std::nullopt;
    }
    if (synchronous) {
        if (takeAsClosest(plan, lack)) return std::nullopt;
        return computeMetrics(costs_, plan, run, curves).iterationTimeS;
    }
    return longRunTimeOf(std::move(plan));
}

/// Without a barrier what the long run holds decides: more than a few mini-batches after each other, or less.
std::optional<double> CompleteSearch::longRunTimeOf(Plan plan) {
    plan.miniBatch = {};
    SimulationOptions options;
    options.stop = context_.stop;
    const Evaluation evaluation = measure(costs_, plan, options);
    work_ += evaluation.timeline.blockCount();
    if (takeAsClosest(plan, worstLack(plan, evaluation.memory))) return std::nullopt;
    return evaluation.metrics.iterationTimeS;
}

/// The plans of which a few mini-batches held too much, those first that held least.
void CompleteSearch::tryDoubtful() {
    std::stable_sort(doubtful_.begin(), doubtful_.end(),
                     [](const Doubtful& a, const Doubtful& b) { return a.excess < b.excess; });
    for (const Doubtful& each : doubtful_) {
        context_.throwIfStopped();
        if (work_ > 2 * mostWork()) {
            result_.complete = false;
            return;
        }
        const std::optional<double> seconds = longRunTimeOf(planOf(each.stages, each.memory, settings_));
        if (seconds) return take(each.stages, each.memory, *seconds);
    }
}

void CompleteSearch::take(const std::vector<Stage>& stages, const MemoryPolicy& memory, double seconds) {
    result_.fits = true;
    leastExcess_ = 0;
    result_.stages = stages;
    result_.memory = memory;
    iterationTimeS_ = seconds;
}

CompleteSearch::Lack CompleteSearch::worstLack(const Plan& plan, const std::vector<MemoryCurve>& curves) {
    Lack worst;
    for (int stage = 0; stage < plan.stageCount(); ++stage) {
        const MemoryCurve& curve = curves[at(plan.stages[at(stage)].devices.front())];
        const double excess = curve.peakBytes() - curve.limitBytes;
        if (excess > worst.excess) worst = {stage, curve.peakBytes(), curve.limitBytes, excess};
    }
    return worst;
}

/// False: nothing lacks.
bool CompleteSearch::takeAsClosest(const Plan& plan, const Lack& lack) {
    if (!(lack.excess > 0)) return false;
    if (lack.excess >= leastExcess_) return true;
    leastExcess_ = lack.excess;
    result_.stages = plan.stages;
    result_.memory.layers = plan.memory.layers;
    result_.lackingStage = lack.stage;
    result_.neededBytes = lack.neededBytes;
    result_.limitBytes = lack.limitBytes;
    return true;
}

/// Until treating one layer in another way makes what fits no quicker.
void CompleteSearch::speedUp() {
    const DeviceList& devices = costs_.problem().cluster.devices;
    for (bool quicker = true; quicker;) {
        quicker = false;
        for (const Stage& stage : result_.stages)
            for (int layer = stage.firstLayer; layer <= stage.lastLayer; ++layer) {
                quicker = speedUpLayer(layer, LayerMemory::keep) || quicker;
                quicker = speedUpLayer(layer, LayerMemory::recompute) || quicker;
                if (devices[at(stage.devices.front())].hostBandwidthBps > 0)
                    quicker = speedUpLayer(layer, LayerMemory::swap) || quicker;
            }
    }
}

bool CompleteSearch::speedUpLayer(int layer, LayerMemory op) {
    MemoryPolicy memory = result_.memory;
    memory.layers.erase(layer);
    if (op != LayerMemory::keep) memory.layers[layer] = op;
    if (work_ > 2 * mostWork() || memory == result_.memory) return false;
    const std::optional<double> seconds = timeOf(result_.stages, memory);
    if (!seconds || !(*seconds < iterationTimeS_)) return false;
    iterationTimeS_ = *seconds;
    result_.memory = memory;
    return true;
}

}  // namespace stagecraft::planners::vpipe
