#pragma once

#include "core/base/parameters.h"
#include "core/editing/network_change.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft::experiments {

/// A small network is trained through the plan's timeline, under the policy that the planner is asked with
/// (core/training).
struct TrainingStudy {
    ParameterValues values;  ///< of training::trainingParameters()
    std::uint64_t seed = 0;
    double targetAccuracy = 1;  ///< of "epochs_to_target"
    int atEpoch = 0;            ///< the results are those after this many epochs
};

/// The network changes while it trains (core/planners/vpipe/changing_network.h).
struct ChangeStudy {
    NetworkScript script;
    double atS = 0;                  ///< the results are those of this instant
    std::vector<std::string> ideal;  ///< labels of planners that are replaced by the ideal throughput

    bool isIdeal(const std::string& label) const;
};

/// vPipe's Algorithm 3 alone, on a graph of operators that each layer is divided into.
struct PartitionStudy {
    int stages = 1;
    int operatorsPerLayer = 1;  ///< a chain of equal parts
    int skipsPerLayer = 0;      ///< edges around as many equal stretches of that chain, as of residual blocks
    bool plain = false;         ///< Kernighan and Lin's algorithm on the whole graph, instead of Algorithm 3
};

/// What is done at a point of an experiment besides planning; at most one of these, but a training may have
/// the largest microbatch.
struct Study {
    std::optional<TrainingStudy> training;
    std::optional<ChangeStudy> change;
    std::optional<PartitionStudy> partition;
    /// The profile's microbatch size is halved, and the number of microbatches doubled, until the planner has
    /// a plan that fits the memory.
    bool largestMicrobatch = false;
    std::string text;  ///< the whole of it as JSON, to distinguish studies; empty: none
};

/// The fields of a recipe that make a study: "training" (what `stagecraft train` takes, with underscores, and
/// "seed", "at_epoch", "target_accuracy"), "changes" (what a network script has, "at_s" and "ideal"),
/// "partition"
/// ("stages", "operators_per_layer", "skips_per_layer", "algorithm": vpipe | kernighan-lin) and
/// "largest_microbatch". @throws InputError
Study studyOfRecipe(const nlohmann::json& recipe, const std::string& file, const std::string& pointer);
/// Names of those fields.
const std::vector<std::string>& studyFields();
/// Whether a pointer into the base only says when results are read off: what is run is the same for all of
/// its values.
bool readsOff(const std::string& pointer);

}  // namespace stagecraft::experiments
