#pragma once

#include "core/formats/json_reader.h"
#include "core/formats/profiles/operator_graph.h"

#include <map>
#include <string>
#include <vector>

namespace stagecraft::formats {

// Reading JSON that others define: fields that are not used are not looked at.

/// The member of an object that must have it.
JsonValue requiredMember(const JsonValue& object, const std::string& field);
/// 0 to `largest`.
double quantity(const JsonValue& value, double largest = largestQuantity);
/// true, false, 0 or 1.
bool flag(const JsonValue& value);

/// The nodes of a graph by their ids.
class NodeIndex {
public:
    /// The next node has this id. Refuses one that is there already.
    void add(const JsonValue& id);
    /// The node that an edge's end names.
    int of(const JsonValue& id) const;

private:
    std::map<int, int> nodes_;
};

/// "sourceId" and "destId" of each edge; refuses an edge to itself, one given twice, a circle, and a node
/// without edges.
std::vector<LayerEdge> foreignEdges(const JsonValue& root, const NodeIndex& index, int nodes);

}  // namespace stagecraft::formats
