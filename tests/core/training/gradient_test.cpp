// Gradients against finite differences.
#include "core/training/small_network.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace stagecraft::training {
namespace {

Matrix randomMatrix(PortableRandom& random, int rows, int columns) {
    Matrix made(rows, columns);
    for (Eigen::Index i = 0; i < made.size(); ++i) made.data()[i] = 2 * random.unit() - 1;
    return made;
}

/// The derivative of `value` by each of the numbers, by central differences.
template <typename Numbers>
Numbers byDifferences(Numbers at, const std::function<double(const Numbers&)>& value) {
    constexpr double step = 1e-6;
    Numbers derivative = at;
    for (Eigen::Index i = 0; i < at.size(); ++i) {
        const double was = at.data()[i];
        at.data()[i] = was + step;
        const double above = value(at);
        at.data()[i] = was - step;
        derivative.data()[i] = (above - value(at)) / (2 * step);
        at.data()[i] = was;
    }
    return derivative;
}

/// The layer's output, weighted at random and summed, differentiated by weights and input.
void checkLayer(const TrainedLayer& layer, std::uint64_t seed) {
    constexpr int samples = 3;
    PortableRandom random(seed);
    const Vector weights = randomMatrix(random, layer.weightCount(), 1);
    const Matrix input = randomMatrix(random, layer.inputs(), samples);
    const Matrix factors = randomMatrix(random, layer.outputs(), samples);
    const auto value = [&](const Vector& w, const Matrix& x) {
        Kept kept;
        return layer.forward(w, x, kept).cwiseProduct(factors).sum();
    };

    Kept kept;
    ASSERT_EQ(layer.forward(weights, input, kept).rows(), layer.outputs());
    Vector gradient = Vector::Ones(layer.weightCount());  // what is there is added to
    const Matrix inputGradient = layer.backward(weights, kept, factors, gradient);
    gradient.array() -= 1;

    const Vector expected = byDifferences<Vector>(weights, [&](const Vector& w) { return value(w, input); });
    const Matrix expectedInput =
        byDifferences<Matrix>(input, [&](const Matrix& x) { return value(weights, x); });
    EXPECT_LT((gradient - expected).cwiseAbs().maxCoeff(), 1e-7);
    EXPECT_LT((inputGradient - expectedInput).cwiseAbs().maxCoeff(), 1e-7);
    EXPECT_GT(expected.cwiseAbs().maxCoeff(), 0.1);  // there is something to compare
}

TEST(Gradients, OfDenseLayersAreThoseOfFiniteDifferences) {
    checkLayer(*denseLayer(5, 4, false), 1);
    checkLayer(*denseLayer(5, 4, true), 2);
}

TEST(Gradients, OfConvolutionsAreThoseOfFiniteDifferences) {
    checkLayer(*convolutionLayer({4, 1, 2, false}), 3);
    checkLayer(*convolutionLayer({4, 2, 3, true}), 4);
    checkLayer(*convolutionLayer({5, 2, 2, false}), 5);
}

TEST(Gradients, OfWholeNetworksAreThoseOfFiniteDifferences) {
    const std::vector<int> labels = {1, 0, 2};
    for (const SmallNetwork& network : {perceptron(6, 3, 4, 5), convolutionalNetwork(4, 3, 3)}) {
        PortableRandom random(6);
        const Vector weights = network.initialWeights(7);
        const Matrix samples = randomMatrix(random, network.inputs(), 3);
        const auto loss = [&](const Vector& w) { return lossOf(network.scores(w, samples), labels).sum; };

        std::vector<Kept> kept(static_cast<std::size_t>(network.layerCount()));
        Matrix values = samples;
        const auto part = [&](const auto& all, int layer) {
            return all.segment(network.firstWeight(layer), network.layer(layer).weightCount());
        };
        for (int layer = 0; layer < network.layerCount(); ++layer)
            values = network.layer(layer).forward(part(weights, layer), values,
                                                  kept[static_cast<std::size_t>(layer)]);
        Vector gradient = Vector::Zero(network.weightCount());
        Matrix back = lossGradient(values, labels);
        for (int layer = network.layerCount() - 1; layer >= 0; --layer)
            back = network.layer(layer).backward(
                part(weights, layer), kept[static_cast<std::size_t>(layer)], back,
                gradient.segment(network.firstWeight(layer), network.layer(layer).weightCount()));
        EXPECT_LT((gradient - byDifferences<Vector>(weights, loss)).cwiseAbs().maxCoeff(), 1e-7);
    }
}

TEST(Loss, IsTheCrossEntropyOfTheSoftmax) {
    Matrix scores(3, 2);
    scores << 1, 0, 2, 0, 3, 1000;  // the second would overflow
    const std::vector<int> labels = {2, 0};
    const Loss loss = lossOf(scores, labels);
    EXPECT_NEAR(loss.sum, std::log(std::exp(1) + std::exp(2) + std::exp(3)) - 3 + 1000, 1e-9);
    EXPECT_EQ(loss.correct, 1);
}

}  // namespace
}  // namespace stagecraft::training
