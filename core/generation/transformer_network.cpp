#include "core/generation/transformer_network.h"

#include "core/base/counted.h"
#include "core/generation/transformer_blocks.h"

#include <numeric>
#include <stdexcept>

namespace stagecraft::generation {

namespace {

constexpr double logitBytes = 4;  // they and the loss are computed in fp32

/// The ends of a transformer; the blocks between are TransformerBlocks'.
class TransformerEnds {
public:
    TransformerEnds(const TransformerModel& model, const TransformerRun& run, const TransformerBlocks& blocks)
        : model_(model), run_(run), blocks_(blocks), tokens_(blocks.tokens()) {}

    NetworkLayer embedding(const char* name) const {
        LayerBuilder layer(name, tokens_);
        const TransformerModel::Embedding& own = model_.embedding;
        const double width = own.width > 0 ? own.width : model_.hidden;
        const double tables = 1 + (own.positions > 0) + (own.tokenTypes > 0);
        layer.continueFrom({width, tokens_.height, 1})
            .embedding(own.width > 0 ? 1 : tables, model_.vocabulary * width)
            .dividedBy(TensorCut::words)
            .partOf(ModelPart::embedding);
        if (own.width > 0)
            blocks_.matrix(layer, "projection to the width", model_.hidden, false, ModelPart::embedding,
                           "projection_input", ActivationCause::other);
        if (own.positions > 0 || own.tokenTypes > 0)
            layer
                .operation({.name = "positions",
                            .parameters = static_cast<double>(own.positions + own.tokenTypes) * model_.hidden,
                            .trafficElements = 2 * tokens_.elements()},
                           tokens_)
                .partOf(ModelPart::embedding);
        finishEmbedding(layer);
        return layer.role(LayerRole::embedding).vocabulary(VocabularyLayer::embedding).build();
    }

    NetworkLayer patches() const {
        const ImagePatches& image = model_.image;
        const double numbers = static_cast<double>(image.channels) * image.patch * image.patch;
        const double side = image.size / image.patch;
        LayerBuilder layer("patches", {numbers, side * side, 1});
        blocks_.matrix(layer, "projection of patches", model_.hidden, true, ModelPart::embedding, "image",
                       ActivationCause::input);
        layer.readsData();
        const double rows = tokens_.height + (image.classToken ? 1 : 0);
        layer
            .operation({.name = image.classToken ? "class token and positions" : "positions",
                        .parameters = rows * model_.hidden,
                        .trafficElements = 3 * tokens_.elements()},
                       tokens_)
            .partOf(ModelPart::embedding);
        const int made = layer.tensor();
        if (model_.conditionClasses > 0) {
            condition(layer);
            layer.passesOn(model_.hidden, layer.tensor()).handsOn(made).continueFrom(tokens_);
        } else {
            finishEmbedding(layer);
        }
        return layer.role(LayerRole::embedding).build();
    }

    /// Between an encoder and its decoder: the encoder's last norm, and the decoder's words, which have the
    /// same table.
    NetworkLayer between() const {
        LayerBuilder layer("target embedding", tokens_);
        blocks_.norm(layer, "encoder_norm", ActivationCause::input);
        const int encoded = layer.tensor();
        layer.embedding(1, 0).partOf(ModelPart::embedding);
        // All decoder blocks read it, and it is kept once.
        layer.keeps({{"encoder_output", ActivationCause::other, tokens_.elements()}});
        finishEmbedding(layer);
        return layer.passesOn(tokens_.elements(), encoded).role(LayerRole::embedding).build();
    }

    NetworkLayer head(int predictions) const {
        const ModelHead& own = model_.head;
        LayerBuilder layer("head and loss", tokens_);
        if (model_.conditionClasses > 0) modulation(layer);
        // What prediction layers hand on has had their own norm; the last block's tensor came beside it.
        if (predictions > 0) layer.continueWith(fromBeside, tokens_);
        if (model_.finalNorm) blocks_.norm(layer, "final_norm", ActivationCause::input);
        const int last = layer.tensor();
        if (own.pooler) {
            layer.takeFirstToken();
            blocks_.matrix(layer, "pooler", model_.hidden, true, ModelPart::head, "pooler_input",
                           ActivationCause::other);
            layer.tanh().keeps({{"pooled", ActivationCause::other, layer.shape().elements()}});
        }
        if (own.classes > 0) {
            layer.takeFirstToken();
            blocks_.matrix(layer, "classifier", own.classes, true, ModelPart::head, "classifier_input",
                           ActivationCause::other);
            loss(layer, "answers");
        }
        if (own.outputWidth > 0) {
            blocks_.matrix(layer, "output projection", own.outputWidth, true, ModelPart::head, "head_input",
                           ActivationCause::norm);
            loss(layer, "answers");
        }
        if (own.vocabulary && model_.vocabulary > 0) {
            layer.vocabulary(VocabularyLayer::head);
            words(layer.continueWith(last, tokens_), !model_.tied);
            for (int index = 0; index < predictions; ++index)
                words(layer.continueWith(fromEntrance, tokens_), false);
        }
        return layer.role(LayerRole::head).build();
    }

private:
    void finishEmbedding(LayerBuilder& layer) const {
        if (model_.embedding.norm) blocks_.norm(layer, "embedding_norm");
        blocks_.dropout(layer, "embedding_dropout_mask");
    }

    /// Of time (256 numbers of sines, two dense layers) and class (a table with a row more for "none").
    void condition(LayerBuilder& layer) const {
        constexpr double waves = 256;
        layer.continueFrom({waves, 1, 1});
        blocks_.matrix(layer, "time in", model_.hidden, true, ModelPart::embedding, "",
                       ActivationCause::other);
        layer.reads({});
        layer.operation(
            {.name = "SiLU", .trafficElements = 2.0 * model_.hidden, .inputGradientPasses = threeForTwo},
            layer.shape());
        layer.keeps({{"time_silu_input", ActivationCause::other, layer.shape().elements()}});
        blocks_.matrix(layer, "time out", model_.hidden, true, ModelPart::embedding, "time_out_input",
                       ActivationCause::other);
        layer
            .operation({.name = "class",
                        .parameters = (model_.conditionClasses + 1.0) * model_.hidden,
                        .trafficElements = 3.0 * model_.hidden},
                       layer.shape())
            .partOf(ModelPart::embedding);
    }

    /// A scale and a shift of what the last norm makes.
    void modulation(LayerBuilder& layer) const {
        layer.continueWith(fromBeside, {tokens_.channels, 1, 1});
        blocks_.matrix(layer, "scale and shift", 2 * tokens_.channels, true, ModelPart::other, "condition",
                       ActivationCause::other);
        const int made = layer.tensor();
        layer.continueWith(fromEntrance, tokens_);
        layer.operation({.name = "scaling and shifting", .trafficElements = 2 * tokens_.elements()}, tokens_)
            .reads({fromEntrance, made});
    }

    /// @param ownWeights whether the product has weights that are counted nowhere else
    void words(LayerBuilder& layer, bool ownWeights) const {
        const ModelHead& own = model_.head;
        if (model_.embedding.width > 0)
            blocks_.matrix(layer, "projection to the words' width", model_.embedding.width, false,
                           ModelPart::head, "narrow_head_input", ActivationCause::norm);
        if (own.transform) {
            blocks_.matrix(layer, "transform", model_.hidden, true, ModelPart::head, "transform_input",
                           ActivationCause::head);
            layer.gelu().keeps({{"transform_gelu_input", ActivationCause::head, tokens_.elements()}});
            blocks_.norm(layer, "transform_norm", ActivationCause::head);
            layer.partOf(ModelPart::head);
        }
        blocks_.matrix(layer, "output projection", model_.vocabulary, own.bias, ModelPart::head, "head_input",
                       ActivationCause::norm, TensorCut::columns);
        if (!ownWeights) layer.sharesWeights(own.bias ? model_.vocabulary : 0);
        loss(layer, "logits");
    }

    void loss(LayerBuilder& layer, const char* kept) const {
        const double numbers = layer.shape().elements();
        layer.softmaxLoss().keeps({{kept, ActivationCause::head, numbers, logitBytes}});
    }

    const TransformerModel& model_;
    const TransformerRun& run_;
    const TransformerBlocks& blocks_;
    Shape tokens_;
};

std::string attentionNotes(const TransformerModel& model, AttentionKernel kernel) {
    if (kernel == AttentionKernel::stored)
        return std::string(" Attention is computed as dense products") +
               (model.causal ? ": what the causal mask hides counts, and all scores are kept."
                             : ", and all scores are kept.");
    return std::string(" Attention is fused: scores are not kept, the backward takes 2.5 times the forward") +
           (model.causal ? ", and what the causal mask hides is not computed (FLOP counts include it)."
                         : ".");
}

std::string shapeNotes(const TransformerModel& model, const TransformerRun& run) {
    const std::string blocks = model.decoderLayers > 0 ? "encoder blocks" : "blocks";
    std::string text = model.image.size > 0 ? "Images of " + std::to_string(model.image.size) +
                                                  " pixels as " + counted(model.patchTokens(), "token")
                                            : "Samples of " + counted(run.sequenceLength, "token");
    text += "; " + std::to_string(model.layers) + " " + blocks + " of width " + std::to_string(model.hidden);
    if (model.decoderLayers > 0) text += " and " + counted(model.decoderLayers, "decoder block");
    text += " with " + counted(model.heads, "head");
    if (!model.latent && model.keyValueHeads != model.heads)
        text += ", " + std::to_string(model.keyValueHeads) + " of keys and values";
    if (model.latent)
        text += ", keys and values from a latent of " + std::to_string(model.latent->keyValueRank);
    if (model.experts.count > 0)
        text += "; " + std::to_string(model.experts.count) + " experts, of which a token takes " +
                std::to_string(model.experts.active) +
                " (all experts' weights are read, and tokens are spread over them evenly)";
    if (model.predictionLayers > 0)
        text += "; " + counted(model.predictionLayers, "layer") + " of multi-token prediction " +
                (run.predictionLayers ? "included" : "left out");
    return text + ".";
}

DivisibleParts divisiblePartsOf(const TransformerModel& model, int tokens) {
    return {model.latent ? model.heads : std::gcd(model.heads, model.keyValueHeads), tokens,
            model.experts.count};
}

void checkRun(const TransformerModel& model, const TransformerRun& run) {
    if (const auto why = whyNoTransformer(model)) throw std::invalid_argument(*why);
    if (model.image.size == 0 && run.sequenceLength < 1)
        throw std::invalid_argument("sequence_length cannot be " + std::to_string(run.sequenceLength) +
                                    "; expected 1 or more");
    if (model.embedding.positions > 0 && run.sequenceLength > model.embedding.positions)
        throw std::invalid_argument(
            "a sequence_length of " + std::to_string(run.sequenceLength) + " does not go with a table of " +
            std::to_string(model.embedding.positions) + " positions; expected at most as many tokens");
}

}  // namespace

NetworkDescription transformerNetwork(const TransformerModel& model, const TransformerRun& run) {
    checkRun(model, run);
    const TransformerBlocks blocks(model, run);
    const TransformerEnds ends(model, run, blocks);
    NetworkDescription network{.title = model.title,
                               .notes = shapeNotes(model, run) + attentionNotes(model, run.attention) +
                                        (model.notes.empty() ? "" : " " + model.notes),
                               .causalSequence = model.causal && model.decoderLayers == 0};
    if (model.image.size == 0) network.divisible = divisiblePartsOf(model, run.sequenceLength);
    std::vector<NetworkLayer>& layers = network.layers;
    if (model.image.size > 0)
        layers.push_back(ends.patches());
    else if (model.vocabulary > 0)
        layers.push_back(ends.embedding(model.decoderLayers > 0 ? "source embedding" : "embedding"));
    const std::string name = model.decoderLayers > 0 ? "encoder " : "block ";
    for (int block = 0; block < model.layers; ++block)
        layers.push_back(blocks.block(name + std::to_string(block), block));
    if (model.decoderLayers > 0) layers.push_back(ends.between());
    for (int block = 0; block < model.decoderLayers; ++block) layers.push_back(blocks.decoderBlock(block));
    const int predictions = run.predictionLayers ? model.predictionLayers : 0;
    for (int index = 0; index < predictions; ++index) layers.push_back(blocks.predictionLayer(index));
    if (model.vocabulary > 0 || model.image.size > 0) layers.push_back(ends.head(predictions));
    return network;
}

}  // namespace stagecraft::generation
