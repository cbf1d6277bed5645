#pragma once

#include "core/training/matrix.h"

#include <cstdint>
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

}  // namespace stagecraft::training
