#include "core/generation/families.h"
#include "core/generation/layer_builder.h"

namespace stagecraft {

namespace {

// Vaswani et al., 2017, Table 3, "base"; one vocabulary for both languages.
constexpr double vocabulary = 37000;
constexpr double width = 512;
constexpr double innerWidth = 2048;
constexpr double heads = 8;
constexpr int blocks = 6;

void attend(LayerBuilder& layer, double length, bool crossing) {
    layer.attention({.heads = heads, .keys = length, .bias = false, .crossing = crossing});
    layer.dropout().addShortcut().layerNorm();
}

void feedForward(LayerBuilder& layer) {
    layer.linear("feed forward in", innerWidth).relu().dropout().linear("feed forward out", width);
    layer.dropout().addShortcut().layerNorm();
}

}  // namespace

NetworkDescription transformerBase(int sequenceLength) {
    const double length = sequenceLength;
    NetworkDescription network{.title = "Transformer",
                               .notes = "The base model with source and target of " +
                                        std::to_string(sequenceLength) +
                                        " tokens and a shared vocabulary of 37,000; the encoder's output "
                                        "travels with the decoder's tensor, so "
                                        "that the network is a chain. One matrix serves both embeddings and "
                                        "the output projection and is counted "
                                        "once, in the first layer. That gives 63.05 M parameters: the "
                                        "authors print 65 M, and Table II of SPP 55 M for "
                                        "a variant that it does not describe."};
    const Shape tokens{width, length, 1};
    network.layers.push_back(
        LayerBuilder("source embedding", tokens).embedding(1, vocabulary * width).dropout().build());
    for (int block = 0; block < blocks; ++block) {
        LayerBuilder layer("encoder " + std::to_string(block), tokens);
        attend(layer, length, false);
        feedForward(layer);
        network.layers.push_back(layer.build());
    }
    network.layers.push_back(LayerBuilder("target embedding", tokens)
                                 .embedding(1, 0)
                                 .dropout()
                                 .passesOn(tokens.elements())
                                 .build());
    for (int block = 0; block < blocks; ++block) {
        LayerBuilder layer("decoder " + std::to_string(block), tokens);
        attend(layer, length, false);
        attend(layer, length, true);
        feedForward(layer);
        // The last one is the encoder's output's last reader.
        if (block + 1 < blocks) layer.passesOn(tokens.elements());
        network.layers.push_back(layer.build());
    }
    network.layers.push_back(LayerBuilder("output projection and loss", tokens)
                                 .tiedLinear("output projection", vocabulary)
                                 .softmaxLoss()
                                 .build());
    return network;
}

}  // namespace stagecraft
