#pragma once

#include "core/formats/configurations/stage_rules.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft::formats {

/// "Et*3|(tt|)*29,m|L": E embedding, t block, m layer of multi-token prediction, L head with loss, "|"
/// between stages, in the order of the layers; x*n and (…)*n stand for n times, brackets first, commas for
/// nothing (Megatron-LM, core/transformer/pipeline_parallel_layer_layout.py at 00caa53, parse_str_to_list and
/// validate_layer_layout). Stages may be empty. Megatron-LM makes the embedding where the pipeline begins and
/// the head where it ends, even if empty stages stand before E or behind L; so do the contents.
/// @throws InputError by `complain` where Megatron-LM does not take it for this many ranks
std::vector<StageContent> pipelineLayout(const std::string& text, int ranks, const StageComplaint& complain);

/// What is wrong with a layout, and what was expected.
struct LayoutFault {
    std::string problem, expected;
};
/// Megatron-LM has all layers of multi-token prediction in one stage, and it is the last of its rank.
/// @param stages a multiple of `ranks`
std::optional<LayoutFault> predictionFault(const std::vector<StageContent>& stages, int ranks);

}  // namespace stagecraft::formats
