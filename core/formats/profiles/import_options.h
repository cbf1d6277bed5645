#pragma once

#include "core/base/parameters.h"

#include <string>

namespace stagecraft::formats {

/// What profiles leave out and a person may know.
struct ProfileImportOptions {
    int microbatchSize = 0;  ///< samples for which the times hold; 0: worked out, else 1
    double timeUnitS = 0;    ///< seconds in the file's unit of time where it may differ; 0: worked out
    /// A division into stages in a file of its own: a split of dnn-partitioning or a hybrid_conf.json of
    /// PipeDream, which gives the replicas of a graph's stages.
    std::string splitText;
    std::string splitFile;  ///< what messages call it
    /// What a description of a model leaves open (describedParameters() of generation); what is not here is
    /// assumed. Other formats do not look at it.
    ParameterValues described;
};

}  // namespace stagecraft::formats
