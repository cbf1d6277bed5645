#include "core/generation/measured_efficiencies.h"

#include "core/base/counted.h"
#include "core/base/units.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace stagecraft::generation {

namespace {

/// The share of a shape, or that of all others.
template <class Shape>
ReachedShare shareOf(const std::map<std::pair<OperationPass, Shape>, double>& table, OperationPass pass,
                     const Shape& shape, double otherwise) {
    const auto found = table.find({pass, shape});
    return found == table.end() ? ReachedShare{otherwise, false} : ReachedShare{found->second, true};
}

/// The product that a pass computes: with weights W (inputs x outputs) of X (rows x inputs) and the gradient
/// G (rows x outputs) they are X W, G W^T and G^T X.
ProductShape productOf(const MatrixShape& shape, double rows, OperationPass pass) {
    const long long count = std::llround(rows), inputs = std::llround(shape.inputs),
                    outputs = std::llround(shape.outputs);
    switch (pass) {
        case OperationPass::forward:
            return {count, inputs, outputs};
        case OperationPass::inputGradient:
            return {count, outputs, inputs};
        case OperationPass::weightGradient:
            return {outputs, count, inputs};
    }
    return {};
}

AttentionShape attentionOf(const AttentionCore& core, int microbatchSize) {
    return {microbatchSize,
            std::llround(core.tokens),
            std::llround(core.heads),
            std::llround(core.keyValueHeads),
            std::llround(core.queryWidth),
            std::llround(core.valueWidth)};
}

/// As a share of what is computed: those that were measured count what a causal mask hides, which is not.
ReachedShare attentionShare(const MeasuredEfficiencies& measured, const AttentionCore& core,
                            int microbatchSize, OperationPass pass) {
    const double otherwise =
        pass == OperationPass::forward ? measured.attentionShare : measured.attentionBackwardShare;
    ReachedShare reached{otherwise, false};
    if (core.masked && core.keys == core.tokens)
        reached = shareOf(measured.attention, pass, attentionOf(core, microbatchSize), otherwise);
    reached.share *= (core.tokens + 1) / (2 * core.tokens);
    return reached;
}

std::string shapeText(const Operation& operation, int microbatchSize) {
    if (operation.attention) {
        const AttentionShape shape = attentionOf(*operation.attention, microbatchSize);
        return operation.name + " (" + counted(static_cast<int>(shape.tokens), "token") + ", " +
               counted(static_cast<int>(shape.heads), "head") + ")";
    }
    if (!operation.matrix) return operation.name;
    const ProductShape shape =
        productOf(*operation.matrix, operation.matrix->rows * microbatchSize, OperationPass::forward);
    return operation.name + " (" + std::to_string(shape.rows) + " x " + std::to_string(shape.inner) + " x " +
           std::to_string(shape.columns) + ")";
}

}  // namespace

ReachedShare reachedShare(const MeasuredEfficiencies& measured, const Operation& operation,
                          int microbatchSize, OperationPass pass) {
    if (operation.attention) return attentionShare(measured, *operation.attention, microbatchSize, pass);
    if (!operation.matrix) return {measured.productShare, false};
    const MatrixShape& shape = *operation.matrix;
    if (shape.groups == 0)
        return shareOf(measured.products, pass, productOf(shape, shape.rows * microbatchSize, pass),
                       measured.productShare);
    // Each GPU sends whole rows.
    const double all = shape.groups * shape.senders,
                 rows = shape.senders * std::round(shape.rows * microbatchSize / all);
    const GroupedShape grouped{std::llround(shape.groups), productOf(shape, rows, OperationPass::forward)};
    return shareOf(measured.groups, pass, grouped, measured.groupShare);
}

std::string coverageText(const MeasuredEfficiencies& measured, const NetworkDescription& network,
                         int microbatchSize) {
    constexpr std::size_t mostNamed = 6;
    std::set<std::string> all;
    std::vector<std::string> missing;
    for (const NetworkLayer& layer : network.layers)
        for (const Operation& operation : layer.operations) {
            if (operation.kind != OperationClass::matrix) continue;
            const std::string text = shapeText(operation, microbatchSize);
            if (!all.insert(text).second) continue;
            bool measuredHere = true;
            for (const auto& [pass, passes] :
                 {std::pair{OperationPass::forward, 1.0},
                  std::pair{OperationPass::inputGradient, operation.inputGradientPasses},
                  std::pair{OperationPass::weightGradient, operation.weightGradientPasses}})
                measuredHere =
                    measuredHere &&
                    (passes == 0 || reachedShare(measured, operation, microbatchSize, pass).isMeasured);
            if (!measuredHere) missing.push_back(text);
        }
    std::string text = "Of " + counted(static_cast<int>(all.size()), "product", "products") +
                       " of different shape " + std::to_string(all.size() - missing.size()) +
                       " were measured";
    if (missing.empty()) return text + ".";
    text += "; not measured, so that the file's mean is taken: ";
    for (std::size_t i = 0; i < std::min(missing.size(), mostNamed); ++i)
        text += (i == 0 ? "" : ", ") + missing[i];
    if (missing.size() > mostNamed) text += " and " + std::to_string(missing.size() - mostNamed) + " more";
    return text + ".";
}

}  // namespace stagecraft::generation
