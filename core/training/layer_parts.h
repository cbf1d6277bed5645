#pragma once

#include "core/training/layer.h"

namespace stagecraft::training {

/// The weights of a layer as they are stored: the matrix column by column, then the offsets.
struct ConstFilter {
    ConstFilter(const ConstVectorView& weights, int rows, int columns)
        : matrix(weights.data(), rows, columns), offset(weights.data() + rows * columns, rows) {}
    Eigen::Map<const Matrix> matrix;
    Eigen::Map<const Vector> offset;
};

void initialiseFilter(PortableRandom& random, VectorView weights, int rows, int columns);
/// Of y = W x + b summed over the columns of both.
void addFilterGradient(VectorView gradient, const Matrix& outputGradient, const Matrix& input);
/// Sets what is negative to 0 and notes where.
void rectify(Matrix& values, Matrix& active);

}  // namespace stagecraft::training
