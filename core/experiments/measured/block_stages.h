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

/// Of what FSDP sends for each pass of such a profile, the share that goes on while the pass computes. FSDP
/// gathers a block's weights while the block before it computes, and scatters its gradients while the next
/// one does (Zhao et al., PyTorch FSDP, VLDB 2023, Sec. 3.3: it prefetches one unit). What is left is the
/// root unit's, embedding and head: gathered before all else, and scattered after it.
double overlapOfFsdp(const LayerProfile& profile);

/// Of an AllReduce on 8 B200 by NCCL: latency_us and fixed_latency_us of simumax-system-b200.json's source.
inline constexpr double startOfAllReduceS = 27.75e-6;

}  // namespace stagecraft::experiments
