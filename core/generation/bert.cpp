#include "core/generation/families.h"
#include "core/generation/layer_builder.h"

namespace stagecraft {

namespace {

// Devlin et al., 2018, "large", uncased vocabulary.
constexpr double vocabulary = 30522;
constexpr double positions = 512;
constexpr double segments = 2;
constexpr double width = 1024;
constexpr double innerWidth = 4096;
constexpr double heads = 16;
constexpr double answers = 2;

std::string publishedCount(int blocks) {
    switch (blocks) {
        case 24:
            return " 335.1 M parameters: the released uncased model, which its authors round to 340 M.";
        case 48:
            return " 637.4 M parameters; Table II of SPP rounds to 640 M.";
        default:
            return "";
    }
}

}  // namespace

NetworkDescription bert(int blocks, int sequenceLength) {
    const double length = sequenceLength;
    NetworkDescription network{
        .title = blocks == 24 ? "BERT-large" : "BERT-" + std::to_string(blocks),
        .notes = "Samples of " + std::to_string(sequenceLength) + " tokens; " + std::to_string(blocks + 3) +
                 " layers: embedding, " + std::to_string(blocks) +
                 " transformer blocks, pooler (a dense layer on the first token), classifier with loss." +
                 publishedCount(blocks)};
    const Shape tokens{width, length, 1};
    network.layers.push_back(LayerBuilder("embedding", tokens)
                                 .embedding(3, (vocabulary + positions + segments) * width)
                                 .layerNorm()
                                 .dropout()
                                 .build());
    for (int block = 0; block < blocks; ++block)
        network.layers.push_back(LayerBuilder("transformer " + std::to_string(block), tokens)
                                     .attention({.heads = heads, .keys = length})
                                     .dropout()
                                     .addShortcut()
                                     .layerNorm()
                                     .linear("feed forward in", innerWidth)
                                     .gelu()
                                     .linear("feed forward out", width)
                                     .dropout()
                                     .addShortcut()
                                     .layerNorm()
                                     .build());
    const LayerBuilder pooler =
        LayerBuilder("pooler", tokens).takeFirstToken().linear("dense", width).tanh().dropout();
    network.layers.push_back(pooler.build());
    network.layers.push_back(
        LayerBuilder("classifier and loss", pooler.shape()).linear("dense", answers).softmaxLoss().build());
    return network;
}

}  // namespace stagecraft
