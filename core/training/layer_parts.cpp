#include "core/training/layer_parts.h"

#include <cmath>

namespace stagecraft::training {

void initialiseFilter(PortableRandom& random, VectorView weights, int rows, int columns) {
    const double bound = std::sqrt(6.0 / columns);
    const Eigen::Index count = Eigen::Index{rows} * columns;
    for (Eigen::Index i = 0; i < count; ++i) weights[i] = bound * (2 * random.unit() - 1);
    weights.tail(rows).setZero();
}

void addFilterGradient(VectorView gradient, const Matrix& outputGradient, const Matrix& input) {
    const Eigen::Index rows = outputGradient.rows(), columns = input.rows();
    Eigen::Map<Matrix>(gradient.data(), rows, columns).noalias() += outputGradient * input.transpose();
    gradient.tail(rows) += outputGradient.rowwise().sum();
}

void rectify(Matrix& values, Matrix& active) {
    active = (values.array() > 0).cast<double>();
    values = values.cwiseMax(0);
}

}  // namespace stagecraft::training
