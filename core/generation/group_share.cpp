#include "core/generation/group_share.h"

#include "core/base/counted.h"

#include <algorithm>
#include <numeric>

namespace stagecraft::generation {

namespace {

double ringShare(int ranks) { return (ranks - 1.0) / ranks; }

/// By how much a rank's tensor is smaller than the whole.
double tensorDivision(bool isInside, const Group& group) {
    return isInside ? group.insideDivision() : group.outsideDivision();
}

bool isOfExperts(const Operation& operation) { return operation.part == ModelPart::experts; }

/// Of an operation's parameters those that tensor parallelism divides.
double cutParameters(const Operation& operation) {
    switch (operation.cut) {
        case TensorCut::none:
            return 0;
        case TensorCut::columns:
        case TensorCut::words:
            return operation.parameters;
        case TensorCut::rows:
            return operation.matrix->inputs * operation.matrix->outputs;
    }
    return 0;
}

void addParameters(const Operation& operation, const Group& degrees, RankShare& share) {
    if (isOfExperts(operation)) {
        share.expertParameters += operation.parameters / degrees.expert;
        return;
    }
    const double cut = cutParameters(operation);
    share.denseParameters += cut / degrees.tensor + (operation.parameters - cut);
}

/// Of what an operation keeps for its weight gradient, what it reads and the gradient of what it makes, those
/// that tensor parallelism divides.
double deferredInsideElements(const Operation& operation) {
    const double made = std::min(operation.outputElements, operation.deferredElements);
    if (operation.cut == TensorCut::columns) return made;
    if (!operation.isInside) return 0;
    return operation.deferredElements - (operation.cut == TensorCut::rows ? made : 0);
}

/// Elements that are read where tensors begin to be divided.
double entryElements(const Operation& operation) {
    return operation.cut == TensorCut::columns ? operation.matrix->rows * operation.matrix->inputs : 0;
}
/// Elements that are made where tensors end to be divided.
double exitElements(const Operation& operation) {
    const bool isExit = operation.cut == TensorCut::rows || operation.cut == TensorCut::words;
    return isExit ? operation.outputElements : 0;
}

/// Where the ranks' shares come together and where all of a tensor is needed: an AllReduce in one of the two
/// directions, or with sequence parallelism a gather in one and a scatter in the other.
void addTensorParallel(const Operation& operation, const Group& degrees, double bytes, RankShare& share) {
    const double one = ringShare(degrees.tensor) * bytes / degrees.context;
    const double entry = one * entryElements(operation), exit = one * exitElements(operation);
    if (degrees.sequenceParallel) {
        share.forward.tensor += entry + exit;
        share.backward.tensor += entry + exit;
        share.backward.tensorRegather += entry;
    } else {
        share.forward.tensor += 2 * exit;
        share.backward.tensor += 2 * entry;
    }
}

void addContextAndExperts(const Operation& operation, const Group& degrees, double bytes, RankShare& share) {
    // Each rank's keys and values pass all others; backward they come round with their gradients.
    const double round = operation.keyValueElements * bytes * ringShare(degrees.context) / degrees.tensor;
    share.forward.context += round;
    share.backward.context += 2 * round;
    const double routed =
        operation.routedElements * bytes * ringShare(degrees.expert) / degrees.outsideDivision();
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
    const int shares = degrees.outsideDivision();
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

RankShare rankShare(const NetworkLayer& layer, const Group& degrees, int samples, double elementBytes) {
    RankShare share;
    for (const Operation& operation : layer.operations) {
        addParameters(operation, degrees, share);
        for (const StoredTensor& tensor : operation.stored)
            share.kept.push_back(
                {tensor.name, tensor.cause,
                 samples * tensor.bytes(elementBytes) / tensorDivision(operation.isInside, degrees)});
        addTensorParallel(operation, degrees, samples * elementBytes, share);
        addContextAndExperts(operation, degrees, samples * elementBytes, share);
    }
    return share;
}

double boundaryBytes(const NetworkLayer& layer, const Group& degrees, int samples, double elementBytes) {
    return samples * elementBytes * layer.outputElements / degrees.outsideDivision();
}

namespace {

/// Sums over operations, of which a layer's division tells the shares.
struct DivisionParts {
    Layer whole, inside, fixed, routed;
    double shared = 0, cut = 0, deferred = 0, deferredInside = 0, deferredRouted = 0;

    void add(const Operation& operation, const OperationParts& parts) {
        const bool isDivided = operation.isInside || operation.cut != TensorCut::none;
        addTimes(whole, parts.times, {});
        addTimes(fixed, parts.fixed, {});
        if (isDivided) addTimes(inside, parts.times, parts.fixed);
        if (operation.isRouted) addTimes(routed, parts.times, parts.fixed);
        if (!isOfExperts(operation)) {
            shared += operation.parameters;
            cut += cutParameters(operation);
        }
        deferred += operation.deferredElements;
        deferredInside += deferredInsideElements(operation);
        if (operation.isRouted) deferredRouted += operation.deferredElements;
    }

    void tell(LayerDivision& division) const {
        const auto share = [](double part, double all) { return all > 0 ? part / all : 0; };
        division.forwardShare = share(inside.forwardS, whole.forwardS);
        division.backwardShare = share(inside.backwardS, whole.backwardS);
        division.weightGradientShare = share(inside.weightGradientS, whole.weightGradientS);
        division.parameterShare = share(cut, shared);
        division.weightGradientBytesShare = share(deferredInside, deferred);
        division.fixedForwardShare = share(fixed.forwardS, whole.forwardS);
        division.fixedBackwardShare = share(fixed.backwardS, whole.backwardS);
        division.fixedWeightGradientShare = share(fixed.weightGradientS, whole.weightGradientS);
        division.expertForwardShare = share(routed.forwardS, whole.forwardS);
        division.expertBackwardShare = share(routed.backwardS, whole.backwardS);
        division.expertWeightGradientShare = share(routed.weightGradientS, whole.weightGradientS);
        division.expertWeightGradientBytesShare = share(deferredRouted, deferred);
    }

private:
    static void addTimes(Layer& sum, const LayerTimes& times, const LayerTimes& without) {
        sum.forwardS += times.forwardS - without.forwardS;
        sum.backwardS += times.backwardS - without.backwardS;
        sum.weightGradientS += times.weightGradientS - without.weightGradientS;
    }
};

}  // namespace

LayerDivision divisionOf(const NetworkLayer& layer, int samples, double elementBytes,
                         const std::function<OperationParts(const Operation&)>& partsOf) {
    LayerDivision division;
    DivisionParts parts;
    const double bytes = samples * elementBytes;
    for (const Operation& operation : layer.operations) {
        parts.add(operation, partsOf(operation));
        for (const StoredTensor& tensor : operation.stored) {
            const double kept = samples * tensor.bytes(elementBytes);
            if (operation.isRouted) division.expertStoredBytes += kept;
            if (!operation.isInside) continue;
            Layer own;
            own.storedParts = {{tensor.cause, kept}};
            addStoredParts(division.stored, own);
        }
        division.entryBytes += bytes * entryElements(operation);
        division.exitBytes += bytes * exitElements(operation);
        division.keyValueBytes += bytes * operation.keyValueElements;
        division.routedBytes += bytes * operation.routedElements;
        division.entries += entryElements(operation) > 0 ? 1 : 0;
        division.exits += exitElements(operation) > 0 ? 1 : 0;
        division.keyValueRounds += operation.keyValueElements > 0 ? 1 : 0;
        division.routings += operation.routedElements > 0 ? 1 : 0;
    }
    parts.tell(division);
    return division;
}

}  // namespace stagecraft::generation
