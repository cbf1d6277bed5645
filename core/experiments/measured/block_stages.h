#pragma once

#include "core/experiments/measured/measured_set.h"

namespace stagecraft::experiments {

/// How a row's GPUs divide a transformer whose profile has the embedding first, then its blocks, then the
/// head.
struct BlockStages {
    std::vector<int> blocks;  ///< of each stage; together all of the profile's
    int ranks = 1;            ///< GPUs of a stage, numbered through stage after stage
    Group group = {};
    bool checkpointed = false;  ///< whether every block is recomputed by itself
};
/// Such stages under 1F1B; the embedding is with the first stage, what follows the blocks with the last.
/// @param layers of the profile
Plan planOfBlocks(const BlockStages& stages, int layers);

/// Of an AllReduce on 8 B200 by NCCL: latency_us and fixed_latency_us of simumax-system-b200.json's source.
inline constexpr double startOfAllReduceS = 27.75e-6;

}  // namespace stagecraft::experiments
