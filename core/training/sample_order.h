#pragma once

#include "core/training/data_set.h"

#include <cstdint>
#include <vector>

namespace stagecraft::training {

struct Batch {
    Matrix values;
    std::vector<int> labels;
};

/// In which order samples come: drawn anew for each epoch, the same for the same seed.
class SampleOrder {
public:
    SampleOrder(const Samples& samples, std::uint64_t seed, int batchSize, int microbatches);

    int iterationsPerEpoch() const { return samples_.count() / batchSize_; }
    /// The samples of one microbatch: mini-batches follow one another, and each is dealt out evenly.
    Batch batch(int iteration, int microbatch);

private:
    const std::vector<int>& orderOf(int epoch);

    const Samples& samples_;
    std::uint64_t seed_;
    int batchSize_, microbatches_;
    std::vector<std::vector<int>> orders_;  // by epoch; empty: not yet drawn
};

}  // namespace stagecraft::training
