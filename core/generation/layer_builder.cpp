#include "core/generation/layer_builder.h"

#include <cmath>
#include <set>

namespace stagecraft::generation {

namespace {

double windowed(double size, int kernel, int stride, int pad) {
    return std::floor((size + 2 * pad - kernel) / stride) + 1;
}

Shape slide(Shape input, Window window, double channels) {
    return {channels, windowed(input.height, window.height, window.stride, window.padHeight),
            windowed(input.width, window.width, window.stride, window.padWidth)};
}

}  // namespace

LayerBuilder::LayerBuilder(std::string name, Shape input) : entrance_(input), shape_(input) {
    layer_.name = std::move(name);
}

LayerBuilder& LayerBuilder::elementwise(const std::string& name, double traffic, double stored,
                                        double backwardPasses, double parameters) {
    return add({name, OperationClass::elementwise, 0, parameters, traffic, stored, backwardPasses, 0},
               shape_.elements());
}

LayerBuilder& LayerBuilder::weighted(const std::string& name, OperationClass kind, double flops,
                                     double parameters, Shape output, double stored) {
    add({name, kind, flops, parameters, shape_.elements() + output.elements(), stored, 1, 1},
        output.elements());
    shape_ = output;
    return *this;
}

/// A product of two activations: both need a gradient, and there is no weight.
LayerBuilder& LayerBuilder::product(const std::string& name, double flops, double inputs, double outputs) {
    return add({name, OperationClass::matrix, flops, 0, inputs + outputs, inputs, 2, 0}, outputs);
}

LayerBuilder& LayerBuilder::add(Operation operation, double outputElements) {
    operation.reads = {tensor_};
    operation.outputElements = outputElements;
    operation.isInside = inside_;
    madeInside_.push_back(inside_);
    tensor_ = static_cast<int>(layer_.operations.size());
    layer_.operations.push_back(std::move(operation));
    return *this;
}

LayerBuilder& LayerBuilder::makes(double elements) {
    layer_.operations.back().outputElements = elements;
    return *this;
}

LayerBuilder& LayerBuilder::withPrevious() {
    layer_.operations.back().withPrevious = true;
    return *this;
}

LayerBuilder& LayerBuilder::reads(std::vector<int> tensors) {
    layer_.operations.back().reads = std::move(tensors);
    return *this;
}

LayerBuilder& LayerBuilder::convolution(int channels, Window window, bool bias) {
    const Shape output = slide(shape_, window, channels);
    const double weights = shape_.channels * channels * window.height * window.width;
    const std::string name =
        "convolution " + std::to_string(window.height) + "x" + std::to_string(window.width);
    return weighted(name, OperationClass::convolution, 2 * weights * output.positions(),
                    weights + (bias ? channels : 0), output, shape_.elements());
}

LayerBuilder& LayerBuilder::batchNorm() {
    const double elements = shape_.elements();
    return elementwise("batch norm", 3 * elements, elements, fiveForThree, 2 * shape_.channels);
}

/// In place: what it writes is kept by the operation that reads it next.
LayerBuilder& LayerBuilder::relu() { return elementwise("ReLU", 2 * shape_.elements(), 0, threeForTwo); }

LayerBuilder& LayerBuilder::pool(Window window) {
    const double before = shape_.elements();
    shape_ = slide(shape_, window, shape_.channels);
    return elementwise("pooling", before + shape_.elements(), before, threeForTwo);
}

LayerBuilder& LayerBuilder::averagePool(Window window) {
    const double before = shape_.elements();
    shape_ = slide(shape_, window, shape_.channels);
    return elementwise("average pooling", before + shape_.elements(), 0, 1);
}

LayerBuilder& LayerBuilder::globalPool() {
    const double before = shape_.elements();
    shape_ = {shape_.channels, 1, 1};
    return elementwise("global average pooling", before + shape_.elements(), 0, 1);
}

LayerBuilder& LayerBuilder::flatten() { return continueFrom({shape_.elements(), 1, 1}); }

LayerBuilder& LayerBuilder::linear(const std::string& name, double outputs, bool bias) {
    const double weights = shape_.channels * outputs;
    const MatrixShape matrix{shape_.positions(), shape_.channels, outputs};
    weighted(name, OperationClass::matrix, 2 * weights * shape_.positions(), weights + (bias ? outputs : 0),
             {outputs, shape_.height, shape_.width}, shape_.elements());
    layer_.operations.back().matrix = matrix;
    return *this;
}

LayerBuilder& LayerBuilder::tiedLinear(const std::string& name, double outputs) {
    linear(name, outputs, false);
    layer_.operations.back().parameters = 0;
    return *this;
}

LayerBuilder& LayerBuilder::gelu() {
    return elementwise("GELU", 2 * shape_.elements(), shape_.elements(), threeForTwo);
}

LayerBuilder& LayerBuilder::tanh() {
    return elementwise("tanh", 2 * shape_.elements(), shape_.elements(), threeForTwo);
}

LayerBuilder& LayerBuilder::dropout() { return elementwise("dropout", 2 * shape_.elements(), 0, 1); }

LayerBuilder& LayerBuilder::addShortcut() {
    const int straight = tensor_;
    return elementwise("shortcut addition", 3 * shape_.elements(), 0, 1).reads({straight, shortcutFrom_});
}

LayerBuilder& LayerBuilder::shortcutFromHere() {
    shortcutFrom_ = tensor_;
    return *this;
}

LayerBuilder& LayerBuilder::layerNorm() {
    const double elements = shape_.elements();
    return elementwise("layer norm", 2 * elements, elements, threeForTwo, 2 * shape_.channels);
}

LayerBuilder& LayerBuilder::rmsNorm() {
    const double elements = shape_.elements();
    return elementwise("RMS norm", 2 * elements, elements, threeForTwo, shape_.channels);
}

LayerBuilder& LayerBuilder::gatedFeedForward(double innerWidth, int experts, int active) {
    const Shape tokens = shape_;
    std::vector<int> routed = {tensor_};
    if (experts > 1) {
        const int input = tensor_;
        linear("router", experts, false);
        const double scores = shape_.elements();
        elementwise("choice of experts", 2 * scores, scores, threeForTwo);
        routed.push_back(tensor_);
        continueWith(input, tokens);
    }
    const double tokensTimesExperts = tokens.positions() * active;
    const double inner = innerWidth * tokensTimesExperts, entering = tokens.channels * tokensTimesExperts;
    const double weights = tokens.channels * innerWidth;
    const auto multiply = [&](const std::string& name, double parallel, double inputs, double outputs) {
        add({name, OperationClass::matrix, 2 * parallel * weights * tokensTimesExperts,
             parallel * weights * experts, inputs + outputs, inputs, 1, 1},
            outputs);
    };
    multiply("gate and up", 2, entering, 2 * inner);
    reads(routed);
    elementwise("SiLU and product", 3 * inner, 2 * inner, fiveForThree).makes(inner);
    multiply("down", 1, inner, entering);
    if (active > 1) elementwise("sum of experts", entering + tokens.elements(), entering, 1);
    return continueFrom(tokens);
}

/// Four gates. The products with the inputs of all steps are one; those with the state of the step before
/// follow one another and read their weights each time. Kept: the gates, the cell and the state.
LayerBuilder& LayerBuilder::lstm(double width) {
    const double steps = shape_.height;
    const Shape gates = {4 * width, steps, 1}, states = {width, steps, 1};
    linear("LSTM input products", gates.channels);
    continueFrom(states).linear("LSTM recurrent products", gates.channels).withPrevious();
    layer_.operations.back().weightReads = steps;
    elementwise("LSTM gates", gates.elements() + 3 * states.elements(), gates.elements() + states.elements(),
                fiveForThree)
        .withPrevious()
        .makes(states.elements());
    return continueFrom(states);
}

LayerBuilder& LayerBuilder::additiveAttention(double keys) {
    const Shape queries = shape_, context = {queries.channels, keys, 1};
    linear("query projection", queries.channels, false);
    const int query = tensor_;
    continueWith(fromBeside, context).linear("key projection", queries.channels, false);
    const int key = tensor_;
    const double pairs = queries.height * keys, sums = pairs * queries.channels;
    // The vector that scores and the normalisation's bias are as wide as a token; its scale is a number.
    elementwise("tanh of sums", queries.elements() + context.elements() + sums, sums, threeForTwo,
                2 * queries.channels + 1)
        .reads({query, key})
        .makes(sums);
    elementwise("scores", sums + pairs, 0, threeForTwo).makes(pairs);
    elementwise("softmax", 2 * pairs, pairs, threeForTwo).makes(pairs);
    const int weights = tensor_;
    product("weighted sum", 2 * pairs * queries.channels, pairs + context.elements(), queries.elements())
        .reads({weights, fromBeside});
    return continueFrom(queries);
}

LayerBuilder& LayerBuilder::embedding(double tables, double parameters) {
    elementwise("embedding", (tables + 1) * shape_.elements(), 0, 0, parameters).reads({});
    layer_.operations.back().weightGradientPasses = 1;
    return *this;
}

LayerBuilder& LayerBuilder::attention(const Attention& attention) {
    const Shape tokens = shape_;
    const double width = tokens.channels, queries = tokens.height, keys = attention.keys;
    const double shared = attention.keyValueHeads > 0 ? attention.keyValueHeads / attention.heads : 1;
    const double scores = attention.heads * queries * keys;
    const Shape other = {shared * width, keys, 1};

    if (attention.crossing) linear("query projection", width, attention.bias);
    const int query = tensor_;
    if (attention.crossing)
        continueWith(fromBeside, {width, keys, 1})
            .linear("key and value projection", 2 * other.channels, attention.bias);
    else
        linear("query, key and value projection", width + 2 * other.channels, attention.bias);
    if (attention.rotary) elementwise("rotary positions", 2 * (tokens.elements() + other.elements()), 0, 1);
    if (attention.fused) {
        fusedAttention(attention, scores, other);
        return linear("output projection", width, attention.bias);
    }
    const int value = tensor_;
    const std::vector<int> queryAndKey = attention.crossing ? std::vector{query, value} : std::vector{value};
    product("scores", 2 * queries * keys * width, tokens.elements() + other.elements(), scores)
        .reads(queryAndKey);
    if (attention.relative) {
        const int plain = tensor_;
        const Shape positions = {width, 2 * keys, 1};
        continueFrom(positions).linear("position projection", width, false).reads({});
        const int position = tensor_;
        product("position scores", 2 * queries * positions.height * width,
                tokens.elements() + positions.elements(), 2 * scores)
            .reads({value, position});
        // Three biases on the queries, two segment rows, each as wide as a token; the shift adds both scores.
        const int relative = tensor_;
        elementwise("relative shift", 4 * scores, 0, 1, 5 * width).reads({plain, relative}).makes(scores);
    }
    elementwise("softmax", 2 * scores, scores, threeForTwo).makes(scores);
    elementwise("attention dropout", 2 * scores, 0, 1).makes(scores);
    const int weights = tensor_;
    product("weighted values", 2 * queries * keys * width, scores + other.elements(), tokens.elements())
        .reads({weights, value});
    return continueFrom(tokens).linear("output projection", width, attention.bias);
}

/// Five products in the backward for two in the forward (Dao et al., 2022, Sec. 3.1).
void LayerBuilder::fusedAttention(const Attention& attention, double scores, Shape keys) {
    constexpr double backwardPasses = 2.5, fp32Bytes = 4;
    const Shape tokens{shape_.channels - 2 * keys.channels, shape_.height, 1};
    const double query = tokens.elements(), key = keys.elements();
    operation(
        {.name = "fused attention",
         .kind = OperationClass::matrix,
         .flops = 4 * scores * tokens.channels / attention.heads,
         .trafficElements = 2 * query + 2 * key,
         .inputGradientPasses = backwardPasses,
         .isAttentionCore = true,
         .attention = AttentionCore{tokens.height, attention.heads,
                                    attention.keyValueHeads > 0 ? attention.keyValueHeads : attention.heads,
                                    tokens.channels / attention.heads, tokens.channels / attention.heads,
                                    keys.height}},
        tokens);
    keeps({{"q", ActivationCause::attention, query},
           {"k", ActivationCause::attention, key},
           {"v", ActivationCause::attention, key},
           {"log_sum_exp", ActivationCause::logSumExp, attention.heads * tokens.height, fp32Bytes}});
}

LayerBuilder& LayerBuilder::softmaxLoss() {
    const double elements = shape_.elements();
    elementwise("softmax and cross entropy", 2 * elements, elements, 1);
    layer_.operations.back().isLoss = true;
    return continueFrom({1, 1, 1});
}

LayerBuilder& LayerBuilder::operation(Operation operation, Shape output) {
    add(std::move(operation), output.elements());
    return continueFrom(output);
}

LayerBuilder& LayerBuilder::keeps(std::vector<StoredTensor> tensors) {
    Operation& last = layer_.operations.back();
    last.storedElements = 0;
    for (const StoredTensor& tensor : tensors)
        if (tensor.elementBytes == 0) last.storedElements += tensor.elements;
    last.stored = std::move(tensors);
    return *this;
}

LayerBuilder& LayerBuilder::dividedBy(TensorCut cut) {
    layer_.operations.back().cut = cut;
    if (cut != TensorCut::none) inside_ = cut == TensorCut::columns;
    madeInside_.back() = inside_;
    return *this;
}

LayerBuilder& LayerBuilder::partOf(ModelPart part) {
    layer_.operations.back().part = part;
    return *this;
}

LayerBuilder& LayerBuilder::sharesWeights(double own) {
    layer_.operations.back().parameters = own;
    return *this;
}

LayerBuilder& LayerBuilder::role(LayerRole role) {
    layer_.role = role;
    return *this;
}

LayerBuilder& LayerBuilder::vocabulary(VocabularyLayer layer) {
    layer_.vocabulary = layer;
    return *this;
}

LayerBuilder& LayerBuilder::takeFirstToken() { return continueFrom({shape_.channels, 1, 1}); }

LayerBuilder& LayerBuilder::continueFrom(Shape shape) {
    shape_ = shape;
    return *this;
}

LayerBuilder& LayerBuilder::continueWith(int tensor, Shape shape) {
    tensor_ = tensor;
    inside_ = tensor >= 0 && madeInside_[static_cast<std::size_t>(tensor)];
    return continueFrom(shape);
}

LayerBuilder& LayerBuilder::concatenate(double channels) {
    shape_.channels = channels;
    return elementwise("concatenation", 2 * shape_.elements(), 0, 1);
}

LayerBuilder& LayerBuilder::readsData() {
    layer_.operations.front().inputGradientPasses = 0;
    layer_.operations.front().reads = {};
    return *this;
}

bool LayerBuilder::keepsInput() const {
    return !layer_.operations.empty() && layer_.operations.front().storedElements == entrance_.elements();
}

LayerBuilder& LayerBuilder::keepsNoInput() {
    layer_.operations.front().storedElements = 0;
    return *this;
}

LayerBuilder& LayerBuilder::passesOn(double elements, int tensor) {
    passedOn_ = elements;
    layer_.beside = tensor;
    return *this;
}

LayerBuilder& LayerBuilder::handsOn(int tensor) {
    handedOn_ = tensor;
    return *this;
}

NetworkLayer LayerBuilder::build() const {
    NetworkLayer layer = layer_;
    layer.outputElements = shape_.elements() + passedOn_;
    layer.result = handedOn_ == noTensor ? tensor_ : handedOn_;
    std::set<std::vector<int>> read;
    for (Operation& operation : layer.operations) {
        if (operation.weightGradientPasses == 0) continue;
        operation.deferredElements = operation.outputElements;
        // What a lookup reads are numbers of rows.
        if (operation.kind != OperationClass::elementwise && read.insert(operation.reads).second)
            operation.deferredElements += operation.trafficElements - operation.outputElements;
    }
    return layer;
}

}  // namespace stagecraft::generation
