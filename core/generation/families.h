#pragma once

#include "core/generation/network.h"

namespace stagecraft::generation {

// One file per family. Each leaves NetworkDescription::model to network().

/// What all networks for images take.
struct ImageShape {
    int size = 224;  ///< pixels of a side
    int classes = 1000;
};
/// @param depth 16 or 19
NetworkDescription vgg(int depth, const ImageShape& images);
/// @param depth 50, 101 or 152
NetworkDescription resnet(int depth, const ImageShape& images);
NetworkDescription inceptionV3(const ImageShape& images);
NetworkDescription densenet121(const ImageShape& images);
/// @param depth normal cells, a multiple of 3 @param filters a multiple of 16
NetworkDescription amoebaNetD(int depth, int filters, const ImageShape& images);

/// Blocks of attention and a feed-forward network.
struct TransformerShape {
    int depth = 24;
    int width = 1024;
    int heads = 16;
    int innerWidth = 4096;
    int sequenceLength = 384;
    int vocabulary = 30522;
    bool fusedAttention = false;  ///< scores are not kept; decoders
};
NetworkDescription bert(const TransformerShape& shape);
NetworkDescription xlnet(const TransformerShape& shape);
/// Encoder and decoder of Vaswani et al., 2017; `depth` blocks each.
NetworkDescription transformer(const TransformerShape& shape);
/// The decoder of GPT-2 and GPT-3; @param title of the published one
NetworkDescription gpt(const TransformerShape& shape, const std::string& title);
/// What Llama and its kin have beyond a TransformerShape.
struct LlamaShape {
    TransformerShape blocks;
    int keyValueHeads = 32;
    int experts = 1;
    int activeExperts = 1;
};
NetworkDescription llama(const LlamaShape& shape, const std::string& title);

/// @param depth LSTM layers of the encoder, and of the decoder; at least 3
NetworkDescription gnmt(int depth, int width, int sequenceLength, int vocabulary);

}  // namespace stagecraft::generation
