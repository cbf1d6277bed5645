#pragma once

#include "core/base/enum_names.h"
#include "core/generation/gpu_catalogue.h"
#include "core/generation/measured_efficiencies.h"
#include "core/generation/network.h"
#include "core/model/layer_profile.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace stagecraft::generation {

enum class Precision {
    fp32,
    tf32,  ///< products and convolutions on tensor cores, everything stored in 4 bytes
    fp16,  ///< products and convolutions on tensor cores, everything stored in 2 bytes
    bf16,  ///< the same, but with a peak of its own
};
inline constexpr EnumName<Precision> precisionNames[] = {{Precision::fp32, "fp32"},
                                                         {Precision::tf32, "tf32"},
                                                         {Precision::fp16, "fp16"},
                                                         {Precision::bf16, "bf16"}};
/// Of what is stored.
int elementBytes(Precision precision);
/// The dense peak of products and convolutions; 0: the GPU does not have that precision.
double peakFlops(const Gpu& gpu, Precision precision);

/// What a computed profile assumes. The efficiencies are round figures for well-tuned
/// libraries on large tensors, the same for every model and GPU.
struct AnalyticOptions {
    int microbatchSize = 1;
    Precision precision = Precision::fp32;
    double matrixEfficiency = 0.7;       ///< share of the peak that matrix products reach
    double convolutionEfficiency = 0.5;  ///< share of the peak that convolutions reach
    double memoryEfficiency = 0.7;       ///< share of the memory bandwidth
    /// In place of the shares of matrix products and of memory, where there is one; convolutions were not
    /// measured.
    std::shared_ptr<const MeasuredEfficiencies> measured = {};
};

/// What one operation takes for one microbatch, by the roofline: the longer of computing and moving its data.
struct OperationTime {
    double computeS = 0;  ///< forward: flops / (peak * efficiency); 0 for elementwise operations
    double memoryS = 0;   ///< forward: bytes / (bandwidth * efficiency), and the latency that was measured
    double forwardS = 0;  ///< the longer of the two
    double inputGradientS = 0;
    double weightGradientS = 0;
};
/// @throws std::invalid_argument as analyticProfile does
OperationTime operationTime(const Operation& operation, const Gpu& gpu, const AnalyticOptions& options);

/// Adds up what operations are to a GPU: LayerProfile::roofline.
class RooflineSum {
public:
    /// The options and the GPU must outlive it.
    RooflineSum(const Gpu& gpu, const AnalyticOptions& options) : gpu_(gpu), options_(options) {}
    void add(const Operation& operation);
    /// Whole FLOP and bytes, by rising intensity; those whose intensities differ by at most 2 % are one.
    std::vector<RooflineTerm> terms() const;

private:
    const Gpu& gpu_;
    const AnalyticOptions& options_;
    std::map<long long, RooflineTerm> terms_;
};

/// A profile that is computed, not measured: each layer (of a graph: each node, and a layer is the sum of its
/// nodes) is the sum of its operations, rounded to nanoseconds.
/// Every assumption is in `source`. Deterministic.
/// @throws std::invalid_argument if the GPU lacks the precision, the microbatch size is below 1, or an
/// efficiency is
///         not in (0, 1]
LayerProfile analyticProfile(const NetworkDescription& network, const Gpu& gpu,
                             const AnalyticOptions& options);

/// How a layer's times come about: a line for each operation with its flops, bytes, what bounds it, and its
/// times.
std::string traceLayer(const NetworkLayer& layer, const Gpu& gpu, const AnalyticOptions& options);

}  // namespace stagecraft::generation
