#pragma once

#include "core/formats/configurations/configuration.h"

#include <optional>
#include <string>

namespace stagecraft::formats {

/// Complains of what is wrong and what was expected. @throws InputError, always
using StageComplaint = std::function<void(const std::string& problem, const std::string& expected)>;

/// How Megatron-LM deals out blocks without a layout (core/transformer/transformer_block.py,
/// get_num_layers_to_build, v0.15): equally many to each rank, and of these to each of its chunks.
struct EvenStages {
    int ranks = 1;
    int chunks = 1;
    int blocksPerChunk = 0;          ///< decides the chunks, where it is set
    std::optional<int> first, last;  ///< blocks of those ranks; the others share the rest
    bool embeddingCounts = false;    ///< as a block of the first chunk
    bool headCounts = false;         ///< as a block of the last
    StageComplaint complain;
    StageComplaint complainGiven;  ///< of the blocks of first and last rank

    int chunksFor(int blocks) const;
    /// @throws InputError where the first and the last rank cannot have their blocks of `all`
    void checkGiven(int all) const;
    std::vector<StageContent> operator()(int blocks, int predictions) const;
};

/// A rule for stages that are spelled out.
StageRule givenStages(std::vector<StageContent> stages, StageComplaint complain);

/// How torchtitan deals out blocks (distributed/pipeline_parallel.py, v0.2): embedding and head count as so
/// many blocks, and what does not come out even goes to the first stages.
struct WeightedStages {
    int stages = 1;
    int embeddingWeight = 1, headWeight = 1;
    StageComplaint complain;

    std::vector<StageContent> operator()(int blocks, int predictions) const;
};

}  // namespace stagecraft::formats
