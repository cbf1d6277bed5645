#pragma once

#include "core/formats/native/formats.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft::formats {

/// An operator of a network as frameworks record it; seconds and bytes for one microbatch.
struct OperatorNode {
    std::string id;
    std::string description;
    long long number = 0;  ///< orders nodes where the graph leaves a choice
    double forwardS = 0;
    double backwardS = 0;
    double outputBytes = 0;
    double parameterBytes = 0;
    std::optional<double> storedBytes;      ///< none: it keeps what it reads
    std::optional<double> weightGradientS;  ///< none: half of the backward
    std::optional<double> flops;            ///< forward; none: not known
    bool leftOut = false;                   ///< shown, but part of no layer
    int stage = -1;                         ///< of the split that comes with the graph
};

struct OperatorGraph {
    std::vector<OperatorNode> nodes;
    std::vector<LayerEdge> edges;  ///< in any order and direction of index; acyclic
    std::string splitName;         ///< empty: no split comes with it
    std::vector<int> replicas;     ///< of the stages; empty: one each
    std::string whyNoSplit;        ///< a clause, if the stages that came with the graph cannot be used
};

/// The largest number of seconds or bytes that an importer takes: sums of such stay finite, and nothing real
/// comes near it.
inline constexpr double largestQuantity = 1e24;

/// Calls `fail` for the first edge that is on a circle or between circles, and for the first node that has
/// no edge while others have.
void checkGraph(int nodes, const std::vector<LayerEdge>& edges,
                const std::function<void(std::size_t edge)>& failCircle,
                const std::function<void(int node)>& failAlone);

/// Makes a chain of layers of the graph, keeps the nodes as LayerProfile::operators, and takes a note for
/// what was grouped. Nodes are lined up by chainOrder() (core/model/linearise.h), ties by number, cut by
/// chooseCuts() and grouped by groupOperators() (core/model/grouping.h); what is left out is at the ends.
/// The backward's gradient has the size of the output.
/// Where the split's stages follow one another, cuts are made between them too and it becomes
/// ImportedProfile::splits; where they do not, a note says why.
ImportedProfile chainOf(const OperatorGraph& graph);

/// What a file without a name of its own is a profile of: its name without `suffix` and what follows.
std::string nameFromFile(const std::string& file, const std::string& suffix);

}  // namespace stagecraft::formats
