#pragma once

#include "core/formats/configurations/stage_rules.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft::formats {

// How DeepSpeed deals out the layers of a PipelineModule (runtime/pipe/module.py, _partition_layers): an
// embedding, blocks, layers of multi-token prediction and a head, each a layer of its list. Bounds are
// ascending numbers of layers, one more than stages, from 0.

/// The bounds by partition_uniform (runtime/utils.py): what does not come out even goes to the first stages.
/// @param layers as many as parts or more
std::vector<int> uniformBounds(int layers, int parts);

/// The bounds by partition_balanced (runtime/utils.py at 03959e2; releases that searched for the lightest
/// heaviest part may cut otherwise), which need not be the best: each prefix of the layers keeps the one
/// partition whose heaviest and lightest parts differ least, of equals the one whose last part is shortest.
/// @param weights of the layers, 0 or more; as many as parts (one in each, whatever it weighs) or more
std::vector<int> balancedBounds(const std::vector<double>& weights, int parts);

/// What stages with these bounds hold.
std::vector<StageContent> contentsBetween(const std::vector<int>& bounds, int blocks, int predictions);

/// Layers whose class matches weigh 1, all others 0 ("type:").
struct MatchedStages {
    int stages = 1;
    bool matchesEmbedding = false;  ///< and the head, which is of its class
    bool matchesBlocks = false;     ///< and layers of multi-token prediction
    StageComplaint complain;

    std::vector<StageContent> operator()(int blocks, int predictions) const;
};

/// Layers weigh what they have of trained parameters ("parameters").
struct ParameterStages {
    int stages = 1;
    StageComplaint complain;

    std::vector<StageContent> operator()(int blocks, int predictions,
                                         const std::vector<double>& parameters) const;
};

/// Equally many layers ("uniform").
struct UniformStages {
    int stages = 1;
    StageComplaint complain;

    std::vector<StageContent> operator()(int blocks, int predictions) const;
};

/// The plainest partition_method that gives these stages, such as "uniform" or "type:transformer"; nothing
/// where none does. Classes are named as in Megatron-DeepSpeed.
/// @param parameters of all layers, as a WeighingRule takes them
std::optional<std::string> partitionMethod(const std::vector<StageContent>& stages,
                                           const std::vector<double>& parameters);

}  // namespace stagecraft::formats
