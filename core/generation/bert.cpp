#include "core/generation/families.h"
#include "core/generation/layer_builder.h"

#include <algorithm>

namespace stagecraft::generation {

namespace {

// Devlin et al., 2018.
constexpr int publishedPositions = 512;
constexpr double segments = 2;
constexpr double answersOfBert = 2;

bool isBertLarge(const TransformerShape& shape) {
    return shape.width == 1024 && shape.heads == 16 && shape.innerWidth == 4096 &&
           shape.vocabulary == 30522 && shape.sequenceLength <= publishedPositions;
}

std::string publishedCount(const TransformerShape& shape) {
    if (!isBertLarge(shape)) return "";
    switch (shape.depth) {
        case 24:
            return " 335.1 M parameters: the released uncased model, which its authors round to 340 M.";
        case 48:
            return " 637.4 M parameters; Table II of SPP rounds to 640 M.";
        default:
            return "";
    }
}

}  // namespace

NetworkDescription bert(const TransformerShape& shape) {
    const double length = shape.sequenceLength, width = shape.width;
    const double positions = std::max(shape.sequenceLength, publishedPositions);
    NetworkDescription network{
        .title =
            isBertLarge(shape) && shape.depth == 24 ? "BERT-large" : "BERT-" + std::to_string(shape.depth),
        .notes = "Samples of " + std::to_string(shape.sequenceLength) + " tokens; " +
                 std::to_string(shape.depth + 3) + " layers: embedding, " + std::to_string(shape.depth) +
                 " transformer blocks, pooler (a dense layer on the first token), classifier with loss." +
                 publishedCount(shape)};
    const Shape tokens{width, length, 1};
    network.layers.push_back(LayerBuilder("embedding", tokens)
                                 .embedding(3, (shape.vocabulary + positions + segments) * width)
                                 .layerNorm()
                                 .dropout()
                                 .build());
    for (int block = 0; block < shape.depth; ++block)
        network.layers.push_back(LayerBuilder("transformer " + std::to_string(block), tokens)
                                     .attention({.heads = static_cast<double>(shape.heads), .keys = length})
                                     .dropout()
                                     .addShortcut()
                                     .layerNorm()
                                     .shortcutFromHere()
                                     .linear("feed forward in", shape.innerWidth)
                                     .gelu()
                                     .linear("feed forward out", width)
                                     .dropout()
                                     .addShortcut()
                                     .layerNorm()
                                     .build());
    const LayerBuilder pooler =
        LayerBuilder("pooler", tokens).takeFirstToken().linear("dense", width).tanh().dropout();
    network.layers.push_back(pooler.build());
    network.layers.push_back(LayerBuilder("classifier and loss", pooler.shape())
                                 .linear("dense", answersOfBert)
                                 .softmaxLoss()
                                 .build());
    return network;
}

}  // namespace stagecraft::generation
