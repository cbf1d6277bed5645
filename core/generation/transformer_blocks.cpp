#include "core/generation/transformer_blocks.h"

namespace stagecraft::generation {

namespace {

constexpr double fp32Bytes = 4, maskBytes = 1;
/// FlashAttention's backward has five products where the forward has two (Dao et al., 2022, Sec. 3.1).
constexpr double fusedBackwardPasses = 2.5;

std::string withPrefix(const std::string& prefix, const std::string& name) {
    return prefix.empty() ? name : prefix + "_" + name;
}

}  // namespace

TransformerBlocks::TransformerBlocks(const TransformerModel& model, const TransformerRun& run)
    : model_(model), run_(run) {
    const double length = model.image.size > 0 ? model.patchTokens() : run.sequenceLength;
    tokens_ = {static_cast<double>(model.hidden), length, 1};
}

void TransformerBlocks::norm(LayerBuilder& layer, const std::string& name, ActivationCause cause) const {
    const double channels = layer.shape().channels, elements = layer.shape().elements();
    const double parameters = !model_.normScales               ? 0
                              : model_.norm == NormKind::layer ? 2 * channels
                                                               : channels;
    layer.operation({.name = model_.norm == NormKind::layer ? "layer norm" : "RMS norm",
                     .parameters = parameters,
                     .trafficElements = 2 * elements,
                     .inputGradientPasses = threeForTwo},
                    layer.shape());
    layer.keeps({{name + "_input", cause, elements}}).partOf(ModelPart::norm);
}

void TransformerBlocks::matrix(LayerBuilder& layer, const std::string& name, double outputs, bool bias,
                               ModelPart part, const std::string& kept, ActivationCause cause,
                               TensorCut cut) const {
    const double elements = layer.shape().elements();
    layer.linear(name, outputs, bias).dividedBy(cut).partOf(part).keeps({});
    if (!kept.empty()) layer.keeps({{kept, cause, elements}});
}

void TransformerBlocks::dropout(LayerBuilder& layer, const std::string& kept) const {
    if (!model_.dropout) return;
    layer.dropout().keeps({{kept, ActivationCause::norm, layer.shape().elements(), maskBytes}});
}

void TransformerBlocks::latentQueries(LayerBuilder& layer, const std::string& kept,
                                      ActivationCause cause) const {
    const LatentAttention& latent = *model_.latent;
    const Shape entering = layer.shape();
    const int input = layer.tensor();
    if (latent.queryRank > 0) {
        matrix(layer, "query compression", latent.queryRank, model_.biases.queryKeyValue,
               ModelPart::attention, kept, cause);
        norm(layer, "q_norm");
        matrix(layer, "query projection", model_.queryWidth(), false, ModelPart::attention, "q_b_input",
               ActivationCause::norm, TensorCut::columns);
    } else {
        matrix(layer, "query projection", model_.queryWidth(), false, ModelPart::attention, kept, cause,
               TensorCut::columns);
    }
    const int query = layer.tensor();
    layer.continueWith(input, entering);
    matrix(layer, "key and value compression", latent.keyValueRank + latent.rotaryWidth,
           model_.biases.queryKeyValue, ModelPart::attention, "", cause);
    layer.continueFrom({static_cast<double>(latent.keyValueRank), entering.height, 1});
    norm(layer, "kv_norm");
    matrix(layer, "key and value projection",
           static_cast<double>(model_.heads) * (latent.plainWidth + latent.valueWidth), false,
           ModelPart::attention, "kv_b_input", ActivationCause::norm, TensorCut::columns);
    const double rotated = entering.height * (model_.queryWidth() + latent.rotaryWidth);
    const int value = layer.tensor();
    layer
        .operation({.name = "rotary positions", .trafficElements = 2 * rotated},
                   {2 * model_.queryWidth() + model_.valueWidth(), entering.height, 1})
        .reads({query, value});
}

/// Each head's queries and keys are brought to one length.
void TransformerBlocks::headNorms(LayerBuilder& layer) const {
    const double query = model_.queryWidth() * layer.shape().height;
    const double key = static_cast<double>(model_.keyValueHeads) * model_.headWidth * layer.shape().height;
    layer.operation({.name = "norms of queries and keys",
                     .parameters = (model_.norm == NormKind::layer ? 4.0 : 2.0) * model_.headWidth,
                     .trafficElements = 2 * (query + key),
                     .inputGradientPasses = threeForTwo},
                    layer.shape());
    layer.partOf(ModelPart::norm)
        .keeps({{"q_head_norm_input", ActivationCause::attention, query},
                {"k_head_norm_input", ActivationCause::attention, key}});
}

void TransformerBlocks::queries(LayerBuilder& layer, bool crossing, const std::string& kept,
                                ActivationCause cause) const {
    if (model_.latent) return latentQueries(layer, kept, cause);
    const double query = model_.queryWidth(), keyValue = 2.0 * model_.keyValueHeads * model_.headWidth;
    const bool bias = model_.biases.queryKeyValue;
    if (crossing) {
        matrix(layer, "query projection", query, bias, ModelPart::attention, kept, cause, TensorCut::columns);
        const int made = layer.tensor();
        layer.continueWith(fromBeside, tokens_);
        matrix(layer, "key and value projection", keyValue, bias, ModelPart::attention, "", cause,
               TensorCut::columns);
        const int value = layer.tensor();
        layer.operation({.name = "queries, keys and values"}, {query + keyValue, tokens_.height, 1})
            .reads({made, value});
        return;
    }
    matrix(layer, "query, key and value projection", query + keyValue, bias, ModelPart::attention, kept,
           cause, TensorCut::columns);
    if (model_.queryKeyNorm) headNorms(layer);
    const double rotated = (query + keyValue / 2) * layer.shape().height;
    if (model_.rotary)
        layer.operation({.name = "rotary positions", .trafficElements = 2 * rotated}, layer.shape());
}

void TransformerBlocks::core(LayerBuilder& layer, double keys, bool masked) const {
    if (run_.attention == AttentionKernel::fused) return fusedCore(layer, keys, masked);
    const double length = tokens_.height, query = model_.queryWidth() * length, value = model_.valueWidth();
    const double shared = model_.latent ? 1.0 : static_cast<double>(model_.keyValueHeads) / model_.heads;
    const double scores = model_.heads * length * length;  // a window only masks them
    const Shape matrixOf = {model_.heads * length, length, 1};
    const int made = layer.tensor();
    const auto add = [&](Operation operation, Shape output, std::vector<StoredTensor> kept) {
        operation.isScoresRecompute = true;
        layer.operation(std::move(operation), output).keeps(std::move(kept));
    };
    add({.name = "scores",
         .kind = OperationClass::matrix,
         .flops = 2 * length * query,
         .trafficElements = query + shared * query + scores,
         .inputGradientPasses = 2,
         .isAttentionCore = true,
         .keyValueElements = shared * (query + value * length)},
        matrixOf,
        {{"q", ActivationCause::attention, query}, {"k", ActivationCause::attention, shared * query}});
    add({.name = "softmax", .trafficElements = 2 * scores, .inputGradientPasses = threeForTwo}, matrixOf,
        {{"softmax_output", ActivationCause::scores, scores}});
    if (model_.dropout)
        add({.name = "attention dropout", .trafficElements = 2 * scores}, matrixOf,
            {{"softmax_dropout_mask", ActivationCause::scores, scores, maskBytes},
             {"softmax_dropout_output", ActivationCause::scores, scores}});
    const int weights = layer.tensor();
    add({.name = "weighted values",
         .kind = OperationClass::matrix,
         .flops = 2 * length * length * value,
         .trafficElements = scores + shared * value * length + value * length,
         .inputGradientPasses = 2,
         .isAttentionCore = true},
        {value, length, 1}, {{"v", ActivationCause::attention, shared * value * length}});
    layer.reads({weights, made});
}

void TransformerBlocks::fusedCore(LayerBuilder& layer, double keys, bool masked) const {
    const double length = tokens_.height, query = model_.queryWidth() * length;
    const double value = model_.valueWidth() * length;
    const double shared = model_.latent ? 1.0 : static_cast<double>(model_.keyValueHeads) / model_.heads;
    // Pairs of a token and one that it looks at, of those that the products would have without a mask.
    const double pairs = masked ? keys * (keys + 1) / 2 + (length - keys) * keys : length * keys;
    layer.operation({.name = "fused attention",
                     .kind = OperationClass::matrix,
                     .flops = 2 * keys * (query + value),
                     .trafficElements = query + shared * (query + value) + value,
                     .inputGradientPasses = fusedBackwardPasses,
                     .computedShare = pairs / (length * keys),
                     .isAttentionCore = true,
                     .keyValueElements = shared * (query + value),
                     .attention = AttentionCore{length, static_cast<double>(model_.heads),
                                                shared * model_.heads, query / length / model_.heads,
                                                value / length / model_.heads, keys, masked}},
                    {model_.valueWidth(), length, 1});
    layer.keeps({{"q", ActivationCause::attention, query},
                 {"k", ActivationCause::attention, shared * query},
                 {"v", ActivationCause::attention, shared * value},
                 {"log_sum_exp", ActivationCause::logSumExp, model_.heads * length, fp32Bytes}});
}

void TransformerBlocks::attention(LayerBuilder& layer, const AttentionUse& use) const {
    const std::string prefix = use.crossing ? "cross" : "";
    queries(layer, use.crossing, withPrefix(prefix, "qkv_input"),
            use.atEntrance ? ActivationCause::input : ActivationCause::norm);
    if (model_.relativeBuckets > 0 && use.layer == 0 && !use.crossing)
        layer
            .operation({.name = "relative positions",
                        .parameters = static_cast<double>(model_.relativeBuckets) * model_.heads},
                       layer.shape())
            .partOf(ModelPart::attention);
    core(layer, use.crossing ? tokens_.height : model_.keysOf(use.layer, tokens_.height), use.masked);
    matrix(layer, "output projection", model_.hidden, model_.biases.output, ModelPart::attention,
           withPrefix(prefix, "attention_output"), ActivationCause::attention, TensorCut::rows);
    dropout(layer, withPrefix(prefix, "attention_dropout_mask"));
}

/// @param kept the input's name, where it is kept here
void TransformerBlocks::dense(LayerBuilder& layer, double width, const std::string& prefix,
                              const std::string& kept, ModelPart part) const {
    const bool bias = model_.biases.ffn;
    const double inner = width * layer.shape().positions();
    const char* activation = nameOf(activationNames, model_.activation);
    const ActivationCause mlp = ActivationCause::mlp;
    if (model_.gated) {
        matrix(layer, "gate and up", 2 * width, bias, part, kept, ActivationCause::norm, TensorCut::columns);
        layer.operation({.name = std::string(activation) + " and product",
                         .trafficElements = 3 * inner,
                         .inputGradientPasses = fiveForThree},
                        {width, layer.shape().height, layer.shape().width});
        layer.keeps({{withPrefix(prefix, "gate"), mlp, inner}, {withPrefix(prefix, "up"), mlp, inner}});
        matrix(layer, "down", model_.hidden, bias, part, withPrefix(prefix, "down_input"), mlp,
               TensorCut::rows);
        return;
    }
    matrix(layer, "feed forward in", width, bias, part, kept, ActivationCause::norm, TensorCut::columns);
    layer.operation({.name = activation, .trafficElements = 2 * inner, .inputGradientPasses = threeForTwo},
                    layer.shape());
    // What a ReLU let through shows in what it made.
    if (model_.activation != Activation::relu) layer.keeps({{withPrefix(prefix, "gelu_input"), mlp, inner}});
    matrix(layer, "feed forward out", model_.hidden, bias, part, withPrefix(prefix, "down_input"), mlp,
           TensorCut::rows);
}

/// The experts themselves, of which each token takes some.
void TransformerBlocks::routed(LayerBuilder& layer, std::vector<int> reads) const {
    const Experts& experts = model_.experts;
    const double sent = tokens_.positions() * experts.active, entering = tokens_.channels * sent;
    const double inner = experts.width * sent, weights = tokens_.channels * experts.width;
    const double parallel = model_.gated ? 2 : 1;
    const ActivationCause mlp = ActivationCause::mlp;
    const auto multiply = [&](const char* name, double matrices, double inputs, double outputs,
                              double copied) {
        layer.operation(
            {.name = name,
             .kind = OperationClass::matrix,
             .flops = 2 * matrices * weights * sent,
             .parameters = matrices * weights * experts.count,
             .trafficElements = inputs + outputs,
             .weightGradientPasses = 1,
             .part = ModelPart::experts,
             .idleParameters = matrices * weights * (experts.count - experts.active),
             .isRouted = true,
             .routedElements = entering,
             .routedFromElements = copied,
             .matrix = MatrixShape{sent, inputs / sent, outputs / sent, static_cast<double>(experts.count)}},
            {outputs / tokens_.height, tokens_.height, 1});
    };
    multiply(model_.gated ? "gate and up" : "feed forward in", parallel, entering, parallel * inner,
             tokens_.elements());
    layer.reads(std::move(reads)).keeps({{"dispatched", mlp, entering}});
    layer.operation({.name = std::string(nameOf(activationNames, model_.activation)) +
                             (model_.gated ? " and product" : ""),
                     .trafficElements = (parallel + 1) * inner,
                     .inputGradientPasses = model_.gated ? fiveForThree : threeForTwo,
                     .isRouted = true},
                    {inner / tokens_.height, tokens_.height, 1});
    if (model_.gated)
        layer.keeps({{"expert_gate", mlp, inner}, {"expert_up", mlp, inner}});
    else
        layer.keeps({{"expert_gelu_input", mlp, inner}});
    multiply(model_.gated ? "down" : "feed forward out", 1, inner, entering, 0);
    layer.keeps({{"expert_down_input", mlp, inner}});
    layer.operation({.name = "sum of experts", .trafficElements = entering + tokens_.elements()}, tokens_);
    layer.keeps({{"expert_output", mlp, entering}});
}

void TransformerBlocks::experts(LayerBuilder& layer, bool inputKept) const {
    const Experts& experts = model_.experts;
    const int input = layer.tensor();
    matrix(layer, "router", experts.count, experts.routerBias, ModelPart::router,
           inputKept ? "" : "mlp_input", ActivationCause::norm);
    const double scores = layer.shape().elements();
    layer.operation(
        {.name = "choice of experts", .trafficElements = 2 * scores, .inputGradientPasses = threeForTwo},
        layer.shape());
    layer.keeps({{"router_scores", ActivationCause::router, scores, fp32Bytes}});
    routed(layer, {input, layer.tensor()});
    if (experts.sharedWidth == 0) return;
    const int sum = layer.tensor();
    layer.continueWith(input, tokens_);
    dense(layer, experts.sharedWidth, "shared", "", ModelPart::mlp);
    const int shared = layer.tensor();
    if (experts.sharedGate) {
        layer.continueWith(input, tokens_);
        matrix(layer, "weight of what is shared", 1, false, ModelPart::router, "", ActivationCause::norm);
    }
    std::vector<int> added = {sum, shared};
    if (experts.sharedGate) added.push_back(layer.tensor());
    layer.operation({.name = "sum with what is shared", .trafficElements = 3 * tokens_.elements()}, tokens_)
        .reads(std::move(added));
}

void TransformerBlocks::feedForward(LayerBuilder& layer, int index, bool inputKept) const {
    if (model_.hasExperts(index))
        experts(layer, inputKept);
    else
        dense(layer, model_.ffn, "", inputKept ? "" : "mlp_input", ModelPart::mlp);
    dropout(layer, "mlp_dropout_mask");
}

void TransformerBlocks::serial(LayerBuilder& layer, int index) const {
    const bool sandwich = model_.form == BlockForm::sandwich;
    norm(layer, "norm1", ActivationCause::input);
    attention(layer, {.layer = index, .masked = model_.causal});
    if (sandwich) norm(layer, "post_attention_norm");
    layer.addShortcut().shortcutFromHere();
    norm(layer, "norm2");
    feedForward(layer, index);
    if (sandwich) norm(layer, "post_mlp_norm");
    layer.addShortcut();
}

void TransformerBlocks::parallel(LayerBuilder& layer, int index) const {
    norm(layer, "norm1", ActivationCause::input);
    const int normed = layer.tensor();
    attention(layer, {.layer = index, .masked = model_.causal});
    const int attended = layer.tensor();
    const bool ownNorm = model_.form == BlockForm::parallelTwoNorms;
    layer.continueWith(ownNorm ? fromEntrance : normed, tokens_);
    if (ownNorm) {
        norm(layer, "norm2");
        layer.keeps({});  // the first norm keeps the same tensor
    }
    feedForward(layer, index, !ownNorm);
    const int fed = layer.tensor();
    layer.operation({.name = "shortcut addition", .trafficElements = 4 * tokens_.elements()}, tokens_)
        .reads({fed, attended, fromEntrance});
}

void TransformerBlocks::postNorm(LayerBuilder& layer, int index) const {
    attention(layer, {.layer = index, .atEntrance = true, .masked = model_.causal});
    layer.addShortcut();
    norm(layer, "norm1");
    layer.shortcutFromHere();
    feedForward(layer, index);
    layer.addShortcut();
    norm(layer, "norm2");
}

/// Six vectors of a token's width from that of time and class: for either part a scale and a shift before it
/// and a gate after it (Peebles and Xie, 2023, Sec. 3.2, adaLN-Zero).
void TransformerBlocks::conditioning(LayerBuilder& layer) const {
    layer.continueWith(fromBeside, {tokens_.channels, 1, 1});
    matrix(layer, "scales, shifts and gates", 6 * tokens_.channels, true, ModelPart::other, "condition",
           ActivationCause::other);
    const int made = layer.tensor();
    layer.continueWith(fromEntrance, tokens_);
    layer.operation({.name = "scaling and shifting", .trafficElements = 8 * tokens_.elements()}, tokens_)
        .reads({fromEntrance, made});
}

NetworkLayer TransformerBlocks::block(const std::string& name, int layer) const {
    LayerBuilder builder(name, tokens_);
    if (model_.conditionClasses > 0) conditioning(builder);
    switch (model_.form) {
        case BlockForm::preNorm:
        case BlockForm::sandwich:
            serial(builder, layer);
            break;
        case BlockForm::postNorm:
            postNorm(builder, layer);
            break;
        case BlockForm::parallel:
        case BlockForm::parallelTwoNorms:
            parallel(builder, layer);
            break;
    }
    if (model_.conditionClasses > 0) builder.passesOn(tokens_.channels);
    return builder.role(LayerRole::block).build();
}

NetworkLayer TransformerBlocks::decoderBlock(int layer) const {
    LayerBuilder builder("decoder " + std::to_string(layer), tokens_);
    norm(builder, "norm1", ActivationCause::input);
    attention(builder, {.layer = layer, .masked = true});
    builder.addShortcut().shortcutFromHere();
    norm(builder, "cross_norm");
    attention(builder, {.layer = layer, .crossing = true});
    builder.addShortcut().shortcutFromHere();
    norm(builder, "norm2");
    dense(builder, model_.ffn, "", "mlp_input", ModelPart::mlp);
    dropout(builder, "mlp_dropout_mask");
    builder.addShortcut();
    // The last one is the encoder's output's last reader.
    if (layer + 1 < model_.decoderLayers) builder.passesOn(tokens_.elements());
    return builder.role(LayerRole::block).build();
}

NetworkLayer TransformerBlocks::predictionLayer(int index) const {
    LayerBuilder builder("prediction " + std::to_string(index), tokens_);
    norm(builder, "hidden_norm", ActivationCause::input);
    const int hidden = builder.tensor();
    builder
        .operation({.name = "embedding of the next token", .trafficElements = 2 * tokens_.elements()},
                   tokens_)
        .reads({});
    norm(builder, "embedding_norm");
    const int embedded = builder.tensor();
    Shape both = tokens_;
    both.channels *= 2;
    builder.operation({.name = "concatenation", .trafficElements = 2 * both.elements()}, both)
        .reads({hidden, embedded});
    matrix(builder, "projection", tokens_.channels, false, ModelPart::other, "projection_input",
           ActivationCause::norm);
    builder.shortcutFromHere();
    norm(builder, "norm1");
    attention(builder, {.layer = model_.layers - 1, .masked = model_.causal});
    builder.addShortcut().shortcutFromHere();
    norm(builder, "norm2");
    feedForward(builder, model_.layers - 1);
    builder.addShortcut();
    const double ahead = tokens_.elements() * (index + 1);  // what the head reads beside
    norm(builder, "head_norm");
    return builder.passesOn(ahead, fromEntrance).role(LayerRole::prediction).build();
}

}  // namespace stagecraft::generation
