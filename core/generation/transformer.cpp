#include "core/generation/families.h"
#include "core/generation/layer_builder.h"

namespace stagecraft::generation {

namespace {

void attend(LayerBuilder& layer, const TransformerShape& shape, bool crossing) {
    layer.attention({.heads = static_cast<double>(shape.heads),
                     .keys = static_cast<double>(shape.sequenceLength),
                     .bias = false,
                     .crossing = crossing});
    layer.dropout().addShortcut().layerNorm().shortcutFromHere();
}

void feedForward(LayerBuilder& layer, const TransformerShape& shape) {
    layer.linear("feed forward in", shape.innerWidth)
        .relu()
        .dropout()
        .linear("feed forward out", shape.width);
    layer.dropout().addShortcut().layerNorm();
}

/// Vaswani et al., 2017, Table 3, "base".
bool isBase(const TransformerShape& shape) {
    return shape.depth == 6 && shape.width == 512 && shape.innerWidth == 2048 && shape.heads == 8;
}

std::string notesOn(const TransformerShape& shape) {
    return std::string(isBase(shape) ? "The base model" : "A model") + " with source and target of " +
           std::to_string(shape.sequenceLength) + " tokens and a shared vocabulary of " +
           std::to_string(shape.vocabulary) +
           "; the encoder's output travels with the decoder's tensor, so that the network is a chain. One "
           "matrix "
           "serves both embeddings and the output projection and is counted once, in the first layer." +
           (isBase(shape) && shape.vocabulary == 41000
                ? " That gives 65.1 M parameters, where the authors print 65 M. Their text says about 37,000 "
                  "tokens, but with those it would be 63 M: the 28, 36, 50, 80 and 168 M of the other rows "
                  "of "
                  "their Table 3, too, come out with 41,000. Table II of SPP says 55 M for a variant that it "
                  "does "
                  "not describe."
                : "");
}

}  // namespace

NetworkDescription transformer(const TransformerShape& shape) {
    const double length = shape.sequenceLength, width = shape.width;
    NetworkDescription network{
        .title = isBase(shape) ? "Transformer" : "Transformer-" + std::to_string(shape.depth),
        .notes = notesOn(shape)};
    const Shape tokens{width, length, 1};
    network.layers.push_back(
        LayerBuilder("source embedding", tokens).embedding(1, shape.vocabulary * width).dropout().build());
    for (int block = 0; block < shape.depth; ++block) {
        LayerBuilder layer("encoder " + std::to_string(block), tokens);
        attend(layer, shape, false);
        feedForward(layer, shape);
        network.layers.push_back(layer.build());
    }
    network.layers.push_back(LayerBuilder("target embedding", tokens)
                                 .embedding(1, 0)
                                 .dropout()
                                 .passesOn(tokens.elements(), fromEntrance)
                                 .build());
    for (int block = 0; block < shape.depth; ++block) {
        LayerBuilder layer("decoder " + std::to_string(block), tokens);
        attend(layer, shape, false);
        attend(layer, shape, true);
        feedForward(layer, shape);
        // The last one is the encoder's output's last reader.
        if (block + 1 < shape.depth) layer.passesOn(tokens.elements());
        network.layers.push_back(layer.build());
    }
    network.layers.push_back(LayerBuilder("output projection and loss", tokens)
                                 .tiedLinear("output projection", shape.vocabulary)
                                 .softmaxLoss()
                                 .build());
    return network;
}

}  // namespace stagecraft::generation
