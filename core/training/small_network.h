#pragma once

#include "core/training/layers.h"

#include <cstdint>
#include <span>
#include <vector>

namespace stagecraft::training {

/// A chain of layers that ends in the scores of the classes. All weights are in one vector, layer after
/// layer.
class SmallNetwork {
public:
    explicit SmallNetwork(std::vector<std::shared_ptr<const TrainedLayer>> layers);

    int layerCount() const { return static_cast<int>(layers_.size()); }
    int inputs() const { return layers_.front()->inputs(); }
    int classes() const { return layers_.back()->outputs(); }
    const TrainedLayer& layer(int index) const { return *layers_[static_cast<std::size_t>(index)]; }
    /// Where a layer's weights begin; for layerCount() the number of all weights.
    Eigen::Index firstWeight(int layer) const { return first_[static_cast<std::size_t>(layer)]; }
    Eigen::Index weightCount() const { return first_.back(); }

    /// The same seed gives the same weights.
    Vector initialWeights(std::uint64_t seed) const;
    Matrix scores(const Vector& weights, const Matrix& samples) const;

private:
    std::vector<std::shared_ptr<const TrainedLayer>> layers_;
    std::vector<Eigen::Index> first_;
};

/// `layers` dense layers, all but the last of `width` units.
/// @throws std::invalid_argument if there are fewer than 1
SmallNetwork perceptron(int inputs, int classes, int layers, int width);
/// Convolutions, the first with 8 channels and halving an even side, the others with 16, then a dense layer.
/// @throws std::invalid_argument if there are fewer than 2 layers
SmallNetwork convolutionalNetwork(int side, int classes, int layers);

/// Softmax and cross-entropy, summed over the samples.
struct Loss {
    double sum = 0;
    int correct = 0;  ///< samples whose own class has the highest score
};
Loss lossOf(const Matrix& scores, std::span<const int> labels);
/// The gradient of the sum by the scores.
Matrix lossGradient(const Matrix& scores, std::span<const int> labels);

}  // namespace stagecraft::training
