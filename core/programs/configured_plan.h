#pragma once

#include "core/formats/configurations/configuration.h"
#include "core/model/plan_origin.h"
#include "core/model/problem.h"

#include <string>
#include <vector>

namespace stagecraft::programs {

/// A configuration on a number of GPUs.
struct ConfiguredLayout {
    int copies = 1;          ///< of each stage
    int microbatchSize = 1;  ///< samples of all copies together
    int microbatches = 1;
};
/// @param file of the configuration, for complaints @throws InputError where GPUs, degrees and batch do not
/// go together
ConfiguredLayout layoutOn(const Configuration& configuration, int gpus, const std::string& file);

/// What a computed profile has to be given: parameters of describedParameters().
ParameterValues profileValuesOf(const Configuration& configuration, const ConfiguredLayout& layout);
/// Of the model that the configuration describes or names, for the cluster's GPU.
/// @param given values that count in place of the configuration's
/// @throws InputError where it has none, or values do not go with it
LayerProfile profileOf(const Configuration& configuration, const ConfiguredLayout& layout,
                       const Cluster& cluster, const std::string& file, const ParameterValues& given = {});

/// A problem, and the plan that runs a configuration on it exactly as it says: no planner decides anything.
/// Ranks are the cluster's devices as they are numbered, tensor parallelism fastest, then context
/// parallelism, experts and copies, then stages (Megatron-LM's default order).
struct ConfiguredPlan {
    Problem problem;
    Plan plan;
    std::vector<ConfigurationItem>
        items;  ///< the configuration's, and what there is to say on these machines
};
/// @param profile of its model at the layout's microbatches: an embedding, blocks, and a head with the loss,
/// of which the ends may be missing
/// @throws InputError where the layers cannot be dealt out, or devices cannot divide them so
ConfiguredPlan configuredPlan(const Configuration& configuration, const ConfiguredLayout& layout,
                              LayerProfile profile, Cluster cluster, const std::string& file);

/// What is kept with the plan: a sentence for each argument that was not understood or is not modelled.
PlanOrigin originOf(const ConfiguredPlan& planned);

/// "tensor 8 with sequence parallelism × pipeline 16 × data 1; 1F1B, 1,536 microbatches of 1 sample"; with
/// several copies "… of 1 sample on each of 16 copies".
std::string layoutInWords(const ConfiguredPlan& planned);

}  // namespace stagecraft::programs
