#include "core/planners/vpipe/stage_memory.h"

#include <algorithm>
#include <limits>

namespace stagecraft::planners::vpipe {

LocalLayer localLayer(double forwardS, double backwardS, double parameterBytes, double activationBytes,
                      System system, bool paramsResident) {
    LocalLayer layer{forwardS, backwardS, activationBytes, parameterBytes, activationBytes, 0};
    if (system == System::synchronous) return layer;
    layer.constantBytes = 0;
    (paramsResident ? layer.residentBytes : layer.dependentBytes) += parameterBytes;
    return layer;
}

double LocalStage::forwardS() const {
    double sum = 0;
    for (const LocalLayer& layer : layers) sum += layer.forwardS;
    return sum;
}

double LocalStage::backwardS() const {
    double sum = 0;
    for (const LocalLayer& layer : layers) sum += layer.backwardS;
    return sum;
}

double memoryBytes(const LocalStage& stage, const LayerOps& ops) {
    double bytes = 0;
    bool recomputes = false;
    for (std::size_t i = 0; i < ops.size(); ++i) {
        const LocalLayer& layer = stage.layers[i];
        bytes += layer.constantBytes + stage.rank * layer.residentBytes;
        switch (ops[i]) {
            case LayerMemory::keep:
                bytes += stage.rank * layer.dependentBytes;
                break;
            case LayerMemory::recompute:
                bytes += stage.recomputedCopies * layer.activationBytes;
                recomputes = true;
                break;
            case LayerMemory::swap:
                bytes += stage.swappedCopies * layer.activationBytes;
                break;
            case LayerMemory::selective:
            case LayerMemory::checkpoint:  // which Algorithm 2 does not choose
                break;
        }
    }
    return recomputes ? bytes + stage.rank * stage.inputBytes : bytes;
}

std::vector<LayerOps> leanestOps(const LocalStage& stage) {
    std::vector<LayerOps> choices;
    for (const bool mayRecompute : {false, true})
        for (const bool maySwap : {false, true}) {
            if (maySwap && !(stage.hostBandwidthBps > 0)) continue;
            LayerOps ops;
            for (const LocalLayer& layer : stage.layers) {
                ops.push_back(LayerMemory::keep);
                double least = stage.rank * layer.dependentBytes;
                const auto offer = [&](LayerMemory op, double copies) {
                    if (!(copies * layer.activationBytes < least)) return;
                    least = copies * layer.activationBytes;
                    ops.back() = op;
                };
                if (mayRecompute) offer(LayerMemory::recompute, stage.recomputedCopies);
                if (maySwap) offer(LayerMemory::swap, stage.swappedCopies);
            }
            if (std::find(choices.begin(), choices.end(), ops) == choices.end()) choices.push_back(ops);
        }
    for (const LayerMemory op : {LayerMemory::recompute, LayerMemory::swap}) {
        const LayerOps all(stage.layers.size(), op);
        const bool possible = op == LayerMemory::recompute || stage.hostBandwidthBps > 0;
        if (possible && std::find(choices.begin(), choices.end(), all) == choices.end())
            choices.push_back(all);
    }
    std::stable_sort(choices.begin(), choices.end(), [&](const LayerOps& a, const LayerOps& b) {
        return memoryBytes(stage, a) < memoryBytes(stage, b);
    });
    return choices;
}

StageTimes stageTimes(const LocalStage& stage, const LayerOps& ops) {
    StageTimes times{stage.forwardS(), stage.backwardS(), 0, 0};
    double swapped = 0;
    for (std::size_t i = 0; i < ops.size(); ++i) {
        if (ops[i] == LayerMemory::recompute) times.recomputeS += stage.layers[i].forwardS;
        if (ops[i] == LayerMemory::swap) swapped += stage.layers[i].activationBytes;
    }
    times.backwardS += times.recomputeS;
    if (swapped > 0) {
        const double outAndInS = stage.hostBandwidthBps > 0 ? 2 * swapped / stage.hostBandwidthBps
                                                            : std::numeric_limits<double>::infinity();
        times.stallS = std::max(0.0, outAndInS - times.totalS());
    }
    times.backwardS += times.stallS;
    return times;
}

}  // namespace stagecraft::planners::vpipe
