#include "core/training/layer_parts.h"

namespace stagecraft::training {

namespace {

class DenseLayer final : public Layer {
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

std::shared_ptr<const Layer> denseLayer(int inputs, int outputs, bool rectified) {
    return std::make_shared<DenseLayer>(inputs, outputs, rectified);
}

}  // namespace stagecraft::training
