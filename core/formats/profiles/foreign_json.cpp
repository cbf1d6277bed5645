#include "core/formats/profiles/foreign_json.h"

#include "core/formats/json_writer.h"

#include <set>
#include <utility>

namespace stagecraft::formats {

JsonValue requiredMember(const JsonValue& object, const std::string& field) {
    if (!object.isObject()) object.fieldNames();
    if (!object.has(field)) object.fail("the field '" + field + "' is missing", "an object that has it");
    return object.member(field);
}

double quantity(const JsonValue& value, double largest) {
    const double number = value.nonNegative();
    if (!(number <= largest))
        value.fail("the number is too large", "0 to " + formatJsonInline(nlohmann::json(largest)));
    return number;
}

bool flag(const JsonValue& value) { return value.isBoolean() ? value.boolean() : value.integer(0, 1) == 1; }

void NodeIndex::add(const JsonValue& id) {
    const int number = id.integer(std::numeric_limits<int>::min());
    if (!nodes_.emplace(number, static_cast<int>(nodes_.size())).second)
        id.fail("node " + std::to_string(number) + " is there already", "a unique id for each node");
}

int NodeIndex::of(const JsonValue& id) const {
    const int number = id.integer(std::numeric_limits<int>::min());
    const auto found = nodes_.find(number);
    if (found == nodes_.end()) id.fail("no node " + std::to_string(number), "the id of one of the nodes");
    return found->second;
}

std::vector<LayerEdge> foreignEdges(const JsonValue& root, const NodeIndex& index, int nodes) {
    const std::vector<JsonValue> entries = requiredMember(root, "edges").elements();
    std::vector<LayerEdge> edges;
    std::set<std::pair<int, int>> seen;
    for (const JsonValue& entry : entries) {
        const LayerEdge edge{index.of(requiredMember(entry, "sourceId")),
                             index.of(requiredMember(entry, "destId"))};
        if (edge.from == edge.to) entry.fail("the node reads itself", "two different nodes");
        if (!seen.emplace(edge.from, edge.to).second) entry.fail("the edge is given twice", "each edge once");
        edges.push_back(edge);
    }
    const JsonValue list = requiredMember(root, "nodes");
    checkGraph(
        nodes, edges,
        [&](std::size_t edge) {
            entries[edge].fail("the edges run in a circle here", "a graph without circles");
        },
        [&](int node) {
            list.elements()[static_cast<std::size_t>(node)].fail("the node has no edge",
                                                                 "each node to read another or to be read");
        });
    return edges;
}

}  // namespace stagecraft::formats
