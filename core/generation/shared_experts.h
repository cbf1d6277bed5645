#pragma once

#include "core/generation/network.h"

namespace stagecraft::generation {

/// The same network as a rank has it whose experts are shared out over `ranks` GPUs. Tokens, FLOP and
/// parameters stay those of the whole layers: each rank has 1 / ranks of the experts, and of each of them the
/// tokens of all ranks, so that its products are fewer and taller, and it reads the weights of its own alone.
/// Around the experts it moves tokens in the order in which they are sent, in the order of its own experts,
/// and back: four times in a forward (the sum of what experts gave is the last of them) and as often in a
/// backward (SimuMax, simumax/core/transformer/moe_module.py, Permutation and UnPermutation; Megatron-LM's
/// all-to-all dispatcher).
/// @param ranks 1: nothing changes
/// @throws std::invalid_argument a sentence, if the network has no experts or they do not come out even
NetworkDescription withExpertsOn(NetworkDescription network, int ranks);

}  // namespace stagecraft::generation
