#include "core/simulation/memory.h"

#include "core/simulation/weight_stash.h"

#include <algorithm>
#include <limits>
#include <map>

namespace stagecraft {

const char* memoryKindName(MemoryKind kind) {
    switch (kind) {
        case MemoryKind::parameters:
            return "parameters";
        case MemoryKind::gradients:
            return "gradients";
        case MemoryKind::optimizerState:
            return "optimizer state";
        case MemoryKind::weightVersions:
            return "weight versions";
        case MemoryKind::activations:
            return "activations";
        case MemoryKind::buffers:
            return "buffers";
    }
    return "?";
}

double MemoryCurve::totalAt(std::size_t step) const {
    double total = 0;
    for (const std::vector<double>& series : bytes) total += series[step];
    return total;
}

std::size_t MemoryCurve::stepAt(double instantS) const {
    const auto after = std::upper_bound(timeS.begin(), timeS.end(), instantS);
    return after == timeS.begin() ? 0 : static_cast<std::size_t>(after - timeS.begin()) - 1;
}

std::size_t MemoryCurve::peakStep() const {
    std::size_t peak = 0;
    for (std::size_t step = 1; step < timeS.size(); ++step)
        if (totalAt(step) > totalAt(peak)) peak = step;
    return peak;
}

namespace {

/// A change of one series of one device at an instant. Releases of an instant come before what is taken then.
struct Change {
    double atS = 0;
    MemoryKind kind = MemoryKind::activations;
    double bytes = 0;
};

class CurveBuilder {
public:
    CurveBuilder(const CostModel& costs, const Plan& plan, const Timeline& timeline)
        : costs_(costs),
          plan_(plan),
          timeline_(timeline),
          steady_(static_cast<std::size_t>(costs.deviceCount())),
          changes_(static_cast<std::size_t>(costs.deviceCount())) {}

    std::vector<MemoryCurve> build() {
        for (int stage = 0; stage < plan_.stageCount(); ++stage) addWeights(stage);
        for (const StageEdge& edge : costs_.stageEdges(plan_)) edges_[{edge.from, edge.to}] = edge;
        for (int stage = 0; stage < plan_.stageCount(); ++stage) holdings_.push_back(holdingOf(stage));
        if (plan_.memory.reserveBuffers) reserveBuffers();
        for (const Lane& lane : timeline_.lanes)
            for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block) addBlock(lane, block);
        if (stashes()) addStashes();
        std::vector<MemoryCurve> curves;
        for (int device = 0; device < costs_.deviceCount(); ++device) curves.push_back(curveOf(device));
        return curves;
    }

private:
    /// What one microbatch in flight keeps on each device of a stage.
    struct Holding {
        double kept = 0;        ///< layers that are kept
        double recomputed = 0;  ///< back at the start of the recompute block
        double input = 0;       ///< held in their stead until then
        double swapped = 0;
    };

    const Stage& stageOf(int stage) const { return plan_.stages[static_cast<std::size_t>(stage)]; }
    double share(const Stage& stage) const {
        return stage.replication == Replication::split ? static_cast<double>(stage.devices.size()) : 1;
    }
    double& steady(int device, MemoryKind kind) {
        return steady_[static_cast<std::size_t>(device)][static_cast<std::size_t>(kind)];
    }

    /// Versions of the weights that a stage keeps throughout; stashed ones come and go on top (addStashes).
    int versions(int stage) const {
        if (!plan_.weights.versions.empty()) return plan_.weights.versions[static_cast<std::size_t>(stage)];
        return plan_.weights.kind == WeightPolicyKind::doubleBuffer ? 2 : 1;
    }

    bool stashes() const {
        return plan_.weights.versions.empty() && plan_.weights.kind != WeightPolicyKind::doubleBuffer;
    }

    void addWeights(int index) {
        const Stage& stage = stageOf(index);
        const double bytes = costs_.parameterBytes(stage.firstLayer, stage.lastLayer);
        for (const int device : stage.devices) {
            steady(device, MemoryKind::parameters) += bytes;
            steady(device, MemoryKind::gradients) += bytes;
            steady(device, MemoryKind::optimizerState) +=
                optimizerStateFactor(costs_.problem().setup.optimizer) * bytes;
            steady(device, MemoryKind::weightVersions) += (versions(index) - 1) * bytes;
        }
    }

    Holding holdingOf(int index) const {
        const Stage& stage = stageOf(index);
        Holding holding;
        for (int layer = stage.firstLayer; layer <= stage.lastLayer; ++layer) {
            const double bytes = costs_.storedActivationBytes(layer, layer) / share(stage);
            switch (plan_.layerMemory(layer)) {
                case LayerMemory::keep:
                    holding.kept += bytes;
                    break;
                case LayerMemory::recompute:
                    holding.recomputed += bytes;
                    break;
                case LayerMemory::swap:
                    holding.swapped += bytes;
                    break;
            }
        }
        // What comes into the stage; a tensor that passes it by on its way to a later one is not held here.
        for (const auto& [ends, edge] : edges_)
            if (holding.recomputed > 0 && ends.second == index)
                holding.input += edge.forwardBytes / share(stage);
        return holding;
    }

    void addStashes() {
        for (const StashedVersion& stash : stashedVersions(plan_, timeline_)) {
            const Stage& stage = stageOf(stash.stage);
            const double bytes = costs_.parameterBytes(stage.firstLayer, stage.lastLayer);
            change(stash.devices, stash.fromS, MemoryKind::weightVersions, bytes);
            change(stash.devices, stash.untilS, MemoryKind::weightVersions, -bytes);
        }
    }

    /// MadPipe: 2(a_{k-1} + a_l) throughout, where there is a neighbour (MadPipe 4.2).
    void reserveBuffers() {
        for (const Stage& stage : plan_.stages) {
            double bytes = 0;
            if (stage.firstLayer > 0) bytes += 2 * costs_.cutForwardBytes(stage.firstLayer - 1);
            if (stage.lastLayer + 1 < costs_.layerCount())
                bytes += 2 * costs_.cutForwardBytes(stage.lastLayer);
            for (const int device : stage.devices)
                steady(device, MemoryKind::buffers) += bytes / share(stage);
        }
    }

    void change(const std::vector<int>& devices, double atS, MemoryKind kind, double bytes) {
        if (bytes == 0) return;
        for (const int device : devices)
            changes_[static_cast<std::size_t>(device)].push_back({atS, kind, bytes});
    }

    void addBlock(const Lane& lane, std::uint32_t block) {
        const double startS = timeline_.startS[block], endS = timeline_.endS[block];
        const int stage = timeline_.stage[block];
        const Holding& holding = holdings_[static_cast<std::size_t>(stage)];
        const double whole = holding.kept + holding.recomputed + holding.swapped;
        const bool split = plan_.schedule.splitBackward;
        switch (timeline_.kind[block]) {
            case BlockKind::forward:
                change(lane.devices, startS, MemoryKind::activations,
                       holding.kept + holding.input + holding.swapped);
                break;
            case BlockKind::recompute:
                change(lane.devices, startS, MemoryKind::activations, holding.recomputed - holding.input);
                break;
            case BlockKind::backward:
                // With a split backward half is needed until the weight gradient's end.
                change(lane.devices, endS, MemoryKind::activations, split ? -whole / 2 : -whole);
                break;
            case BlockKind::weightGradient:
                change(lane.devices, endS, MemoryKind::activations, -whole / 2);
                break;
            case BlockKind::swapOut:
                change(lane.devices, endS, MemoryKind::activations, -holding.swapped);
                break;
            case BlockKind::swapIn:
                change(lane.devices, startS, MemoryKind::activations, holding.swapped);
                break;
            case BlockKind::transferForward:
            case BlockKind::transferBackward:
                if (!plan_.memory.reserveBuffers) addTransferBuffers(lane, block);
                break;
            case BlockKind::allReduce:
            case BlockKind::update:
                break;
        }
    }

    /// A send and a receive buffer of the bytes moved, spread over the devices of each side.
    void addTransferBuffers(const Lane& lane, std::uint32_t block) {
        const double startS = timeline_.startS[block], endS = timeline_.endS[block];
        if (endS == startS) return;
        const bool gradient = timeline_.kind[block] == BlockKind::transferBackward;
        const StageEdge* edge = edgeOf(lane, timeline_.stage[block], gradient);
        if (!edge) return;
        const double bytes = gradient ? edge->backwardBytes : edge->forwardBytes;
        for (const int stage : {edge->from, edge->to}) {
            const std::vector<int> devices = onLane(stageOf(stage), lane);
            const double each = bytes / static_cast<double>(devices.size());
            change(devices, startS, MemoryKind::buffers, each);
            change(devices, endS, MemoryKind::buffers, -each);
        }
    }

    /// The edge whose sender is `sender` and whose other end is on the lane's devices.
    const StageEdge* edgeOf(const Lane& lane, int sender, bool gradient) const {
        const StageEdge* best = nullptr;
        for (const auto& [ends, edge] : edges_) {
            if ((gradient ? edge.to : edge.from) != sender) continue;
            if (onLane(stageOf(gradient ? edge.from : edge.to), lane).empty()) continue;
            if (!best || (edge.from == lane.fromStage && edge.to == lane.toStage)) best = &edge;
        }
        return best;
    }

    /// All devices of a split stage, the replica at work of a round-robin one.
    static std::vector<int> onLane(const Stage& stage, const Lane& lane) {
        std::vector<int> devices;
        for (const int device : stage.devices)
            if (std::find(lane.devices.begin(), lane.devices.end(), device) != lane.devices.end())
                devices.push_back(device);
        return devices;
    }

    MemoryCurve curveOf(int device) {
        std::vector<Change>& changes = changes_[static_cast<std::size_t>(device)];
        std::stable_sort(changes.begin(), changes.end(),
                         [](const Change& a, const Change& b) { return a.atS < b.atS; });
        MemoryCurve curve;
        curve.device = device;
        curve.limitBytes = costs_.problem().memoryLimitBytes(device);
        std::array<double, memoryKindCount> level = steady_[static_cast<std::size_t>(device)];
        const auto addStep = [&](double atS) {
            curve.timeS.push_back(atS);
            for (std::size_t kind = 0; kind < level.size(); ++kind) curve.bytes[kind].push_back(level[kind]);
        };
        addStep(0);
        for (std::size_t next = 0; next < changes.size();) {
            const double atS = changes[next].atS;
            // All of an instant together: what leaves then makes room for what comes.
            for (; next < changes.size() && changes[next].atS == atS; ++next) {
                double& series = level[static_cast<std::size_t>(changes[next].kind)];
                series += changes[next].bytes;
                if (std::abs(series) < 1e-6 * std::abs(changes[next].bytes))
                    series = 0;  // rounding left over
            }
            if (atS == curve.timeS.back())
                for (std::size_t kind = 0; kind < level.size(); ++kind)
                    curve.bytes[kind].back() = level[kind];
            else
                addStep(atS);
        }
        return curve;
    }

    const CostModel& costs_;
    const Plan& plan_;
    const Timeline& timeline_;
    std::vector<std::array<double, memoryKindCount>> steady_;
    std::vector<std::vector<Change>> changes_;
    std::vector<Holding> holdings_;
    std::map<std::pair<int, int>, StageEdge> edges_;
};

}  // namespace

std::vector<MemoryCurve> memoryCurves(const CostModel& costs, const Plan& plan, const Timeline& timeline) {
    return CurveBuilder(costs, plan, timeline).build();
}

}  // namespace stagecraft
