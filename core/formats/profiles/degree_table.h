#pragma once

#include "core/formats/native/formats.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace stagecraft::formats {

/// Times of all layers of a network on so many tensor-parallel ranks, for microbatches of so many samples, as
/// programs write them that measure one run after the other. What ranks send each other is in them.
class DegreeTable {
public:
    /// @param degree 1: on one GPU
    /// @return false if there are times of that already
    bool add(int degree, int samples, std::vector<LayerTimes> times);
    bool isEmpty() const { return times_.empty(); }
    /// The least degree of all, of which the whole layers' numbers are.
    int leastDegree() const { return times_.begin()->first.first; }
    bool hasDegree(int degree) const;

    /// Gives the layers of the profile, as many as there are times, what was measured: the least size on the
    /// least degree as its own, the others of that degree as other sizes, and the rest as Layer::onRanks.
    /// Where nothing was measured on one GPU, it is as long as all of the fewest that were, and a note says
    /// so.
    std::vector<ImportNote> fill(LayerProfile& profile) const;
    /// Gives the layers of a profile that has been filled what was measured on another type of GPU.
    std::vector<ImportNote> fillOn(const std::string& gpu, LayerProfile& profile) const;

private:
    std::map<std::pair<int, int>, std::vector<LayerTimes>> times_;  // by degree and samples
};

/// Forward and backward together, where a source has their sum: a third and two thirds.
LayerTimes timesOfSum(double bothS);
/// That half of it is the weight gradient's, as nothing else is known.
LayerTimes timesOfParts(double forwardS, double backwardS);

}  // namespace stagecraft::formats
