#include "core/generation/families.h"
#include "core/generation/layer_builder.h"

namespace stagecraft {

namespace {

// Yang et al., 2019, "large".
constexpr double vocabulary = 32000;
constexpr double width = 1024;
constexpr double innerWidth = 4096;
constexpr double heads = 16;
constexpr double answers = 2;

}  // namespace

NetworkDescription xlnet(int blocks, int sequenceLength) {
    const double length = sequenceLength;
    NetworkDescription network{
        .title = blocks == 24 ? "XLNet-large" : "XLNet-" + std::to_string(blocks),
        .notes =
            "Samples of " + std::to_string(sequenceLength) + " tokens; embedding, " + std::to_string(blocks) +
            " blocks with relative positions (content stream alone, as in fine-tuning), answer head with "
            "loss." +
            (blocks == 24
                 ? " 360.3 M parameters, which is what the published architecture has; Table II of SPP says "
                   "550 M without saying how it is counted."
                 : "")};
    const Shape tokens{width, length, 1};
    constexpr double maskEmbedding = width;
    network.layers.push_back(
        LayerBuilder("embedding", tokens).embedding(1, vocabulary * width + maskEmbedding).dropout().build());
    for (int block = 0; block < blocks; ++block)
        network.layers.push_back(
            LayerBuilder("block " + std::to_string(block), tokens)
                .attention({.heads = heads, .keys = length, .bias = false, .relative = true})
                .dropout()
                .addShortcut()
                .layerNorm()
                .linear("feed forward in", innerWidth)
                .gelu()
                .dropout()
                .linear("feed forward out", width)
                .dropout()
                .addShortcut()
                .layerNorm()
                .build());
    network.layers.push_back(
        LayerBuilder("answer head and loss", tokens).linear("dense", answers).softmaxLoss().build());
    return network;
}

}  // namespace stagecraft
