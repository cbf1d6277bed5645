#include "core/planners/automatic/rank_problem.h"

#include "core/base/indices.h"
#include "core/cost/stage_layout.h"
#include "core/cost/state_bytes.h"
#include "core/cost/state_syncs.h"
#include "core/cost/update_cost.h"
#include "core/memory/memory_peaks.h"
#include "core/model/measured_gpus.h"
#include "core/model/profile_sizes.h"
#include "core/planners/planning.h"
#include "core/schedules/families.h"
#include "core/simulation/simulator.h"

#include <algorithm>
#include <map>
#include <string>

namespace stagecraft::planners {

namespace {

/// The slowest way between neighbours of a ring, and from its first to each: on links that are alike what the
/// slowest of all pairs has.
CollectiveRanks ringOf(const Interconnect& net, const std::vector<int>& ring, bool mayStart) {
    CollectiveRanks ranks{static_cast<int>(ring.size()), infinity, 0, false};
    for (std::size_t i = 1; i < ring.size(); ++i)
        for (const int from : {ring[0], ring[i - 1]}) {
            ranks.bandwidthBps = std::min(ranks.bandwidthBps, net.bandwidthBps(from, ring[i]));
            ranks.latencyS = std::max(ranks.latencyS, net.latencyS(from, ring[i]));
        }
    if (!mayStart) return ranks;
    ranks.switchSums = net.shareSummingSwitch(ring);
    const double oneBps = ranks.bandwidthBps;
    ranks.bandwidthBps = net.ringsBandwidthBps(ring, oneBps);
    ranks.severalRings = ranks.bandwidthBps > oneBps;
    ranks.laidBps = net.laidBps(ring, ranks.bandwidthBps);
    return ranks;
}

CollectiveRanks slowerOf(const CollectiveRanks& a, const CollectiveRanks& b) {
    const double bandwidthBps = std::min(a.bandwidthBps, b.bandwidthBps),
                 ringsBps =
                     std::min(std::max(a.bandwidthBps, a.laidBps), std::max(b.bandwidthBps, b.laidBps));
    return {a.count,
            bandwidthBps,
            std::max(a.latencyS, b.latencyS),
            a.switchSums && b.switchSums,
            a.bandwidthBps < b.bandwidthBps ? a.severalRings : b.severalRings,
            ringsBps > bandwidthBps ? ringsBps : 0};
}

}  // namespace

bool RankCourse::fits() const {
    return std::ranges::all_of(lacksBytes, [](double bytes) { return bytes <= 0; });
}

RankProblem::RankProblem(std::shared_ptr<const RankLayers> layers, const MachineFacts& machines,
                         const PipelineLayout& layout, CopiesPlace place, std::size_t order)
    : layers_(std::move(layers)),
      machines_(machines),
      layout_(layout),
      place_(place),
      order_(order),
      costs_(CostModel(problemOfRanks()).withCopies(copies())) {
    addSums();
}

CostModel RankProblem::withMicrobatches(int microbatches) const {
    TrainingSetup setup = costs_.problem().setup;
    setup.microbatches = microbatches;
    return costs_.withSetup(setup);
}

std::vector<int> RankProblem::devicesOfRank(int rank) const {
    std::vector<int> devices;
    for (int copy = 0; copy < layout_.copies; ++copy) {
        const int group =
            place_ == CopiesPlace::together ? rank * layout_.copies + copy : copy * layout_.ranks + rank;
        const std::vector<int> own = groupDevices(machines_.orders[order_], layout_.group, group);
        devices.insert(devices.end(), own.begin(), own.end());
    }
    return devices;
}

LayerProfile RankProblem::profileAt(const std::vector<ComputePace>& paces) const {
    LayerProfile slowest = layers_->divided();
    for (int index = 0; index < slowest.layerCount(); ++index) {
        LayerTimes times;
        double inputS = 0;
        for (const ComputePace& pace : paces) {
            const Layer& own = layers_->divided(pace.kind).layers[at(index)];
            times.forwardS = std::max(times.forwardS, own.forwardS / pace.speed);
            times.backwardS = std::max(times.backwardS, own.backwardS / pace.speed);
            times.weightGradientS = std::max(times.weightGradientS, own.weightGradientS / pace.speed);
            inputS = std::max(inputS, (own.backwardS - own.weightGradientS) / pace.speed);
        }
        if (paces.size() > 1) times.backwardS = inputS + times.weightGradientS;
        Layer& layer = slowest.layers[at(index)];
        layer.onRanks.clear();
        setLayerTimes(layer, times);
        const LayerTimes sending = layers_->withSends(times, index);
        layer.forwardS = sending.forwardS;
        layer.backwardS = sending.backwardS;
    }
    return slowest;
}

Problem RankProblem::problemOfRanks() const {
    const CostModel& costs = layers_->costs();
    const Problem& asked = costs.problem();
    Problem problem;
    problem.setup = asked.setup;
    TrainingSetup& setup = problem.setup;
    const TrainingSetup plain;
    setup.microbatches = layout_.microbatches;
    setup.zero = layout_.zero;
    setup.tensor = setup.context = setup.expert = 1;
    setup.sequenceParallel = false;
    setup.network = LinkSharing::independent;
    setup.memoryLimitBytes.reset();
    setup.recomputation = Recomputation::none;
    setup.insideOverlap = plain.insideOverlap;
    // Where all of a rank's time is divided by its speed, a speed says it; else it is a type of GPU.
    std::vector<std::vector<ComputePace>> paces;
    for (int rank = 0; rank < layout_.ranks; ++rank) paces.push_back(costs.slowestPaces(devicesOfRank(rank)));
    const bool bySpeed = std::ranges::all_of(paces, [&](const std::vector<ComputePace>& own) {
        return own.size() == 1 && own.front().kind == 0 && (own == paces.front() || !layers_->sendsInside());
    });
    problem.profile =
        profileAt(bySpeed && layers_->sendsInside() ? paces.front() : std::vector<ComputePace>(1));
    std::map<std::vector<ComputePace>, std::string> types;
    for (int rank = 0; rank < layout_.ranks; ++rank) {
        const std::vector<int> devices = devicesOfRank(rank);
        Device device;
        device.id = "r" + std::to_string(rank);
        if (bySpeed) {
            if (!layers_->sendsInside()) device.speed = paces[at(rank)].front().speed;
        } else {
            const auto [type, isNew] = types.emplace(paces[at(rank)], "pace " + std::to_string(types.size()));
            if (isNew) addMeasurements(profileAt(paces[at(rank)]), type->second, problem.profile);
            device.gpu = type->second;
        }
        device.memoryBytes = infinity;
        for (const int each : devices)
            device.memoryBytes = std::min(device.memoryBytes, asked.memoryLimitBytes(each));
        // What just fits is to fit on all devices too, where the same bytes are added up in another order.
        device.memoryBytes *= 1 - objectiveTieWidth;
        problem.cluster.devices.push_back(std::move(device));
    }
    addLinks(problem.cluster);
    return problem;
}

/// Between neighbours round the ring; between all where layers are no chain.
void RankProblem::addLinks(Cluster& cluster) const {
    const Interconnect& net = layers_->costs().interconnect();
    const int ranks = layout_.ranks;
    std::vector<std::vector<int>> ends;  // some devices of each rank, for all of them
    for (int rank = 0; rank < ranks; ++rank) {
        const std::vector<int> devices = devicesOfRank(rank);
        const auto last = static_cast<std::ptrdiff_t>(devices.size()) - layout_.group.ranksOfCopy();
        ends.push_back({devices.front(), devices[static_cast<std::size_t>(last)], devices.back()});
    }
    const auto join = [&](int a, int b) {
        Link link;
        link.a = "r" + std::to_string(a);
        link.b = "r" + std::to_string(b);
        link.bandwidthBps = layout_.copies * net.minBandwidthBps(ends[at(a)], ends[at(b)]);
        link.latencyS = net.maxLatencyS(ends[at(a)], ends[at(b)]);
        cluster.links.push_back(std::move(link));
    };
    for (int a = 0; a < ranks; ++a)
        for (int b = a + 1; b < ranks; ++b)
            if (!layers_->isChain() || b == a + 1 || (a == 0 && b == ranks - 1)) join(a, b);
}

/// As those of the first rank are joined.
RankCopies RankProblem::copies() const {
    const CostModel& costs = layers_->costs();
    Stage stage;
    stage.devices = devicesOfRank(0);
    stage.group = layout_.group;
    const StageLayout ranks(stage);
    const bool mayStart = costs.problem().setup.collectiveStartS > 0;
    const auto slowest = [&](const std::vector<std::vector<int>>& rings) {
        return slowerOf(ringOf(costs.interconnect(), rings.front(), mayStart),
                        ringOf(costs.interconnect(), rings.back(), mayStart));
    };
    return {slowest(ranks.parameterRings()), slowest(ranks.expertRings()),
            layout_.group.tensor == layout_.group.expert};
}

void RankProblem::addSums() {
    for (const StateSync& sync : stateSyncs(costs_.problem()))
        (sync.trigger == SyncTrigger::beforePass ? gathers_ : lastSyncs_)
            .push_back({sync, leastExposed(sync.trigger, costs_.problem().setup)});
    const LayoutStates states(costs_.problem(), layout_);
    updatesS_.assign(1, 0);
    for (const LayerOnRank& layer : layers_->layers())
        updatesS_.push_back(updatesS_.back() + states.updateS(layer.parameterBytes, layer.expertBytes));
}

BesidePasses RankProblem::besidePasses(const Stage& stage) const {
    const DataParallelGroup group = costs_.groupOfCopies(0, stage);
    BesidePasses beside{.updateS = updatesS_[at(stage.lastLayer + 1)] - updatesS_[at(stage.firstLayer)],
                        .hasSync = !group.devices.empty()};
    if (!beside.hasSync) return beside;
    for (const auto& [sync, share] : lastSyncs_) {
        const double seconds = share * group.secondsOf(sync);
        beside.syncS += seconds;
        if (sync.trigger == SyncTrigger::iteration) beside.onceS += seconds;
    }
    beside.isOnce = layout_.zero < ZeroStage::gradients;
    for (const auto& [sync, share] : gathers_) beside.gatherS += share * group.secondsOf(sync);
    return beside;
}

/// Syncs and updates come after passes that they do not change, and may be added afterwards, which is
/// quicker; not what is gathered ahead of passes, or sent beside them, nor passes over gradients. Of several
/// orders the shortest may be another with updates.
bool RankProblem::isAddedAfterwards(const Plan& plan) const {
    const auto* schedule = std::get_if<FamilySchedule>(&plan.schedule.order);
    const ScheduleFamily* family = schedule ? findScheduleFamily(schedule->name) : nullptr;
    const TrainingSetup& setup = costs_.problem().setup;
    const bool passesOver = cost::updatesTakeTime(setup) && setup.gradientPasses != GradientPasses::none;
    if (!family || layout_.zero == ZeroStage::weights || passesOver) return false;
    const bool isBeside = layout_.zero == ZeroStage::gradients && costs_.problem().setup.zeroOverlap > 0;
    return !isBeside && !(family->found && updatesS_.back() > 0);
}

const CostModel& RankProblem::bareCosts(const CostModel& costs) const {
    const std::lock_guard lock(mutex_);
    const int microbatches = costs.problem().setup.microbatches;
    const auto known = bare_.find(microbatches);
    if (known != bare_.end()) return known->second;
    Problem problem = costs.problem();
    problem.setup.zero = ZeroStage::off;
    problem.setup.updateBytesPerS = 0;
    return bare_.try_emplace(microbatches, std::move(problem)).first->second;
}

RankSyncs RankProblem::syncsOf(const Plan& plan) const {
    RankSyncs syncs(layout_.ranks, plan.stageCount(), !costs_.problem().setup.allreduceOverlaps);
    for (int index = 0; index < plan.stageCount(); ++index) {
        const Stage& stage = plan.stages[at(index)];
        syncs.addStage(index, stage.devices.front(), besidePasses(stage));
    }
    return syncs;
}

RankCourse RankProblem::courseOf(const CostModel& costs, const Plan& plan, double worthS) const {
    const bool isBare = isAddedAfterwards(plan);
    SimulationOptions options;
    options.stop = stop_;
    const SimulatedRun run = simulatedRun(isBare ? bareCosts(costs) : costs, plan, options);
    if (stop_.stop_requested()) throw Cancelled();
    RankCourse course(layout_.ranks);
    RankSyncs syncs = syncsOf(plan);
    for (const Lane& lane : run.timeline.lanes) {
        if (lane.kind != LaneKind::compute) continue;
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block)
            run.timeline.eachPass(block, [&](const Pass& pass) {
                syncs.addPass(pass.stage, run.timeline.endS[block],
                              pass.kind == BlockKind::backward || pass.kind == BlockKind::weightGradient);
                if (const std::optional<TaskKind> task = passKind(pass.kind).task)
                    course.passes.add(plan.stages[at(pass.stage)].devices.front(), *task, pass.stage);
            });
    }
    course.iterationS = run.timeline.lastEndS();
    if (isBare) course.iterationS = syncs.endS(course.iterationS);
    if (course.iterationS >= worthS) return course;
    course.lacksBytes.assign(at(layout_.ranks), 0);
    course.lacksHeldBytes.assign(at(layout_.ranks), 0);
    course.roomBytes.assign(at(layout_.ranks), infinity);
    for (const MemoryPeak& peak : memoryPeaks(costs, plan, run.lowered().edges, run.timeline, stop_)) {
        course.peakBytes = std::max(course.peakBytes, peak.bytes);
        if (peak.limitBytes <= 0) continue;
        course.lacksBytes[at(peak.device)] = std::max(0.0, peak.bytes - peak.limitBytes);
        if (peak.bytes > peak.limitBytes)
            course.lacksHeldBytes[at(peak.device)] = std::max(0.0, peak.heldBytes - peak.limitBytes);
        course.roomBytes[at(peak.device)] = std::max(0.0, peak.limitBytes - peak.bytes);
    }
    return course;
}

Plan RankProblem::onDevices(Plan plan) const {
    for (Stage& stage : plan.stages) {
        stage.devices = devicesOfRank(stage.devices.front());
        stage.group = layout_.group;
    }
    plan.miniBatch = {};
    return plan;
}

}  // namespace stagecraft::planners
