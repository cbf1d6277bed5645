#pragma once

#include "core/base/parameters.h"

#include <string>
#include <vector>

namespace stagecraft::formats {

/// A text and what messages call it.
struct ProfileText {
    std::string file;
    std::string text;
};

/// What profiles leave out and a person may know.
struct ProfileImportOptions {
    int microbatchSize = 0;  ///< samples for which the times hold; 0: worked out, else 1
    double timeUnitS = 0;    ///< seconds in the file's unit of time where it may differ; 0: worked out
    /// A division into stages in a file of its own: a split of dnn-partitioning or a hybrid_conf.json of
    /// PipeDream, which gives the replicas of a graph's stages.
    std::string splitText;
    std::string splitFile;  ///< what messages call it
    /// More files of the same measurement, where it takes several (ProfileFormat::takesMore).
    std::vector<ProfileText> more;
    int layers =
        0;  ///< of each kind, where one was measured that stands for many; 0: as the file says, else 1
    /// What a description of a model leaves open (describedParameters() of generation); what is not here is
    /// assumed. Other formats do not look at it.
    ParameterValues described;
};

}  // namespace stagecraft::formats
