#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/formats/profiles/foreign_json.h"
#include "core/formats/profiles/profile_format.h"
#include "core/formats/profiles/split_files.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

namespace stagecraft::formats {

namespace {

/// What `cost` of an edge was computed with.
constexpr double transferBytesPerSecond = 2147483648.0;

struct Node {
    OperatorNode op;  ///< forwardS: its own time, forward or backward
    bool isBackward = false;
    bool isWeight = false;  ///< a stored tensor that operators read, in graphs of operators
    double size = 0;
    bool endsGraph =
        false;  ///< a forward node that nothing reads, so that no edge says how large its output is
    bool outputKnown = true;  ///< false for an end whose output cannot be separated from its weights
    std::optional<int> colorClass;
    int owner = -1;  ///< the forward node that it is joined with; its own index if it stays
};

struct Graph {
    std::vector<Node> nodes;
    std::vector<LayerEdge> edges;
    double costUnitS = 1e-3;
    std::string costUnitBecause;
};

Node nodeFromJson(const JsonValue& value) {
    Node node;
    const int id = requiredMember(value, "id").integer(std::numeric_limits<int>::min());
    node.op.number = id;
    node.op.id = value.has("name") ? value.member("name").text() : "node" + std::to_string(id);
    node.op.forwardS = quantity(requiredMember(value, "fpgaLatency")) * 1e-3;
    node.size = quantity(requiredMember(value, "size"));
    node.isBackward = flag(requiredMember(value, "isBackwardNode"));
    if (value.has("colorClass"))
        node.colorClass = value.member("colorClass").integer(std::numeric_limits<int>::min());
    return node;
}

/// Sizes are whole but for a few; costs have them divided.
double withoutRounding(double bytes) {
    const double whole = std::round(bytes);
    return std::abs(bytes - whole) <= 1e-6 * whole ? whole : bytes;
}

/// Costs are size / 2 GiB/s, in seconds in some files and in milliseconds in others. The edges' own sizes
/// decide, where most agree; else an output larger than its node does.
void findCostUnit(const std::vector<JsonValue>& edges, Graph& graph) {
    std::size_t seconds = 0, milliseconds = 0, tooLarge = 0, costly = 0;
    const auto isNear = [](double a, double b) { return std::abs(a - b) <= 0.01 * b; };
    for (std::size_t i = 0; i < edges.size(); ++i) {
        const double cost = quantity(requiredMember(edges[i], "cost"));
        if (cost == 0) continue;
        ++costly;
        if (cost * transferBytesPerSecond > 1.01 * graph.nodes[at(graph.edges[i].from)].size) ++tooLarge;
        if (!edges[i].has("size")) continue;
        const double expected = quantity(edges[i].member("size")) / transferBytesPerSecond;
        seconds += isNear(cost, expected);
        milliseconds += isNear(cost, expected * 1e3);
    }
    if (seconds + milliseconds > costly / 2) {
        graph.costUnitS = seconds > milliseconds ? 1 : 1e-3;
        graph.costUnitBecause = "most edges' sizes over 2 GiB/s are their costs then";
    } else {
        graph.costUnitS = tooLarge > costly / 2 ? 1e-3 : 1;
        graph.costUnitBecause = graph.costUnitS < 1 ? "outputs would be larger than their nodes otherwise"
                                                    : "outputs fit into their nodes then";
    }
}

/// Outputs of ends. A graph of training repeats its edges for the backward nodes, from u' to v' for u to v,
/// and such an edge's size is the output of v; most others must bear that out. An end that takes no time
/// picks a part of what it reads and is output alone.
void findOutputsOfEnds(const std::vector<JsonValue>& edges, Graph& graph) {
    for (Node& node : graph.nodes) node.endsGraph = !node.isBackward;
    for (const LayerEdge& edge : graph.edges) graph.nodes[at(edge.from)].endsGraph = false;
    std::map<int, int> forwardOfClass;
    for (int node = 0; at(node) < graph.nodes.size(); ++node)
        if (!graph.nodes[at(node)].isBackward && graph.nodes[at(node)].colorClass)
            forwardOfClass[*graph.nodes[at(node)].colorClass] = node;
    std::size_t agree = 0, differ = 0;
    std::map<int, double> outputOfEnd;
    for (std::size_t i = 0; i < edges.size(); ++i) {
        const Node& reader = graph.nodes[at(graph.edges[i].to)];
        if (!reader.isBackward || !reader.colorClass || !edges[i].has("size")) continue;
        const auto twin = forwardOfClass.find(*reader.colorClass);
        if (twin == forwardOfClass.end()) continue;
        const Node& forward = graph.nodes[at(twin->second)];
        const double bytes = quantity(edges[i].member("size"));
        if (forward.endsGraph)
            outputOfEnd[twin->second] = std::max(outputOfEnd[twin->second], bytes);
        else
            ++(std::abs(bytes - forward.op.outputBytes) <= 0.01 * bytes ? agree : differ);
    }
    for (int index = 0; at(index) < graph.nodes.size(); ++index) {
        Node& node = graph.nodes[at(index)];
        if (!node.endsGraph) continue;
        const auto said = outputOfEnd.find(index);
        if (said != outputOfEnd.end() && agree > differ && said->second <= node.size)
            node.op.outputBytes = said->second;
        else if (node.op.forwardS == 0)
            node.op.outputBytes = node.size;
        else
            node.outputKnown = node.size == 0;
    }
}

Graph graphFromJson(const JsonValue& root) {
    Graph graph;
    NodeIndex index;
    const JsonValue nodes = requiredMember(root, "nodes");
    for (const JsonValue& entry : nodes.elements()) {
        index.add(requiredMember(entry, "id"));
        graph.nodes.push_back(nodeFromJson(entry));
    }
    if (graph.nodes.empty()) nodes.fail("no nodes", "at least one node");
    graph.edges = foreignEdges(root, index, static_cast<int>(graph.nodes.size()));
    const std::vector<JsonValue> edges = root.member("edges").elements();
    findCostUnit(edges, graph);
    for (std::size_t i = 0; i < edges.size(); ++i) {
        double& bytes = graph.nodes[at(graph.edges[i].from)].op.outputBytes;
        bytes = std::max(bytes, withoutRounding(quantity(edges[i].member("cost")) * graph.costUnitS *
                                                transferBytesPerSecond));
    }
    findOutputsOfEnds(edges, graph);
    if (std::all_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) { return node.isBackward; }))
        nodes.fail("all nodes are backward nodes", "at least one forward node");
    return graph;
}

/// In graphs of operators weights are nodes of their own: they take no time, read nothing, and are all
/// output.
void findWeights(Graph& graph) {
    std::vector<bool> reads(graph.nodes.size(), false), isRead(graph.nodes.size(), false);
    for (const LayerEdge& edge : graph.edges) {
        reads[at(edge.to)] = true;
        if (!graph.nodes[at(edge.to)].isBackward) isRead[at(edge.from)] = true;
    }
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        Node& node = graph.nodes[i];
        node.isWeight = !reads[i] && isRead[i] && !node.isBackward && node.op.forwardS == 0 &&
                        node.size > 0 && node.op.outputBytes == node.size;
    }
}

/// The nodes, each after what it reads.
std::vector<int> topologicalOrder(const Graph& graph) {
    std::vector<int> inputsLeft(graph.nodes.size(), 0), order;
    std::vector<std::vector<int>> readers(graph.nodes.size());
    for (const LayerEdge& edge : graph.edges) {
        ++inputsLeft[at(edge.to)];
        readers[at(edge.from)].push_back(edge.to);
    }
    for (int node = 0; at(node) < graph.nodes.size(); ++node)
        if (inputsLeft[at(node)] == 0) order.push_back(node);
    for (std::size_t done = 0; done < order.size(); ++done)
        for (const int reader : readers[at(order[done])])
            if (--inputsLeft[at(reader)] == 0) order.push_back(reader);
    return order;
}

/// Gives each backward node and each weight the forward node that it is joined with: a weight the first that
/// reads it; a backward node the last of its colour class, else the last forward node that it reads, else
/// what the nodes that it reads belong to, else the last of all.
void findOwners(Graph& graph) {
    const std::vector<int> order = topologicalOrder(graph);
    std::vector<std::vector<int>> inputs(graph.nodes.size());
    std::vector<int> rank(graph.nodes.size());
    for (std::size_t i = 0; i < order.size(); ++i) rank[at(order[i])] = static_cast<int>(i);
    const auto isForward = [&](int node) {
        return !graph.nodes[at(node)].isBackward && !graph.nodes[at(node)].isWeight;
    };
    std::map<int, int> lastOfClass;
    int last = -1;
    for (const int node : order)
        if (isForward(node)) {
            graph.nodes[at(node)].owner = last = node;
            if (const auto color = graph.nodes[at(node)].colorClass) lastOfClass[*color] = node;
        }
    for (const LayerEdge& edge : graph.edges) {
        inputs[at(edge.to)].push_back(edge.from);
        Node& weight = graph.nodes[at(edge.from)];
        if (weight.isWeight && isForward(edge.to) &&
            (weight.owner < 0 || rank[at(edge.to)] < rank[at(weight.owner)]))
            weight.owner = edge.to;
    }
    for (const int index : order) {
        Node& node = graph.nodes[at(index)];
        if (node.owner >= 0) continue;
        const auto own = node.colorClass ? lastOfClass.find(*node.colorClass) : lastOfClass.end();
        if (own != lastOfClass.end()) node.owner = own->second;
        for (const int input : inputs[at(index)])
            if (own == lastOfClass.end() && isForward(input) &&
                (node.owner < 0 || rank[at(input)] > rank[at(node.owner)]))
                node.owner = input;
        for (const int input : inputs[at(index)])
            if (node.owner < 0) node.owner = graph.nodes[at(input)].owner;
        if (node.owner < 0) node.owner = last;
    }
}

/// Nodes on other accelerators than what they are joined with speak against the split.
void placeNodes(const AcceleratorSplit& split, const std::string& file, const Graph& graph,
                OperatorGraph& joined, const std::vector<int>& newIndex) {
    joined.splitName = "The split of " + std::filesystem::path(file).filename().string();
    joined.whyNoSplit = split.why;
    const auto acceleratorOf = [&](const Node& node) {
        const auto found = split.acceleratorOf.find(node.op.number);
        return found == split.acceleratorOf.end() ? -1 : found->second;
    };
    std::set<long long> known;
    for (const Node& node : graph.nodes) known.insert(node.op.number);
    for (const auto& [id, accelerator] : split.acceleratorOf)
        if (!known.contains(id))
            throw InputError(file, "",
                             "it places node " + std::to_string(id) + ", which the graph does not have",
                             "a split of this graph");
    for (const Node& node : graph.nodes)
        if (!node.isBackward && !node.isWeight)
            joined.nodes[at(newIndex[at(node.owner)])].stage = acceleratorOf(node);
    for (const Node& node : graph.nodes) {
        const OperatorNode& owner = joined.nodes[at(newIndex[at(node.owner)])];
        if (node.isBackward && acceleratorOf(node) != owner.stage && joined.whyNoSplit.empty())
            joined.whyNoSplit =
                "it puts " + node.op.id + " and " + owner.id + ", its forward, on different accelerators";
    }
}

/// Forward nodes alone, each with what is joined with it.
OperatorGraph join(const Graph& graph, bool weightsApart, std::vector<int>& newIndex) {
    OperatorGraph joined;
    newIndex.assign(graph.nodes.size(), -1);
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const Node& node = graph.nodes[i];
        if (node.isBackward || node.isWeight) continue;
        newIndex[i] = static_cast<int>(joined.nodes.size());
        joined.nodes.push_back(node.op);
        // A layer's node holds weights and output; an operator's only outputs.
        if (!weightsApart)
            joined.nodes.back().parameterBytes = std::max(0.0, node.size - node.op.outputBytes);
    }
    for (const Node& node : graph.nodes) {
        OperatorNode& owner = joined.nodes[at(newIndex[at(node.owner)])];
        if (node.isBackward) owner.backwardS += node.op.forwardS;
        if (node.isWeight) owner.parameterBytes += node.size;
    }
    for (const LayerEdge& edge : graph.edges) {
        const int from = newIndex[at(edge.from)], to = newIndex[at(edge.to)];
        if (from >= 0 && to >= 0) joined.edges.push_back({from, to});
    }
    return joined;
}

/// Of graphs of layers, whose nodes hold weights and output together.
void addNotesOnParameters(const Graph& graph, std::vector<ImportNote>& notes) {
    std::string text = "parameters are a node's size without its output";
    std::string unknown;
    int ends = 0, unknownEnds = 0;
    for (const Node& node : graph.nodes) {
        ends += node.endsGraph && node.outputKnown && node.op.outputBytes > 0;
        unknownEnds += !node.outputKnown;
        if (!node.outputKnown && unknown.empty()) unknown = node.op.id;
    }
    if (ends > 0)
        text += "; that of " + std::to_string(ends) + (ends == 1 ? " node" : " nodes") +
                " that nothing reads was found from the backward nodes' edges or is all that the node holds";
    notes.push_back({ImportNote::Kind::derived, text});
    if (unknownEnds > 0)
        notes.push_back({ImportNote::Kind::assumed,
                         "the file does not say how large the output of " + unknown +
                             (unknownEnds > 1 ? " and " + std::to_string(unknownEnds - 1) + " more" : "") +
                             " is, which nothing reads; all that it holds was counted as parameters"});
}

void addNotes(const JsonValue& root, const Graph& graph, std::size_t weights, std::size_t backward,
              std::vector<ImportNote>& notes) {
    notes.push_back({ImportNote::Kind::took,
                     counted(graph.nodes.size(), "node") + " and " + counted(graph.edges.size(), "edge")});
    notes.push_back(
        {ImportNote::Kind::derived, std::string("milliseconds became seconds, and costs, which are in ") +
                                        (graph.costUnitS < 1 ? "milliseconds" : "seconds") +
                                        ", became bytes by 2 GiB/s: " + graph.costUnitBecause});
    if (backward > 0) {
        notes.push_back(
            {ImportNote::Kind::grouped, counted(backward, "backward node is", "backward nodes are") +
                                            " joined with forward ones of their colour"});
        notes.push_back(
            {ImportNote::Kind::assumed,
             "gradients have the size of the activations, and half of a backward is weight gradient"});
    } else {
        notes.push_back({ImportNote::Kind::ignored,
                         "this is a graph of inference: it has no backward nodes, and backward times are 0"});
    }
    if (weights > 0)
        notes.push_back(
            {ImportNote::Kind::grouped, counted(weights, "node that takes no time and reads nothing is",
                                                "nodes that take no time and read nothing are") +
                                            " taken for weights "
                                            "and joined with the first node that reads them"});
    else
        addNotesOnParameters(graph, notes);
    if (root.has("maxFPGAs") && root.has("maxSizePerFPGA"))
        notes.push_back(
            {ImportNote::Kind::ignored,
             "the file was made for " + counted(root.member("maxFPGAs").integer(0), "accelerator") + " of " +
                 std::to_string(
                     static_cast<long long>(std::min(quantity(root.member("maxSizePerFPGA")), 9e18))) +
                 " bytes; times on CPUs are not used"});
}

}  // namespace

ImportedProfile readDnnPartitioning(std::string_view text, const std::string& file,
                                    const ProfileImportOptions& options) {
    const nlohmann::json document = parseJson(text, file);
    const JsonValue root(document, file);
    Graph graph = graphFromJson(root);
    findWeights(graph);
    findOwners(graph);
    const auto count = [&](bool Node::*what) {
        return static_cast<std::size_t>(std::count_if(graph.nodes.begin(), graph.nodes.end(),
                                                      [&](const Node& node) { return node.*what; }));
    };
    const std::size_t weights = count(&Node::isWeight), backward = count(&Node::isBackward);
    std::vector<int> newIndex;
    OperatorGraph joined = join(graph, weights > 0, newIndex);
    if (!options.splitText.empty())
        placeNodes(readAcceleratorSplit(options.splitText, options.splitFile), options.splitFile, graph,
                   joined, newIndex);
    std::vector<ImportNote> notes;
    addNotes(root, graph, weights, backward, notes);
    ImportedProfile imported = chainOf(joined);
    imported.notes.insert(imported.notes.begin(), notes.begin(), notes.end());
    imported.profile.name = nameFromFile(file, ".json");
    imported.profile.microbatchSize = std::max(1, options.microbatchSize);
    if (options.microbatchSize == 0)
        imported.notes.push_back(
            {ImportNote::Kind::assumed, "a microbatch is one sample: the file does not say"});
    imported.profile.source =
        "dnn-partitioning graph: milliseconds on an accelerator, bytes from costs at 2 GiB/s; " +
        counted(joined.nodes.size(), "node") + " grouped into " +
        counted(imported.profile.layers.size(), "layer");
    return imported;
}

ProfileFormat dnnPartitioningGraphFormat() {
    return {.ids = {"dnn-partitioning"},
            .name = "dnn-partitioning graph",
            .suffixes = {"json"},
            .outermostFields = {"maxFPGAs", "maxSizePerFPGA"},
            .fields = {"fpgaLatency"},
            .takesSplit = true,
            .read = readDnnPartitioning};
}

}  // namespace stagecraft::formats
