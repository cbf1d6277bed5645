#pragma once

#include "core/planners/vpipe/stage_memory.h"

#include <limits>

namespace stagecraft::planners::vpipe {

/// Looks for a choice for a stage that fits when Algorithm 2 finds none. What a choice takes is for the
/// simulation to say: first of those that may take least by Eq. (1), then of the best one's neighbours, which
/// treat one layer in another way, those with most activations first, until no neighbour takes less.
class LeanSearch {
public:
    LeanSearch() = default;
    /// @param stage without anything reserved, and with its host link, which swaps need
    explicit LeanSearch(const LocalStage& stage);

    /// The choice to simulate next; of a search that is over the best one.
    const LayerOps& current() const { return current_; }
    /// What it took was too much.
    void exceeded(double peakBytes);
    bool isOver() const { return over_; }
    double leastPeakBytes() const { return leastPeakBytes_; }

private:
    void takeNext();
    LayerOps neighbour(std::size_t index) const;

    std::vector<LayerOps> starts_;     ///< not simulated yet, the last one first
    std::vector<std::size_t> layers_;  ///< with activations, most first
    std::size_t ways_ = 1;             ///< in which a layer can be treated otherwise
    LayerOps current_, best_;
    double leastPeakBytes_ = std::numeric_limits<double>::infinity();
    std::size_t nextNeighbour_ = 0;
    bool over_ = false;
};

}  // namespace stagecraft::planners::vpipe
