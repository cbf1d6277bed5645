#include "core/training/small_network.h"

#include <cmath>
#include <stdexcept>

namespace stagecraft::training {

SmallNetwork::SmallNetwork(std::vector<std::shared_ptr<const TrainedLayer>> layers)
    : layers_(std::move(layers)), first_{0} {
    for (const auto& layer : layers_) first_.push_back(first_.back() + layer->weightCount());
}

Vector SmallNetwork::initialWeights(std::uint64_t seed) const {
    PortableRandom random(seed);
    Vector weights(weightCount());
    for (int index = 0; index < layerCount(); ++index)
        layer(index).initialise(random, weights.segment(firstWeight(index), layer(index).weightCount()));
    return weights;
}

Matrix SmallNetwork::scores(const Vector& weights, const Matrix& samples) const {
    Matrix values = samples;
    for (int index = 0; index < layerCount(); ++index) {
        Kept kept;
        values = layer(index).forward(weights.segment(firstWeight(index), layer(index).weightCount()), values,
                                      kept);
    }
    return values;
}

SmallNetwork perceptron(int inputs, int classes, int layers, int width) {
    if (layers < 1) throw std::invalid_argument("a perceptron needs at least one layer");
    std::vector<std::shared_ptr<const TrainedLayer>> chain;
    for (int index = 0; index + 1 < layers; ++index)
        chain.push_back(denseLayer(index == 0 ? inputs : width, width, true));
    chain.push_back(denseLayer(layers == 1 ? inputs : width, classes, false));
    return SmallNetwork(std::move(chain));
}

SmallNetwork convolutionalNetwork(int side, int classes, int layers) {
    if (layers < 2) throw std::invalid_argument("a convolutional network needs at least two layers");
    std::vector<std::shared_ptr<const TrainedLayer>> chain;
    int channels = 1;
    for (int index = 0; index + 1 < layers; ++index) {
        const ConvolutionShape shape{side, channels, index == 0 ? 8 : 16, index == 0 && side % 2 == 0};
        chain.push_back(convolutionLayer(shape));
        channels = shape.outputChannels;
        if (shape.pooled) side /= 2;
    }
    chain.push_back(denseLayer(side * side * channels, classes, false));
    return SmallNetwork(std::move(chain));
}

Loss lossOf(const Matrix& scores, std::span<const int> labels) {
    Loss loss;
    for (Eigen::Index sample = 0; sample < scores.cols(); ++sample) {
        Eigen::Index best = 0;
        const double largest = scores.col(sample).maxCoeff(&best);
        double sum = 0;
        for (Eigen::Index each = 0; each < scores.rows(); ++each)
            sum += std::exp(scores(each, sample) - largest);
        const int label = labels[static_cast<std::size_t>(sample)];
        loss.sum += std::log(sum) - (scores(label, sample) - largest);
        loss.correct += best == label ? 1 : 0;
    }
    return loss;
}

Matrix lossGradient(const Matrix& scores, std::span<const int> labels) {
    Matrix gradient(scores.rows(), scores.cols());
    for (Eigen::Index sample = 0; sample < scores.cols(); ++sample) {
        const double largest = scores.col(sample).maxCoeff();
        double sum = 0;
        for (Eigen::Index each = 0; each < scores.rows(); ++each)
            sum += gradient(each, sample) = std::exp(scores(each, sample) - largest);
        gradient.col(sample) /= sum;
        gradient(labels[static_cast<std::size_t>(sample)], sample) -= 1;
    }
    return gradient;
}

}  // namespace stagecraft::training
