#include "core/planners/vpipe/swap_recompute.h"

#include <algorithm>
#include <deque>
#include <limits>

namespace stagecraft::planners::vpipe {

namespace {

/// Lines 2 to 9: what each layer costs less in, and what that gains.
void weigh(const LocalStage& stage, SwapRecompute& result) {
    for (const LocalLayer& layer : stage.layers) {
        const double swapS = stage.hostBandwidthBps > 0 ? layer.activationBytes / stage.hostBandwidthBps
                                                        : std::numeric_limits<double>::infinity();
        const bool recompute = swapS > layer.forwardS;
        const double costS = recompute ? layer.forwardS : swapS;
        result.preferred.push_back(recompute ? LayerMemory::recompute : LayerMemory::swap);
        // By division through 1/P the gain of a swap would be P only up to rounding, and ties would break.
        result.gains.push_back(layer.activationBytes == 0 ? 0
                               : !recompute               ? stage.hostBandwidthBps
                               : costS > 0                ? layer.activationBytes / costS
                                                          : std::numeric_limits<double>::infinity());
    }
}

/// By gain, the largest first; ties by index.
std::deque<std::size_t> sortedByGain(const LocalStage& stage, const SwapRecompute& result) {
    std::deque<std::size_t> sorted;
    for (std::size_t i = 0; i < stage.layers.size(); ++i)
        if (stage.layers[i].activationBytes > 0) sorted.push_back(i);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](std::size_t a, std::size_t b) { return result.gains[a] > result.gains[b]; });
    return sorted;
}

}  // namespace

SwapRecompute swapAndRecompute(const LocalStage& stage, const SwapRecomputeOptions& options) {
    SwapRecompute result;
    result.ops.assign(stage.layers.size(), LayerMemory::keep);
    weigh(stage, result);
    std::deque<std::size_t> sorted = sortedByGain(stage, result);
    const auto fits = [&] { return memoryBytes(stage, result.ops) <= stage.limitBytes; };

    double space = stage.hostBandwidthBps * (stage.forwardS() + stage.backwardS());
    const double copies = options.chargesRank ? stage.rank : 2;
    while (stage.hostBandwidthBps > 0 && !sorted.empty() && (options.eagerSwap || !fits())) {
        const double need = copies * stage.layers[sorted.front()].activationBytes;
        if (options.overshoots ? space < 0 : space - need < 0) break;
        result.ops[sorted.front()] = LayerMemory::swap;
        space -= need;
        sorted.pop_front();
    }
    for (; !sorted.empty() && !fits(); sorted.pop_front())
        result.ops[sorted.front()] = result.preferred[sorted.front()];
    result.fits = fits();
    result.memoryBytes = memoryBytes(stage, result.ops);
    result.times = stageTimes(stage, result.ops);
    return result;
}

}  // namespace stagecraft::planners::vpipe
