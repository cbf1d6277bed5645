#pragma once

#include "core/formats/native/formats.h"

#include <string>
#include <vector>

namespace stagecraft::formats {

/// What a text did not hold.
struct Assumption {
    std::string text;    ///< a sentence, as in Cluster::assumptions
    std::string option;  ///< the parameter that would settle it; empty: none would
    std::string value;   ///< what was taken for it, as its parameter is written; empty: its default
};

struct ImportedCluster {
    Cluster cluster;
    std::vector<ImportNote> notes;
    std::vector<Assumption> assumed;  ///< Cluster::assumptions and what settles them
    std::vector<std::string> chosen;  ///< what the options said: neither in the text nor assumed
};

}  // namespace stagecraft::formats
