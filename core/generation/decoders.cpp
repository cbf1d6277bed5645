#include "core/generation/families.h"
#include "core/generation/layer_builder.h"

namespace stagecraft::generation {

namespace {

std::string blocksOf(const TransformerShape& shape) {
    return "Samples of " + std::to_string(shape.sequenceLength) + " tokens; embedding, " +
           std::to_string(shape.depth) + " decoder blocks of width " + std::to_string(shape.width) +
           " with " + std::to_string(shape.heads) + " heads, ";
}

const char* kernelOf(const TransformerShape& shape) {
    return shape.fusedAttention
               ? " Attention is fused: scores are not kept, the backward takes 2.5 times the forward; what "
                 "the causal mask hides counts."
               : " Attention is computed as dense products: what the causal mask hides counts, and all "
                 "scores are kept.";
}

}  // namespace

/// Radford et al., 2019; Brown et al., 2020, Table 2.1: norms before attention and feed-forward part, learned
/// positions, and the embedding's matrix again as the output projection. GPT-3's sparse blocks count as
/// dense.
NetworkDescription gpt(const TransformerShape& shape, const std::string& title) {
    const double length = shape.sequenceLength, width = shape.width;
    NetworkDescription network{
        .title = title,
        .notes = blocksOf(shape) +
                 "output projection with loss. The projection's weights are the embedding's and are counted "
                 "there." +
                 kernelOf(shape),
        .causalSequence = true};
    const Shape tokens{width, length, 1};
    network.layers.push_back(LayerBuilder("embedding", tokens)
                                 .embedding(2, (static_cast<double>(shape.vocabulary) + length) * width)
                                 .dropout()
                                 .build());
    for (int block = 0; block < shape.depth; ++block)
        network.layers.push_back(LayerBuilder("block " + std::to_string(block), tokens)
                                     .layerNorm()
                                     .attention({.heads = static_cast<double>(shape.heads),
                                                 .keys = length,
                                                 .fused = shape.fusedAttention})
                                     .dropout()
                                     .addShortcut()
                                     .shortcutFromHere()
                                     .layerNorm()
                                     .linear("feed forward in", shape.innerWidth)
                                     .gelu()
                                     .linear("feed forward out", width)
                                     .dropout()
                                     .addShortcut()
                                     .build());
    network.layers.push_back(LayerBuilder("norm, output projection and loss", tokens)
                                 .layerNorm()
                                 .tiedLinear("output projection", shape.vocabulary)
                                 .softmaxLoss()
                                 .build());
    return network;
}

/// Touvron et al., 2023; Jiang et al., 2024, for the experts: RMS norms, rotary positions, keys and values
/// shared among heads, gated feed-forward networks, no biases, an output projection of its own.
NetworkDescription llama(const LlamaShape& llama, const std::string& title) {
    const TransformerShape& shape = llama.blocks;
    const double length = shape.sequenceLength, width = shape.width;
    std::string experts;
    if (llama.experts > 1)
        experts = std::to_string(llama.experts) + " experts per block, of which a token takes " +
                  std::to_string(llama.activeExperts) +
                  " (all experts' weights are read, and tokens are spread over them evenly); ";
    NetworkDescription network{.title = title,
                               .notes = blocksOf(shape) + std::to_string(llama.keyValueHeads) +
                                        " of keys and values, " + experts + "output projection with loss." +
                                        kernelOf(shape),
                               .causalSequence = true};
    const Shape tokens{width, length, 1};
    network.layers.push_back(
        LayerBuilder("embedding", tokens).embedding(1, shape.vocabulary * width).build());
    for (int block = 0; block < shape.depth; ++block)
        network.layers.push_back(LayerBuilder("block " + std::to_string(block), tokens)
                                     .rmsNorm()
                                     .attention({.heads = static_cast<double>(shape.heads),
                                                 .keys = length,
                                                 .keyValueHeads = static_cast<double>(llama.keyValueHeads),
                                                 .bias = false,
                                                 .rotary = true,
                                                 .fused = shape.fusedAttention})
                                     .addShortcut()
                                     .shortcutFromHere()
                                     .rmsNorm()
                                     .gatedFeedForward(shape.innerWidth, llama.experts, llama.activeExperts)
                                     .addShortcut()
                                     .build());
    network.layers.push_back(LayerBuilder("norm, output projection and loss", tokens)
                                 .rmsNorm()
                                 .linear("output projection", shape.vocabulary, false)
                                 .softmaxLoss()
                                 .build());
    return network;
}

}  // namespace stagecraft::generation
