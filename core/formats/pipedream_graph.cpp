#include "core/formats/formats.h"
#include "core/formats/operator_graph.h"
#include "core/model/units.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>
#include <unordered_map>

namespace stagecraft {

namespace {

constexpr std::string_view separator = " -- ";

struct Record {
    OperatorNode node;
    std::vector<double> tensorBytes;  ///< one entry for each output tensor
};

struct Edge {
    int from;
    int to;
    std::size_t line;
};

std::vector<std::string_view> split(std::string_view text, std::string_view by) {
    std::vector<std::string_view> parts;
    for (std::size_t found; (found = text.find(by)) != std::string_view::npos;) {
        parts.push_back(text.substr(0, found));
        text.remove_prefix(found + by.size());
    }
    parts.push_back(text);
    return parts;
}

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// Reads the records and holds them to the letter of the format.
class Parser {
public:
    explicit Parser(const std::string& file) : file_(file) {}

    void parse(std::string_view text) {
        for (const std::string_view line : split(text, "\n")) {
            ++line_;
            if (trimmed(line).empty()) continue;
            if (line.front() == '\t') parseEdge(trimmed(line));
            else parseNode(trimmed(line));
        }
        if (records.empty()) fail("there is no node", "at least one node line");
        refuseCycle();
    }

    std::vector<Record> records;
    std::vector<Edge> edges;

private:
    [[noreturn]] void failAt(std::size_t line, const std::string& problem,
                             const std::string& expected) const {
        throw InputError(file_, "line " + std::to_string(line), problem, expected);
    }
    [[noreturn]] void fail(const std::string& problem, const std::string& expected) const {
        failAt(line_, problem, expected);
    }

    double number(std::string_view text, const std::string& field) const {
        double value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value) || value < 0)
            fail(field + " is '" + std::string(text) + "'", "a finite number, 0 or more");
        return value;
    }

    /// "A", or "[A; B; C]" for several output tensors.
    std::vector<double> sizes(std::string_view text, const std::string& field) const {
        if (text.empty() || text.front() != '[') return {number(text, field)};
        if (text.back() != ']') fail(field + " is '" + std::string(text) + "'", "a list that ends with ']'");
        std::vector<double> values;
        for (const std::string_view entry : split(text.substr(1, text.size() - 2), ";"))
            values.push_back(number(trimmed(entry), field));
        return values;
    }

    void parseNode(std::string_view line) {
        if (!edges.empty())
            fail("a node line follows the edges", "all node lines before the first edge line");
        const std::vector<std::string_view> parts = split(line, separator);
        if (parts.size() != 3 && parts.size() != 4)
            fail("the line has " + std::to_string(parts.size()) + " fields",
                 "'ID -- DESCRIPTION -- forward_compute_time=…, …', or a tab and 'FROM -- TO'");
        Record record;
        record.node.id = parts[0];
        record.node.number = numberOf(parts[0]);
        record.node.description = parts[1];
        parseCosts(parts[2], record);
        if (parts.size() == 4 && !parts[3].starts_with("stage_id="))
            fail("the fourth field is '" + std::string(parts[3]) + "'", "'stage_id=…', or nothing");
        if (!index_.emplace(record.node.id, static_cast<int>(records.size())).second)
            fail("node '" + record.node.id + "' is there already", "an id of its own for each node");
        records.push_back(std::move(record));
    }

    /// The digits at the end of "node12".
    long long numberOf(std::string_view id) const {
        long long value = 0;
        const std::size_t digits = id.find_last_not_of("0123456789") + 1;
        const auto [end, error] = std::from_chars(id.data() + digits, id.data() + id.size(), value);
        if (id.empty() || error != std::errc{} || end != id.data() + id.size())
            fail("the id '" + std::string(id) + "' has no number", "an id such as 'node12'");
        return value;
    }

    void parseCosts(std::string_view text, Record& record) const {
        static constexpr std::array<std::string_view, 4> names = {
            "forward_compute_time", "backward_compute_time", "activation_size", "parameter_size"};
        std::array<std::vector<double>, 4> values;
        const std::vector<std::string_view> fields = split(text, ", ");
        for (std::size_t i = 0; i < names.size(); ++i) {
            const std::string name(names[i]);
            const std::string_view field = i < fields.size() ? trimmed(fields[i]) : std::string_view{};
            if (!field.starts_with(name + "="))
                fail("'" + std::string(field) + "' stands where " + name + " should",
                     "'" + name + "=NUMBER'");
            const std::string_view value = field.substr(name.size() + 1);
            values[i] = i == 2 ? sizes(value, name) : std::vector<double>{number(value, name)};
        }
        if (fields.size() != names.size())
            fail("the node has " + std::to_string(fields.size()) + " costs", "four of them");
        constexpr double millisecond = 1e-3;
        record.node.forwardS = values[0].front() * millisecond;
        record.node.backwardS = values[1].front() * millisecond;
        record.tensorBytes = values[2];
        for (const double bytes : record.tensorBytes) record.node.outputBytes += bytes;
        record.node.parameterBytes = values[3].front();
    }

    int nodeNamed(std::string_view id) const {
        const auto found = index_.find(std::string(id));
        if (found == index_.end())
            fail("there is no node '" + std::string(id) + "'", "the id of a node above");
        return found->second;
    }

    void parseEdge(std::string_view line) {
        const std::vector<std::string_view> ends = split(line, separator);
        if (ends.size() != 2) fail("the edge has " + std::to_string(ends.size()) + " fields", "'FROM -- TO'");
        const Edge edge{nodeNamed(ends[0]), nodeNamed(ends[1]), line_};
        if (edge.from == edge.to)
            fail("node '" + std::string(ends[0]) + "' reads itself", "two different nodes");
        if (!seenEdges_.emplace(edge.from, edge.to).second) fail("the edge is given twice", "each edge once");
        edges.push_back(edge);
    }

    /// Takes away nodes without predecessors as long as there are any; what is left holds a circle.
    void refuseCycle() const {
        std::vector<int> inputsLeft(records.size(), 0);
        std::vector<std::vector<int>> readers(records.size());
        for (const Edge& edge : edges) {
            ++inputsLeft[static_cast<std::size_t>(edge.to)];
            readers[static_cast<std::size_t>(edge.from)].push_back(edge.to);
        }
        std::vector<int> free;
        for (std::size_t node = 0; node < records.size(); ++node)
            if (inputsLeft[node] == 0) free.push_back(static_cast<int>(node));
        while (!free.empty()) {
            const int node = free.back();
            free.pop_back();
            for (const int reader : readers[static_cast<std::size_t>(node)])
                if (--inputsLeft[static_cast<std::size_t>(reader)] == 0) free.push_back(reader);
        }
        const auto stuck = std::find_if(edges.begin(), edges.end(), [&](const Edge& edge) {
            return inputsLeft[static_cast<std::size_t>(edge.from)] > 0 &&
                   inputsLeft[static_cast<std::size_t>(edge.to)] > 0;
        });
        if (stuck != edges.end())
            failAt(stuck->line,
                   "the edges run in a circle through or above node '" +
                       records[static_cast<std::size_t>(stuck->to)].node.id + "'",
                   "a graph without circles");
    }

    const std::string& file_;
    std::size_t line_ = 0;
    std::unordered_map<std::string, int> index_;
    std::set<std::pair<int, int>> seenEdges_;
};

bool isInput(const Record& record) { return record.node.description.starts_with("Input"); }

/// The whole number of samples that makes up `bytes`, or 0.
int wholeQuotient(double bytes, double bytesPerSample) {
    const double samples = bytes / bytesPerSample;
    constexpr double plausible = 1e6;
    return samples >= 1 && samples <= plausible && samples == std::floor(samples) ? static_cast<int>(samples)
                                                                                  : 0;
}

/// The samples in a minibatch, which the format does not state: from the Input node's bytes if they are whole
/// images of 3 x H x H floats in one of the usual sizes, else from the state of an LSTM, one float a hidden
/// unit and sample. 0 if neither says it.
int batchSize(const std::vector<Record>& records, std::string& because) {
    constexpr double floatBytes = 4;
    for (const int side : {224, 299, 331})
        for (const Record& record : records)
            if (const int samples = wholeQuotient(record.node.outputBytes, 3.0 * side * side * floatBytes);
                isInput(record) && samples > 0) {
                because = "the bytes of " + record.node.id + " (Input) are images of 3 x " +
                          std::to_string(side) + " x " + std::to_string(side) + " floats";
                return samples;
            }
    for (const Record& record : records) {
        const std::string& text = record.node.description;
        if (!text.starts_with("LSTM(") || record.tensorBytes.size() < 2) continue;
        int hidden = 0;
        const std::size_t comma = text.find(", ");
        if (comma == std::string::npos) continue;
        std::from_chars(text.data() + comma + 2, text.data() + text.size(), hidden);
        if (const int samples = hidden > 0 ? wholeQuotient(record.tensorBytes[1], hidden * floatBytes) : 0;
            samples > 0) {
            because = "the state of " + record.node.id + " (LSTM) has " + std::to_string(hidden) +
                      " floats a sample";
            return samples;
        }
    }
    return 0;
}

/// What PipeDream drops before it plans: inputs, and results that nobody reads.
std::vector<bool> dropped(const Parser& parser, std::vector<ImportNote>& notes) {
    std::vector<bool> isRead(parser.records.size(), false);
    for (const Edge& edge : parser.edges) isRead[static_cast<std::size_t>(edge.from)] = true;
    std::vector<bool> drop(parser.records.size(), false);
    for (std::size_t i = 0; i < parser.records.size(); ++i) {
        const OperatorNode& node = parser.records[i].node;
        const bool unread = node.description.starts_with("__getitem__") && !isRead[i];
        drop[i] = isInput(parser.records[i]) || unread;
        if (!drop[i]) continue;
        const double loadS = node.forwardS + node.backwardS;
        notes.push_back({ImportNote::Kind::ignored,
                         node.id + " (" + node.description + ") is left out" +
                             (unread ? ": nobody reads it" : ": an input does no work of the network") +
                             (loadS > 0 ? "; its " + formatSeconds(loadS) + " are not counted" : "")});
    }
    return drop;
}

OperatorGraph keptGraph(const Parser& parser, const std::vector<bool>& drop) {
    OperatorGraph graph;
    std::vector<int> newIndex(parser.records.size(), -1);
    for (std::size_t i = 0; i < parser.records.size(); ++i) {
        if (drop[i]) continue;
        newIndex[i] = static_cast<int>(graph.nodes.size());
        graph.nodes.push_back(parser.records[i].node);
    }
    graph.successors.resize(graph.nodes.size());
    graph.predecessors.resize(graph.nodes.size());
    for (const Edge& edge : parser.edges) {
        const int from = newIndex[static_cast<std::size_t>(edge.from)],
                  to = newIndex[static_cast<std::size_t>(edge.to)];
        if (from < 0 || to < 0) continue;
        graph.successors[static_cast<std::size_t>(from)].push_back(to);
        graph.predecessors[static_cast<std::size_t>(to)].push_back(from);
    }
    return graph;
}

/// The text does not say what it is a profile of; its file's name does.
std::string modelName(const std::string& file) {
    const std::string name = std::filesystem::path(file).filename().string();
    return name.substr(0, name.find(".graph.txt"));
}

}  // namespace

ImportedProfile readPipeDreamGraph(std::string_view text, const std::string& file, int microbatchSize) {
    Parser parser(file);
    parser.parse(text);
    std::vector<ImportNote> notes = {
        {ImportNote::Kind::took, std::to_string(parser.records.size()) + " nodes and " +
                                     std::to_string(parser.edges.size()) + " edges"}};
    if (microbatchSize == 0) {
        std::string because = "nothing in the file says it: taken as one";
        microbatchSize = std::max(1, batchSize(parser.records, because));
        notes.push_back({ImportNote::Kind::derived,
                         "samples in a minibatch: " + std::to_string(microbatchSize) + ", since " + because});
    }
    const std::vector<bool> drop = dropped(parser, notes);
    const OperatorGraph graph = keptGraph(parser, drop);
    if (graph.nodes.empty())
        throw InputError(file, "", "all nodes are inputs", "at least one node that computes");
    ImportedProfile imported = chainOf(graph);
    imported.notes.insert(imported.notes.begin(), notes.begin(), notes.end());
    imported.profile.name = modelName(file);
    imported.profile.microbatchSize = microbatchSize;
    imported.profile.source = "PipeDream graph.txt: measured milliseconds and bytes a minibatch; " +
                              std::to_string(graph.nodes.size()) + " nodes grouped into " +
                              std::to_string(imported.profile.layers.size()) + " layers";
    return imported;
}

}  // namespace stagecraft
