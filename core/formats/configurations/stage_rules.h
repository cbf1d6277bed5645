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

/// "Et*3|(tt|)*29,m|L": E embedding, t block, m layer of multi-token prediction, L head with loss, "|"
/// between stages, in the order of the layers; x*n and (…)*n stand for n times, commas for nothing
/// (Megatron-LM v0.15, core/transformer/pipeline_parallel_layer_layout.py).
std::vector<StageContent> pipelineLayout(const std::string& text, const StageComplaint& complain);

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

/// The bounds of the stages by DeepSpeed's partition_balanced (runtime/utils.py at 03959e2; releases that
/// searched for the lightest heaviest part may cut otherwise), which need not be the best: each prefix of the
/// layers keeps the one partition whose heaviest and lightest parts differ least, of equals the one whose
/// last part is shortest.
/// @param weights of the layers; more than `parts`
/// @return parts + 1 ascending numbers of layers, from 0
std::vector<int> balancedBounds(const std::vector<int>& weights, int parts);

/// How DeepSpeed deals out layers by their class (runtime/pipe/module.py, "type:"): those that match weigh 1,
/// all others 0.
struct MatchedStages {
    int stages = 1;
    bool matchesEmbedding = false;  ///< and the head, which is of its class
    bool matchesBlocks = false;
    StageComplaint complain;

    /// Layers of multi-token prediction count as blocks.
    std::vector<StageContent> operator()(int blocks, int predictions) const;
};

}  // namespace stagecraft::formats
