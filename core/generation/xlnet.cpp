#include "core/generation/families.h"
#include "core/generation/layer_builder.h"

namespace stagecraft::generation {

namespace {

constexpr double answersOfXlnet = 2;

/// Yang et al., 2019, "large".
bool isXlnetLarge(const TransformerShape& shape) {
    return shape.depth == 24 && shape.width == 1024 && shape.heads == 16 && shape.innerWidth == 4096 &&
           shape.vocabulary == 32000;
}

}  // namespace

NetworkDescription xlnet(const TransformerShape& shape) {
    const double length = shape.sequenceLength, width = shape.width;
    NetworkDescription network{
        .title = isXlnetLarge(shape) ? "XLNet-large" : "XLNet-" + std::to_string(shape.depth),
        .notes =
            "Samples of " + std::to_string(shape.sequenceLength) + " tokens; embedding, " +
            std::to_string(shape.depth) +
            " blocks with relative positions (content stream alone, as in fine-tuning), answer head with "
            "loss." +
            (isXlnetLarge(shape)
                 ? " 360.3 M parameters, which is what the published architecture has; Table II of SPP says "
                   "550 M without saying how it is counted."
                 : "")};
    const Shape tokens{width, length, 1};
    const double maskEmbedding = width;
    network.layers.push_back(LayerBuilder("embedding", tokens)
                                 .embedding(1, shape.vocabulary * width + maskEmbedding)
                                 .dropout()
                                 .build());
    for (int block = 0; block < shape.depth; ++block)
        network.layers.push_back(LayerBuilder("block " + std::to_string(block), tokens)
                                     .attention({.heads = static_cast<double>(shape.heads),
                                                 .keys = length,
                                                 .bias = false,
                                                 .relative = true})
                                     .dropout()
                                     .addShortcut()
                                     .layerNorm()
                                     .shortcutFromHere()
                                     .linear("feed forward in", shape.innerWidth)
                                     .gelu()
                                     .dropout()
                                     .linear("feed forward out", width)
                                     .dropout()
                                     .addShortcut()
                                     .layerNorm()
                                     .build());
    network.layers.push_back(
        LayerBuilder("answer head and loss", tokens).linear("dense", answersOfXlnet).softmaxLoss().build());
    return network;
}

}  // namespace stagecraft::generation
