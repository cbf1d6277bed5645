#pragma once

#include "core/cost/cost_model.h"

#include <string>
#include <vector>

namespace stagecraft::planners {

/// What MadPipe sees of a problem (MadPipe Sec. 3): a chain of links on processors of one speed, one memory
/// and one bandwidth. A link is a layer, or several of which some tensor skips one, so that no cut between
/// them would leave a chain.
struct MadPipeChain {
    // By link; of a transfer and its buffer: of what is after the link, none after the last.
    std::vector<double> forwardS, backwardS;
    std::vector<double> weightBytes;  ///< 3W: two versions and a gradient, and the optimizer's state
    std::vector<double> storedBytes;  ///< a_{i-1}: of one active batch
    std::vector<double> transferS;    ///< C(l): activation and gradient over one half-duplex link
    std::vector<double> bufferBytes;  ///< 2 a_l
    std::vector<int> lastLayer;       ///< of the profile

    /// To be called once the columns are filled.
    void sumUp();
    int links() const { return static_cast<int>(forwardS.size()); }
    int firstLayer(int link) const {
        return link == 0 ? 0 : lastLayer[static_cast<std::size_t>(link) - 1] + 1;
    }
    /// U(first, last), both included.
    double loadS(int first, int last) const {
        return loadSums_[static_cast<std::size_t>(last) + 1] - loadSums_[static_cast<std::size_t>(first)];
    }
    double totalS() const { return loadSums_.back(); }
    /// U(1, L) and all transfers: a batch by itself, each link on a processor of its own (E-MP-5).
    double latestS() const;
    /// M(first, last, batches) of MadPipe 4.2.1 (E-MP-2).
    double memoryBytes(int first, int last, int batches) const {
        const auto from = static_cast<std::size_t>(first), to = static_cast<std::size_t>(last);
        return weightSums_[to + 1] - weightSums_[from] + batches * (storedSums_[to + 1] - storedSums_[from]) +
               (first > 0 ? bufferBytes[from - 1] : 0) + bufferBytes[to];
    }

private:
    std::vector<double> loadSums_, weightSums_, storedSums_;
};

/// The chain of a problem: the slowest device's speed and the smallest bandwidth between any two devices.
MadPipeChain madPipeChain(const CostModel& costs);

}  // namespace stagecraft::planners
