#pragma once

#include "core/generation/network.h"
#include "core/generation/transformer_model.h"

namespace stagecraft::generation {

/// The model as a chain: embedding, blocks, prediction layers, head with loss; of an encoder with a decoder
/// the decoder's embedding and blocks behind the encoder's. Operations say what they keep
/// (Operation::stored), in the conventions of Korthikanti et al., MLSys 2023, Sec. 4: inputs of products and
/// norms, what softmax and its dropout make, masks of a byte; logits in fp32; fused kernels keep the
/// log-sum-exp of each row of scores in fp32, and of a gated feed-forward network both products and the
/// result. `flops` count whole score matrices. All experts' weights are read, and tokens are spread over them
/// evenly.
/// @throws std::invalid_argument as whyNoTransformer(), and for more tokens than there are positions
NetworkDescription transformerNetwork(const TransformerModel& model, const TransformerRun& run);

}  // namespace stagecraft::generation
