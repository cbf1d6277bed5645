#include "core/training/layers.h"

#include <cmath>
#include <stdexcept>

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

namespace {

class DenseLayer final : public TrainedLayer {
public:
    DenseLayer(int inputs, int outputs, bool rectified)
        : inputs_(inputs), outputs_(outputs), rectified_(rectified) {}

    int inputs() const override { return inputs_; }
    int outputs() const override { return outputs_; }
    int weightCount() const override { return outputs_ * (inputs_ + 1); }
    void initialise(PortableRandom& random, VectorView weights) const override {
        initialiseFilter(random, weights, outputs_, inputs_);
    }

    Matrix forward(ConstVectorView weights, const Matrix& input, Kept& kept) const override {
        const ConstFilter filter(weights, outputs_, inputs_);
        kept.input = input;
        Matrix output = (filter.matrix * input).colwise() + filter.offset;
        if (rectified_) rectify(output, kept.active);
        return output;
    }

    Matrix backward(ConstVectorView weights, const Kept& kept, const Matrix& outputGradient,
                    VectorView gradient) const override {
        const ConstFilter filter(weights, outputs_, inputs_);
        if (!rectified_) return through(filter, kept, outputGradient, gradient);
        return through(filter, kept, outputGradient.cwiseProduct(kept.active), gradient);
    }

private:
    Matrix through(const ConstFilter& filter, const Kept& kept, const Matrix& outputGradient,
                   VectorView gradient) const {
        addFilterGradient(gradient, outputGradient, kept.input);
        return filter.matrix.transpose() * outputGradient;
    }

    int inputs_, outputs_;
    bool rectified_;
};

}  // namespace

std::shared_ptr<const TrainedLayer> denseLayer(int inputs, int outputs, bool rectified) {
    return std::make_shared<DenseLayer>(inputs, outputs, rectified);
}

namespace {

constexpr int reach = 1;  // pixels to each side
constexpr int window = 2 * reach + 1;

class ConvolutionLayer final : public TrainedLayer {
public:
    explicit ConvolutionLayer(const ConvolutionShape& shape) : shape_(shape) {
        if (shape.pooled && shape.side % 2 != 0)
            throw std::invalid_argument("only an even side can be halved");
    }

    int inputs() const override { return pixels() * shape_.inputChannels; }
    int outputs() const override { return (shape_.pooled ? pixels() / 4 : pixels()) * shape_.outputChannels; }
    int weightCount() const override { return shape_.outputChannels * (patchSize() + 1); }
    void initialise(PortableRandom& random, VectorView weights) const override {
        initialiseFilter(random, weights, shape_.outputChannels, patchSize());
    }

    Matrix forward(ConstVectorView weights, const Matrix& input, Kept& kept) const override {
        const ConstFilter filter(weights, shape_.outputChannels, patchSize());
        kept.input = input;
        kept.patches = patchesOf(input);
        Matrix output = (filter.matrix * kept.patches).colwise() + filter.offset;
        rectify(output, kept.active);
        // One column per pixel becomes one column per sample: the numbers are in that order already.
        output.resize(Eigen::Index{pixels()} * shape_.outputChannels, input.cols());
        return shape_.pooled ? meansOf(output) : output;
    }

    Matrix backward(ConstVectorView weights, const Kept& kept, const Matrix& outputGradient,
                    VectorView gradient) const override {
        const ConstFilter filter(weights, shape_.outputChannels, patchSize());
        Matrix own = shape_.pooled ? spread(outputGradient) : outputGradient;
        own.resize(shape_.outputChannels, kept.active.cols());
        own.array() *= kept.active.array();
        addFilterGradient(gradient, own, kept.patches);
        return gathered(filter.matrix.transpose() * own, outputGradient.cols());
    }

private:
    int pixels() const { return shape_.side * shape_.side; }
    int patchSize() const { return window * window * shape_.inputChannels; }

    /// Calls visit(pixel, position in the window, neighbouring pixel) for all that are inside.
    template <typename Visit>
    void forEachNeighbour(Visit visit) const {
        for (int y = 0; y < shape_.side; ++y)
            for (int x = 0; x < shape_.side; ++x)
                for (int dy = -reach; dy <= reach; ++dy)
                    for (int dx = -reach; dx <= reach; ++dx) {
                        const int row = y + dy, column = x + dx;
                        if (row < 0 || row >= shape_.side || column < 0 || column >= shape_.side) continue;
                        visit(y * shape_.side + x, (dy + reach) * window + dx + reach,
                              row * shape_.side + column);
                    }
    }

    Matrix patchesOf(const Matrix& input) const {
        const int channels = shape_.inputChannels;
        Matrix patches = Matrix::Zero(patchSize(), pixels() * input.cols());
        for (Eigen::Index sample = 0; sample < input.cols(); ++sample) {
            const double* from = input.col(sample).data();
            forEachNeighbour([&](int pixel, int position, int neighbour) {
                double* to = patches.col(sample * pixels() + pixel).data() + position * channels;
                std::copy_n(from + neighbour * channels, channels, to);
            });
        }
        return patches;
    }

    /// The gradient of the input out of that of its patches.
    Matrix gathered(const Matrix& patches, Eigen::Index samples) const {
        const int channels = shape_.inputChannels;
        Matrix input = Matrix::Zero(inputs(), samples);
        for (Eigen::Index sample = 0; sample < samples; ++sample) {
            double* to = input.col(sample).data();
            forEachNeighbour([&](int pixel, int position, int neighbour) {
                const double* from = patches.col(sample * pixels() + pixel).data() + position * channels;
                for (int channel = 0; channel < channels; ++channel)
                    to[neighbour * channels + channel] += from[channel];
            });
        }
        return input;
    }

    Eigen::Index pooledRow(int pixel) const {
        const int y = pixel / shape_.side / 2, x = pixel % shape_.side / 2;
        return Eigen::Index{y * (shape_.side / 2) + x} * shape_.outputChannels;
    }

    Matrix meansOf(const Matrix& values) const {
        const int channels = shape_.outputChannels;
        Matrix means = Matrix::Zero(outputs(), values.cols());
        for (int pixel = 0; pixel < pixels(); ++pixel)
            means.middleRows(pooledRow(pixel), channels) +=
                0.25 * values.middleRows(Eigen::Index{pixel} * channels, channels);
        return means;
    }

    Matrix spread(const Matrix& gradient) const {
        const int channels = shape_.outputChannels;
        Matrix values(Eigen::Index{pixels()} * channels, gradient.cols());
        for (int pixel = 0; pixel < pixels(); ++pixel)
            values.middleRows(Eigen::Index{pixel} * channels, channels) =
                0.25 * gradient.middleRows(pooledRow(pixel), channels);
        return values;
    }

    ConvolutionShape shape_;
};

}  // namespace

std::shared_ptr<const TrainedLayer> convolutionLayer(const ConvolutionShape& shape) {
    return std::make_shared<ConvolutionLayer>(shape);
}

}  // namespace stagecraft::training
