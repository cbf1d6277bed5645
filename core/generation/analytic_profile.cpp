#include "core/generation/analytic_profile.h"

#include "core/base/counted.h"
#include "core/base/units.h"
#include "core/generation/group_share.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <locale>
#include <sstream>
#include <stdexcept>

namespace stagecraft::generation {

namespace {

/// Of another GPU, or at another precision, they say nothing; data sheets differ by some percent, and a GB
/// may be a GiB.
void checkMeasured(const MeasuredEfficiencies& measured, const Gpu& gpu, Precision precision) {
    constexpr double mostOfPeak = 0.05, mostOfBandwidth = 0.1;
    const double peak = peakFlops(gpu, precision);
    const std::string of = "the efficiencies of " + measured.name + " are shares of ";
    const std::string expected = "; expected the GPU and the precision that were measured";
    if (std::abs(measured.peakFlops / peak - 1) > mostOfPeak)
        throw std::invalid_argument(of + formatNumber(measured.peakFlops / 1e12) + " TFLOP/s, and " +
                                    gpu.name + " has " + formatNumber(peak / 1e12) + " at " +
                                    nameOf(precisionNames, precision) + expected);
    if (std::abs(measured.memoryBps / gpu.memoryBandwidthBps - 1) > mostOfBandwidth)
        throw std::invalid_argument(of + formatBandwidth(measured.memoryBps) + " of memory, and " + gpu.name +
                                    " has " + formatBandwidth(gpu.memoryBandwidthBps) + expected);
}

void checkOptions(const Gpu& gpu, const AnalyticOptions& options) {
    if (options.microbatchSize < 1) throw std::invalid_argument("the microbatch size must be at least 1");
    if (!(peakFlops(gpu, options.precision) > 0))
        throw std::invalid_argument(gpu.name + " has no " + nameOf(precisionNames, options.precision) +
                                    " peak to compute with");
    for (const double efficiency :
         {options.matrixEfficiency, options.convolutionEfficiency, options.memoryEfficiency})
        if (!(efficiency > 0 && efficiency <= 1))
            throw std::invalid_argument("an efficiency must be greater than 0 and at most 1");
    if (options.measured) checkMeasured(*options.measured, gpu, options.precision);
}

double efficiencyOf(OperationClass kind, const AnalyticOptions& options) {
    return kind == OperationClass::convolution ? options.convolutionEfficiency : options.matrixEfficiency;
}

double movedBytes(const Operation& operation, const AnalyticOptions& options) {
    // A lookup reads rows, a norm a few scales: both are in the traffic. Products read all of their weights.
    const double weights = operation.kind == OperationClass::elementwise ? 0 : operation.parameters;
    return elementBytes(options.precision) *
           (operation.trafficElements * options.microbatchSize + weights * operation.weightReads);
}

/// By what was measured, which has a peak and a bandwidth of its own. Each pass has its own share; where it
/// moves data for longer than it computes, the data of the forward count.
OperationTime measuredTime(const Operation& operation, const AnalyticOptions& options) {
    const MeasuredEfficiencies& measured = *options.measured;
    const double share = operation.isLoss         ? measured.lossShare
                         : operation.isReordering ? measured.reorderShare
                                                  : measured.memoryShare;
    OperationTime time;
    time.memoryS = movedBytes(operation, options) / (measured.memoryBps * share);
    if (time.memoryS > 0) time.memoryS += measured.memoryLatencyS;
    const double flops = operation.flops * operation.computedShare * options.microbatchSize;
    const auto passS = [&](OperationPass pass) {
        const double computeS =
            flops /
            (measured.peakFlops * reachedShare(measured, operation, options.microbatchSize, pass).share);
        if (pass == OperationPass::forward) time.computeS = computeS;
        return std::max(computeS, time.memoryS);
    };
    time.forwardS = passS(OperationPass::forward);
    time.inputGradientS = passS(OperationPass::inputGradient) * operation.inputGradientPasses;
    time.weightGradientS = passS(OperationPass::weightGradient) * operation.weightGradientPasses;
    return time;
}

/// What of an operation's times is the latency that was measured: of passes that memory bounds.
LayerTimes fixedTimes(const Operation& operation, const OperationTime& time, const AnalyticOptions& options) {
    if (!options.measured || operation.kind == OperationClass::convolution) return {};
    const auto latencyOf = [&](double passS, double passes) {
        return passes > 0 && passS <= time.memoryS * passes ? passes * options.measured->memoryLatencyS : 0;
    };
    const double inputGradient = latencyOf(time.inputGradientS, operation.inputGradientPasses),
                 weightGradient = latencyOf(time.weightGradientS, operation.weightGradientPasses);
    return time.memoryS > 0
               ? LayerTimes{latencyOf(time.forwardS, 1), inputGradient + weightGradient, weightGradient}
               : LayerTimes{};
}

/// Files stay short and sums exact when times are whole nanoseconds.
double nanoseconds(double seconds) { return std::round(seconds * 1e9); }

/// What holds for every profile made here.
constexpr const char* method =
    "A layer is the sum of its operations; an operation takes the longer of FLOP / (peak x efficiency) and "
    "bytes / (memory bandwidth x efficiency). Elementwise operations (activations, norms, softmax, pooling, "
    "dropout, lookups) count by their bytes alone. Backward: a product or convolution with weights takes its "
    "forward time twice, once for the input gradient and once for the weight gradient, which may be "
    "deferred; "
    "the first layer of a network that reads images needs no input gradient; an elementwise operation takes "
    "1 "
    "to 1.67 times its forward, by the bytes that it moves. ";
constexpr const char* storedWithoutMasks =
    "Stored activations are what the operations read again in their backward, without dropout masks. ";
constexpr const char* storedByTensor =
    "Stored activations are what the operations read again in their backward, dropout masks of a byte and "
    "logits in fp32 among them. ";
constexpr const char* deferredMethod =
    "A split backward keeps until the weight gradient what "
    "products and convolutions with weights read, and the gradient of what they make. Kernel launches cost "
    "nothing.";

std::string flopsText(double flops) {
    constexpr double thousandTera = 1e15;
    std::ostringstream text;
    text.imbue(std::locale::classic());
    if (flops < thousandTera)
        text << flops / 1e9 << " GFLOP";
    else
        text << flops / 1e12 << " TFLOP";
    return text.str();
}

bool saysWhatIsStored(const NetworkDescription& network) {
    return std::any_of(network.layers.begin(), network.layers.end(),
                       [](const NetworkLayer& layer) { return !layer.storedParts(1).empty(); });
}

/// Of what peaks and bandwidths how much is reached.
std::string ratesText(const NetworkDescription& network, const Gpu& gpu, const AnalyticOptions& options) {
    std::ostringstream text;
    text.imbue(std::locale::classic());
    const int bytes = elementBytes(options.precision);
    if (options.measured) {
        const MeasuredEfficiencies& measured = *options.measured;
        text << "Measured efficiencies: " << measured.name << ", shares of " << measured.peakFlops / 1e12
             << " TFLOP/s" << (measured.hasShapes() ? " by shape, each pass by its own" : ", none by shape")
             << "; memory: " << measured.memoryBps / 1e9 << " GB/s x " << measured.memoryShare
             << " (softmax and cross entropy x " << measured.lossShare << "), and "
             << formatSeconds(measured.memoryLatencyS) << " for each operation that it bounds; " << bytes
             << " bytes per element. " << coverageText(measured, network, options.microbatchSize);
        return text.str();
    }
    text << "Peak: " << peakFlops(gpu, options.precision) / 1e12 << " TFLOP/s, x " << options.matrixEfficiency
         << " for matrix products, x " << options.convolutionEfficiency
         << " for convolutions; memory: " << gpu.memoryBandwidthBps / 1e9 << " GB/s x "
         << options.memoryEfficiency << "; " << bytes
         << " bytes per element. The efficiencies are assumed, the same for every model.";
    return text.str();
}

std::string sourceOf(const NetworkDescription& network, const Gpu& gpu, const AnalyticOptions& options) {
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text << "Computed, not measured: " << network.title << " on " << gpu.name << " at "
         << nameOf(precisionNames, options.precision) << ", " << counted(options.microbatchSize, "sample")
         << " per microbatch. " << network.notes << " Parameters: " << std::llround(network.parameters())
         << "; forward: " << flopsText(network.forwardFlops()) << " per sample (a multiply-add is two). "
         << method << (saysWhatIsStored(network) ? storedByTensor : storedWithoutMasks) << deferredMethod
         << " " << ratesText(network, gpu, options) << " GPU figures: " << gpu.source << ".";
    if (!gpu.unsure.empty()) text << " Not confirmed: " << gpu.unsure << ".";
    return text.str();
}

std::vector<RooflineTerm> rooflineOf(const NetworkDescription& network, const Gpu& gpu,
                                     const AnalyticOptions& options) {
    RooflineSum sum(gpu, options);
    for (const NetworkLayer& layer : network.layers)
        for (const Operation& operation : layer.operations) sum.add(operation);
    return sum.terms();
}

/// Rounding makes no part longer than its whole.
void limitRecompute(Layer& layer) {
    layer.scoresRecomputeS = std::min(layer.scoresRecomputeS, layer.forwardS);
}

Layer profileLayer(const NetworkLayer& description, bool isDivisible, const Gpu& gpu,
                   const AnalyticOptions& options) {
    double forward = 0, inputGradient = 0, weightGradient = 0, scores = 0, experts = 0;
    for (const Operation& operation : description.operations) {
        const OperationTime time = operationTime(operation, gpu, options);
        forward += time.forwardS;
        if (operation.isScoresRecompute) scores += time.forwardS;
        if (operation.part == ModelPart::experts) experts += operation.parameters;
        inputGradient += time.inputGradientS;
        weightGradient += time.weightGradientS;
    }
    const double bytes = elementBytes(options.precision);
    Layer layer;
    layer.name = description.name;
    layer.vocabulary = description.vocabulary;
    layer.forwardS = nanoseconds(forward) / 1e9;
    layer.backwardS = (nanoseconds(inputGradient) + nanoseconds(weightGradient)) / 1e9;
    layer.weightGradientS = nanoseconds(weightGradient) / 1e9;
    layer.scoresRecomputeS = nanoseconds(scores) / 1e9;
    layer.parameterBytes = bytes * description.parameters();
    layer.expertParameterBytes = bytes * experts;
    layer.outputBytes = bytes * description.outputElements * options.microbatchSize;
    layer.outputGradientBytes = layer.outputBytes;
    layer.storedActivationBytes = description.storedBytes(bytes) * options.microbatchSize;
    layer.storedParts = description.storedParts(bytes);
    scaleStoredParts(layer, options.microbatchSize);
    layer.weightGradientBytes = bytes * description.deferredElements() * options.microbatchSize;
    layer.flops = description.forwardFlops() * options.microbatchSize;
    limitRecompute(layer);
    if (isDivisible)
        layer.division =
            divisionOf(description, options.microbatchSize, bytes, [&](const Operation& operation) {
                const OperationTime time = operationTime(operation, gpu, options);
                return OperationParts{
                    {time.forwardS, time.inputGradientS + time.weightGradientS, time.weightGradientS},
                    fixedTimes(operation, time, options)};
            });
    return layer;
}

/// So that no nanosecond is lost to rounding between a layer and its nodes.
void sumTimesOfNodes(LayerProfile& profile) {
    std::vector<LayerTimes> sums(profile.layers.size());
    for (std::size_t node = 0; node < profile.operators.nodes.size(); ++node) {
        const Layer& part = profile.operators.nodes[node];
        LayerTimes& sum = sums[static_cast<std::size_t>(profile.operators.layerOf[node])];
        sum.forwardS += nanoseconds(part.forwardS);
        sum.backwardS += nanoseconds(part.backwardS);
        sum.weightGradientS += nanoseconds(part.weightGradientS);
    }
    for (std::size_t layer = 0; layer < sums.size(); ++layer) {
        profile.layers[layer].forwardS = sums[layer].forwardS / 1e9;
        profile.layers[layer].backwardS = sums[layer].backwardS / 1e9;
        profile.layers[layer].weightGradientS = sums[layer].weightGradientS / 1e9;
        limitRecompute(profile.layers[layer]);
    }
}

/// Rounds the nodes' times so that they add up to their layers', which stay as they are: to the difference of
/// rounded sums.
void sumTimesToLayers(const NetworkDescription& network, const Gpu& gpu, const AnalyticOptions& options,
                      NetworkGraph& operators) {
    LayerTimes sum, rounded;
    for (std::size_t node = 0; node < network.nodes.size(); ++node) {
        if (node == 0 || network.layerOf[node] != network.layerOf[node - 1]) sum = rounded = {};
        for (const Operation& operation : network.nodes[node].operations) {
            const OperationTime time = operationTime(operation, gpu, options);
            sum.forwardS += time.forwardS;
            sum.backwardS += time.inputGradientS;
            sum.weightGradientS += time.weightGradientS;
        }
        const LayerTimes before = rounded;
        rounded = {nanoseconds(sum.forwardS), nanoseconds(sum.backwardS), nanoseconds(sum.weightGradientS)};
        const double inputGradient = rounded.backwardS - before.backwardS;
        const double weightGradient = rounded.weightGradientS - before.weightGradientS;
        Layer& part = operators.nodes[node];
        part.forwardS = (rounded.forwardS - before.forwardS) / 1e9;
        part.backwardS = (inputGradient + weightGradient) / 1e9;
        part.weightGradientS = weightGradient / 1e9;
        limitRecompute(part);
    }
}

}  // namespace

int elementBytes(Precision precision) {
    return precision == Precision::fp16 || precision == Precision::bf16 ? 2 : 4;
}

double peakFlops(const Gpu& gpu, Precision precision) {
    switch (precision) {
        case Precision::fp32:
            return gpu.fp32Flops;
        case Precision::tf32:
            return gpu.tf32Flops;
        case Precision::fp16:
            return gpu.halfFlops;
        case Precision::bf16:
            return gpu.bf16Flops;
    }
    return 0;
}

OperationTime operationTime(const Operation& operation, const Gpu& gpu, const AnalyticOptions& options) {
    checkOptions(gpu, options);
    if (options.measured && operation.kind != OperationClass::convolution)
        return measuredTime(operation, options);
    OperationTime time;
    time.computeS = operation.flops * operation.computedShare * options.microbatchSize /
                    (peakFlops(gpu, options.precision) * efficiencyOf(operation.kind, options));
    time.memoryS = movedBytes(operation, options) / (gpu.memoryBandwidthBps * options.memoryEfficiency);
    time.forwardS = std::max(time.computeS, time.memoryS);
    time.inputGradientS = time.forwardS * operation.inputGradientPasses;
    time.weightGradientS = time.forwardS * operation.weightGradientPasses;
    return time;
}

void RooflineSum::add(const Operation& operation) {
    constexpr double stepsPerFactor = 50;  // of e
    const OperationTime time = operationTime(operation, gpu_, options_);
    const double passes = 1 + operation.inputGradientPasses + operation.weightGradientPasses;
    // What bounds an operation here bounds it in all passes, of which each may reach another share.
    const double takenS = time.forwardS + time.inputGradientS + time.weightGradientS;
    const bool isComputing = time.computeS > time.memoryS;
    const double flops =
                     (isComputing ? takenS : time.computeS * passes) * peakFlops(gpu_, options_.precision),
                 bytes = (isComputing ? time.memoryS * passes : takenS) * gpu_.memoryBandwidthBps;
    if (flops == 0 && bytes == 0) return;
    const long long step = flops == 0   ? std::numeric_limits<long long>::min()
                           : bytes == 0 ? std::numeric_limits<long long>::max()
                                        : std::llround(stepsPerFactor * std::log(flops / bytes));
    terms_[step].flops += flops;
    terms_[step].bytes += bytes;
}

std::vector<RooflineTerm> RooflineSum::terms() const {
    std::vector<RooflineTerm> list;
    for (const auto& [step, term] : terms_) list.push_back({std::round(term.flops), std::round(term.bytes)});
    return list;
}

LayerProfile analyticProfile(const NetworkDescription& network, const Gpu& gpu,
                             const AnalyticOptions& options) {
    checkOptions(gpu, options);
    LayerProfile profile;
    profile.name = network.title;
    profile.source = sourceOf(network, gpu, options);
    profile.microbatchSize = options.microbatchSize;
    profile.causalSequence = network.causalSequence;
    profile.elementBytes = elementBytes(options.precision);
    profile.roofline = rooflineOf(network, gpu, options);
    profile.peakFlops = peakFlops(gpu, options.precision);
    profile.divisible = network.divisible.value_or(DivisibleParts{});
    for (const NetworkLayer& layer : network.layers)
        profile.layers.push_back(profileLayer(layer, network.divisible.has_value(), gpu, options));
    if (network.nodes.empty()) return profile;
    profile.operators.edges = network.edges;
    profile.operators.layerOf = network.layerOf;
    for (const NetworkLayer& node : network.nodes)
        profile.operators.nodes.push_back(profileLayer(node, network.divisible.has_value(), gpu, options));
    if (network.nodesFromLayers)
        sumTimesToLayers(network, gpu, options, profile.operators);
    else
        sumTimesOfNodes(profile);
    return profile;
}

std::string traceLayer(const NetworkLayer& layer, const Gpu& gpu, const AnalyticOptions& options) {
    std::ostringstream text;
    text << layer.name << "\n";
    for (const Operation& operation : layer.operations) {
        const OperationTime time = operationTime(operation, gpu, options);
        text << "  " << operation.name << ": " << formatNumber(operation.flops * options.microbatchSize / 1e9)
             << " GFLOP, " << formatBytes(movedBytes(operation, options)) << ", bound by "
             << (time.computeS > time.memoryS ? "computing" : "memory") << "; forward "
             << formatSeconds(time.forwardS) << ", input gradient " << formatSeconds(time.inputGradientS)
             << ", weight gradient " << formatSeconds(time.weightGradientS) << "\n";
    }
    return text.str();
}

}  // namespace stagecraft::generation
