#include "core/generation/group_share.h"

#include "core/base/counted.h"

#include <numeric>

namespace stagecraft::generation {

namespace {

constexpr int mostRanks = 1 << 15;  // of a degree; products of two stay whole numbers

double ringShare(int ranks) { return (ranks - 1.0) / ranks; }

/// By how much a rank's tensor is smaller than the whole.
double divisionOf(bool isInside, const GroupDegrees& degrees) {
    return degrees.context * (isInside || degrees.sequenceParallel ? degrees.tensor : 1.0);
}

bool isOfExperts(const Operation& operation) { return operation.part == ModelPart::experts; }

void addParameters(const Operation& operation, const GroupDegrees& degrees, RankShare& share) {
    if (isOfExperts(operation)) {
        share.expertParameters += operation.parameters / degrees.expert;
        return;
    }
    switch (operation.cut) {
        case TensorCut::none:
            share.denseParameters += operation.parameters;
            return;
        case TensorCut::columns:
        case TensorCut::words:
            share.denseParameters += operation.parameters / degrees.tensor;
            return;
        case TensorCut::rows: {
            const double weights = operation.matrix->inputs * operation.matrix->outputs;
            share.denseParameters += weights / degrees.tensor + (operation.parameters - weights);
            return;
        }
    }
}

/// Where the ranks' shares come together and where all of a tensor is needed: an AllReduce in one of the two
/// directions, or with sequence parallelism a gather in one and a scatter in the other.
void addTensorParallel(const Operation& operation, const GroupDegrees& degrees, double bytes,
                       RankShare& share) {
    if (operation.cut == TensorCut::none || degrees.tensor == 1) return;
    const bool isEntry = operation.cut == TensorCut::columns;
    const double whole =
        (isEntry ? operation.matrix->rows * operation.matrix->inputs : operation.outputElements) * bytes /
        degrees.context;
    const double one = ringShare(degrees.tensor) * whole;
    if (degrees.sequenceParallel) {
        share.forward.tensor += one;
        share.backward.tensor += one;
        if (isEntry) share.backward.tensorRegather += one;
    } else {
        (isEntry ? share.backward : share.forward).tensor += 2 * one;
    }
}

void addContextAndExperts(const Operation& operation, const GroupDegrees& degrees, double bytes,
                          RankShare& share) {
    // Each rank's keys and values pass all others; backward they come round with their gradients.
    const double round = operation.keyValueElements * bytes * ringShare(degrees.context) / degrees.tensor;
    share.forward.context += round;
    share.backward.context += 2 * round;
    const double routed =
        operation.routedElements * bytes * ringShare(degrees.expert) / divisionOf(false, degrees);
    share.forward.expert += routed;
    share.backward.expert += routed;
}

}  // namespace

std::optional<std::string> whyNoGroup(const TransformerModel& model, const GroupDegrees& degrees,
                                      int tokens) {
    for (const auto& [name, degree] :
         {std::pair{"data", degrees.data}, std::pair{"tensor", degrees.tensor},
          std::pair{"context", degrees.context}, std::pair{"expert", degrees.expert}})
        if (degree < 1 || degree > mostRanks)
            return std::string("the ") + name + " degree is " + std::to_string(degree) +
                   "; expected a number from 1 to " + std::to_string(mostRanks);
    if (model.heads % degrees.tensor != 0)
        return counted(model.heads, "head") + " on " + std::to_string(degrees.tensor) +
               " tensor-parallel ranks; expected a degree that divides them";
    if (!model.latent && model.keyValueHeads % degrees.tensor != 0)
        return counted(model.keyValueHeads, "head") + " of keys and values on " +
               std::to_string(degrees.tensor) + " tensor-parallel ranks; expected a degree that divides them";
    if (degrees.expert > 1 && model.experts.count == 0)
        return "the model has no experts; expected an expert degree of 1";
    if (degrees.expert > 1 && model.experts.count % degrees.expert != 0)
        return counted(model.experts.count, "expert") + " on " + std::to_string(degrees.expert) +
               " ranks; expected a degree that divides them";
    if (degrees.ranks() % degrees.expert != 0)
        return "groups of " + std::to_string(degrees.expert) + " do not come out even on " +
               std::to_string(degrees.ranks()) + " ranks" + "; expected an expert degree that divides them";
    const int shares = degrees.context * (degrees.sequenceParallel ? degrees.tensor : 1);
    if (tokens % shares != 0)
        return counted(tokens, "token") + " on " + std::to_string(shares) +
               " ranks that divide them; expected degrees that come out even";
    if (degrees.sequenceParallel && degrees.tensor == 1)
        return "sequence parallelism goes with tensor parallelism; expected a tensor degree above 1";
    return std::nullopt;
}

double RankShare::keptBytes() const {
    return std::accumulate(kept.begin(), kept.end(), 0.0,
                           [](double sum, const KeptTensor& tensor) { return sum + tensor.bytes; });
}

RankShare rankShare(const NetworkLayer& layer, const GroupDegrees& degrees, int samples,
                    double elementBytes) {
    RankShare share;
    for (const Operation& operation : layer.operations) {
        addParameters(operation, degrees, share);
        for (const StoredTensor& tensor : operation.stored)
            share.kept.push_back(
                {tensor.name, tensor.cause,
                 samples * tensor.bytes(elementBytes) / divisionOf(operation.isInside, degrees)});
        addTensorParallel(operation, degrees, samples * elementBytes, share);
        addContextAndExperts(operation, degrees, samples * elementBytes, share);
    }
    return share;
}

double boundaryBytes(const NetworkLayer& layer, const GroupDegrees& degrees, int samples,
                     double elementBytes) {
    return samples * elementBytes * layer.outputElements / divisionOf(false, degrees);
}

}  // namespace stagecraft::generation
