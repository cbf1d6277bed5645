#pragma once

#include "core/base/rooms.h"
#include "core/training/layers.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace stagecraft::training {

struct Samples {
    Matrix values;  ///< a column each
    std::vector<int> labels;

    int count() const { return static_cast<int>(labels.size()); }
};

/// Samples to learn from and samples to be measured on.
struct DataSet {
    Samples training, validation;
    int classes = 0;
    int imageSide = 0;  ///< 0: no images
};

/// The handwritten digits that ship with Stagecraft (samples/data/README.md): 8 x 8 pixels, values from 0 to
/// 1. Every fifth is for validation: 1,437 and 360. The writers are the same in both.
const DataSet& digits();

/// Points on three spiral arms with some noise, 600 to train on and 300 others to validate on; coordinates
/// from -1 to 1. The same seed gives the same.
DataSet spirals(std::uint64_t seed);

/// samples/data/digits.csv, which the build compiles in.
std::string_view digitsCsv();

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
