#pragma once

#include "core/generation/network.h"

#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace stagecraft::generation {

/// A product of a `rows` x `inner` matrix with an `inner` x `columns` one.
struct ProductShape {
    long long rows = 0, inner = 0, columns = 0;
    auto operator<=>(const ProductShape&) const = default;
};
/// Attention of one microbatch. Widths are a head's.
struct AttentionShape {
    long long samples = 0, tokens = 0, heads = 0, keyValueHeads = 0, queryWidth = 0, valueWidth = 0;
    auto operator<=>(const AttentionShape&) const = default;
};
/// So many products of one shape in one call, a mixture's experts; rows are those that each group has.
struct GroupedShape {
    long long groups = 0;
    ProductShape product;
    auto operator<=>(const GroupedShape&) const = default;
};

/// The three computations of an operation with weights.
enum class OperationPass { forward, inputGradient, weightGradient };

/// What a GPU was measured to reach, as shares of one peak, by the shape of what it computed. Shares may pass
/// 1: those of attention count the products that a causal mask hides.
struct MeasuredEfficiencies {
    std::string name;  ///< of the measurement: "b200_bf16_ceperm"
    double peakFlops = 0;
    /// By the product that each pass computes (forward: tokens x inputs x outputs). A weight gradient is
    /// one that is added to a sum in fp32, where that was measured.
    std::map<std::pair<OperationPass, ProductShape>, double> products;
    /// Keyed by the forward's shape in all three passes.
    std::map<std::pair<OperationPass, GroupedShape>, double> groups;
    /// Forward and input gradient alone.
    std::map<std::pair<OperationPass, AttentionShape>, double> attention;
    /// Where a shape was not measured; attention has one for each direction.
    double productShare = 0, groupShare = 0, attentionShare = 0, attentionBackwardShare = 0;

    double memoryBps = 0, memoryShare = 0;
    double memoryLatencyS = 0;  ///< of each operation that memory bounds, and each pass of it
    double lossShare = 0;       ///< of the memory's bandwidth, in softmax and cross entropy
    double reorderShare = 0;    ///< the same, where rows are put in another order

    bool hasShapes() const { return !products.empty() || !groups.empty() || !attention.empty(); }
};
/// Reads a file of them. @throws std::exception whose text names the file
using EfficiencyReader = std::function<MeasuredEfficiencies(const std::string& path)>;

/// A share of the peak, of what is computed, and whether it was measured for the very shape.
struct ReachedShare {
    double share = 0;
    bool isMeasured = false;
};
/// Of a matrix product or an attention (OperationClass::matrix).
ReachedShare reachedShare(const MeasuredEfficiencies& measured, const Operation& operation,
                          int microbatchSize, OperationPass pass);

/// Which operations of a network have their shapes there, for people: "… 22 of 24 shapes were measured; the
/// others, … , take …".
std::string coverageText(const MeasuredEfficiencies& measured, const NetworkDescription& network,
                         int microbatchSize);

}  // namespace stagecraft::generation
