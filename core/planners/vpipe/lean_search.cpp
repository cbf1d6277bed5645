#include "core/planners/vpipe/lean_search.h"

#include <algorithm>

namespace stagecraft::planners::vpipe {

LeanSearch::LeanSearch(const LocalStage& stage) : starts_(leanestOps(stage)) {
    for (std::size_t layer = 0; layer < stage.layers.size(); ++layer)
        if (stage.layers[layer].activationBytes > 0) layers_.push_back(layer);
    std::stable_sort(layers_.begin(), layers_.end(), [&](std::size_t a, std::size_t b) {
        return stage.layers[a].activationBytes > stage.layers[b].activationBytes;
    });
    if (stage.hostBandwidthBps > 0) ways_ = 2;
    std::reverse(starts_.begin(), starts_.end());
    takeNext();
}

void LeanSearch::exceeded(double peakBytes) {
    if (peakBytes < leastPeakBytes_) {
        leastPeakBytes_ = peakBytes;
        best_ = current_;
        nextNeighbour_ = 0;
    }
    takeNext();
}

void LeanSearch::takeNext() {
    if (!starts_.empty()) {
        current_ = std::move(starts_.back());
        starts_.pop_back();
    } else if (nextNeighbour_ < ways_ * layers_.size()) {
        current_ = neighbour(nextNeighbour_++);
    } else {
        over_ = true;
        current_ = best_;
    }
}

LayerOps LeanSearch::neighbour(std::size_t index) const {
    std::vector<LayerMemory> others = {LayerMemory::keep, LayerMemory::recompute};
    if (ways_ == 2) others.push_back(LayerMemory::swap);
    LayerOps ops = best_;
    LayerMemory& own = ops[layers_[index / ways_]];
    std::erase(others, own);
    own = others[index % ways_];
    return ops;
}

}  // namespace stagecraft::planners::vpipe
