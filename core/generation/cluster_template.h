#pragma once

#include "core/base/parameters.h"
#include "core/model/cluster.h"

#include <functional>
#include <string>
#include <vector>

namespace stagecraft::generation {

/// A kind of cluster that can be made from a few numbers, described once: command line, dialog and help are
/// built from this.
struct ClusterTemplate {
    std::string id;           ///< "fat-tree"
    std::string title;        ///< "Fat tree of two levels"
    std::string description;  ///< a sentence or two
    std::vector<Parameter> parameters;
    /// Expects a value for each parameter. @throws std::invalid_argument if they do not go together
    std::function<Cluster(const ParameterValues&)> make;
};

}  // namespace stagecraft::generation
