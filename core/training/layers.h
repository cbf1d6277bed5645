#pragma once

#include "core/base/rooms.h"
#include "core/generation/cluster_templates.h"

#include <Eigen/Core>

#include <memory>

namespace stagecraft::training {

/// One column per sample.
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using VectorView = Eigen::Ref<Vector>;
using ConstVectorView = Eigen::Ref<const Vector>;

/// What a layer's backward needs of its forward.
struct Kept {
    Matrix input;
    Matrix patches;  ///< convolution: the neighbourhood of each pixel, a column each
    Matrix active;   ///< 1 where the rectifier let a value through, else 0; empty without a rectifier
};

/// A layer with weights, and without state: the weights are given with each pass, so that any version can be
/// used. The linear part, then a rectifier, then (convolution) the mean over 2 x 2 pixels.
class TrainedLayer {
public:
    virtual ~TrainedLayer() = default;
    virtual int inputs() const = 0;  ///< values of a sample
    virtual int outputs() const = 0;
    virtual int weightCount() const = 0;
    /// He's uniform distribution; offsets are 0.
    virtual void initialise(PortableRandom& random, VectorView weights) const = 0;
    virtual Matrix forward(ConstVectorView weights, const Matrix& input, Kept& kept) const = 0;
    /// Adds to `gradient` and gives the gradient of the input. `weights` may differ from the forward's; what
    /// was kept then still is the forward's.
    virtual Matrix backward(ConstVectorView weights, const Kept& kept, const Matrix& outputGradient,
                            VectorView gradient) const = 0;
};

/// y = W x + b, rectified unless it is the last.
std::shared_ptr<const TrainedLayer> denseLayer(int inputs, int outputs, bool rectified);

struct ConvolutionShape {
    int side = 8;  ///< pixels of a square image
    int inputChannels = 1;
    int outputChannels = 1;
    bool pooled = false;  ///< halves the side, which must be even
};
/// 3 x 3 pixels with a margin of zeros, rectified. An image is a column, pixel by pixel, channels together.
std::shared_ptr<const TrainedLayer> convolutionLayer(const ConvolutionShape& shape);

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
