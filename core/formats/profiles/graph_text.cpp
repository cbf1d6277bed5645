#include "core/base/counted.h"
#include "core/base/text_parts.h"
#include "core/base/units.h"
#include "core/formats/profiles/operator_graph.h"
#include "core/formats/profiles/profile_format.h"
#include "core/formats/profiles/split_files.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>
#include <unordered_map>

namespace stagecraft::formats {

namespace {

constexpr std::string_view separator = " -- ";
constexpr int mostStages = 1000000;

struct Record {
    OperatorNode node;
    std::vector<double> tensorBytes;  ///< one entry for each output tensor
    std::size_t line = 0;
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

/// Reads the records and holds them to the letter of the format.
class Parser {
public:
    explicit Parser(const std::string& file) : file_(file) {}

    void parse(std::string_view text) {
        for (const std::string_view line : split(text, "\n")) {
            ++line_;
            if (trimmed(line).empty()) continue;
            // DAPPLE's edges start with blanks of several kinds.
            if (line.front() == '\t' || line.front() == ' ')
                parseEdge(trimmed(line));
            else
                parseNode(trimmed(line));
        }
        if (records.empty()) fail("no nodes", "at least one node line");
        check();
    }

    bool hasStages() const {
        return std::any_of(records.begin(), records.end(),
                           [](const Record& record) { return record.node.stage >= 0; });
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
        if (error != std::errc{} || end != text.data() + text.size() ||
            !(value >= 0 && value <= largestQuantity))
            fail(field + " is '" + std::string(text) + "'", "a number from 0 to 1e24");
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
            fail("the line has " + counted(parts.size(), "field"),
                 "'ID -- DESCRIPTION -- forward_compute_time=…, …', or a tab and 'FROM -- TO'");
        Record record;
        record.line = line_;
        record.node.id = parts[0];
        record.node.number = numberOf(parts[0]);
        record.node.description = parts[1];
        parseCosts(parts[2], record);
        if (parts.size() == 4) record.node.stage = stageOf(parts[3]);
        if (!index_.emplace(record.node.id, static_cast<int>(records.size())).second)
            fail("node '" + record.node.id + "' is there already", "a unique id for each node");
        records.push_back(std::move(record));
    }

    /// "stage_id=3"; PipeDream writes "stage_id=-1" or "None" where it has not decided.
    int stageOf(std::string_view field) const {
        constexpr std::string_view name = "stage_id=";
        const std::string_view value =
            field.starts_with(name) ? field.substr(name.size()) : std::string_view{};
        if (value == "-1" || value == "None") return -1;
        int stage = 0;
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), stage);
        if (value.empty() || error != std::errc{} || end != value.data() + value.size() || stage < 0 ||
            stage > mostStages)
            fail("the fourth field is '" + std::string(field) + "'",
                 "'stage_id=NUMBER' up to a million, or nothing");
        return stage;
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
                fail("found '" + std::string(field) + "' instead of " + name, "'" + name + "=NUMBER'");
            const std::string_view value = field.substr(name.size() + 1);
            values[i] = i == 2 ? sizes(value, name) : std::vector<double>{number(value, name)};
        }
        if (fields.size() != names.size())
            fail("the node has " + counted(fields.size(), "cost"), "four of them");
        constexpr double millisecond = 1e-3;
        record.node.forwardS = values[0].front() * millisecond;
        record.node.backwardS = values[1].front() * millisecond;
        record.tensorBytes = values[2];
        for (const double bytes : record.tensorBytes) record.node.outputBytes += bytes;
        record.node.parameterBytes = values[3].front();
    }

    int nodeNamed(std::string_view id) const {
        const auto found = index_.find(std::string(id));
        if (found == index_.end()) fail("no node '" + std::string(id) + "'", "the id of a node above");
        return found->second;
    }

    void parseEdge(std::string_view line) {
        const std::vector<std::string_view> ends = split(line, separator);
        if (ends.size() != 2) fail("the edge has " + counted(ends.size(), "field"), "'FROM -- TO'");
        const Edge edge{nodeNamed(ends[0]), nodeNamed(ends[1]), line_};
        if (edge.from == edge.to)
            fail("node '" + std::string(ends[0]) + "' reads itself", "two different nodes");
        if (!seenEdges_.emplace(edge.from, edge.to).second) fail("the edge is given twice", "each edge once");
        edges.push_back(edge);
    }

    void check() const {
        std::vector<LayerEdge> plain;
        for (const Edge& edge : edges) plain.push_back({edge.from, edge.to});
        const auto id = [&](int node) { return records[static_cast<std::size_t>(node)].node.id; };
        checkGraph(
            static_cast<int>(records.size()), plain,
            [&](std::size_t edge) {
                failAt(edges[edge].line,
                       "the edges run in a circle through or above node '" + id(edges[edge].to) + "'",
                       "a graph without circles");
            },
            [&](int node) {
                failAt(records[static_cast<std::size_t>(node)].line, "node '" + id(node) + "' has no edge",
                       "each node to read another or to be read");
            });
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
            because =
                "the state of " + record.node.id + " (LSTM) has " + counted(hidden, "float") + " per sample";
            return samples;
        }
    }
    return 0;
}

/// "bert-24-pbs-6.txt" of DAPPLE was profiled at batches of 6 samples. 0: the name does not say.
int batchInName(const std::string& file) {
    const std::string name = std::filesystem::path(file).filename().string();
    const std::size_t found = name.find("-pbs-");
    if (found == std::string::npos) return 0;
    int samples = 0;
    std::from_chars(name.data() + found + 5, name.data() + name.size(), samples);
    return std::max(samples, 0);
}

/// Leaves out what PipeDream drops before it plans: inputs, and results that nobody reads.
void leaveOut(Parser& parser, std::vector<ImportNote>& notes) {
    std::vector<bool> isRead(parser.records.size(), false), reads(parser.records.size(), false);
    for (const Edge& edge : parser.edges) {
        isRead[static_cast<std::size_t>(edge.from)] = true;
        reads[static_cast<std::size_t>(edge.to)] = true;
    }
    for (std::size_t i = 0; i < parser.records.size(); ++i) {
        OperatorNode& node = parser.records[i].node;
        const bool unread = node.description.starts_with("__getitem__") && !isRead[i];
        node.leftOut = (isInput(parser.records[i]) && !reads[i]) || unread;
        if (!node.leftOut) continue;
        const double loadS = node.forwardS + node.backwardS;
        notes.push_back({ImportNote::Kind::ignored,
                         node.id + " (" + node.description + ") is left out" +
                             (unread ? ": nobody reads it" : ": an input does no work of the network") +
                             (loadS > 0 ? "; its " + formatSeconds(loadS) + " are not counted" : "")});
    }
}

OperatorGraph graphOf(const Parser& parser) {
    OperatorGraph graph;
    for (const Record& record : parser.records) graph.nodes.push_back(record.node);
    for (const Edge& edge : parser.edges) graph.edges.push_back({edge.from, edge.to});
    return graph;
}

/// The stages of the graph itself, with the replicas that a runtime plan beside it gives them.
void addSplit(const Parser& parser, const ProfileImportOptions& options, OperatorGraph& graph) {
    if (parser.hasStages()) graph.splitName = "The graph's own stages";
    if (options.splitText.empty()) return;
    if (!parser.hasStages())
        throw InputError(
            options.splitFile, "",
            "this gives the replicas of stages, but the graph does not say which nodes they hold",
            "a graph whose nodes have a stage_id");
    graph.replicas = readPipeDreamConf(options.splitText, options.splitFile);
    int stages = 0;
    for (const Record& record : parser.records) stages = std::max(stages, record.node.stage + 1);
    if (stages != static_cast<int>(graph.replicas.size()))
        throw InputError(options.splitFile, "/stage_to_rank_map",
                         "this is for " + counted(graph.replicas.size(), "stage"),
                         "the " + counted(stages, "stage") + " of the graph");
    graph.splitName +=
        ", replicated as " + std::filesystem::path(options.splitFile).filename().string() + " says";
}

}  // namespace

ImportedProfile readGraphText(std::string_view text, const std::string& file,
                              const ProfileImportOptions& options) {
    Parser parser(file);
    parser.parse(text);
    std::vector<ImportNote> notes = {
        {ImportNote::Kind::took,
         counted(parser.records.size(), "node") + " and " + counted(parser.edges.size(), "edge")},
        {ImportNote::Kind::derived, "milliseconds became seconds; lists of tensors became their sums"}};
    const int named = batchInName(file);
    int microbatchSize = options.microbatchSize > 0 ? options.microbatchSize : named;
    if (microbatchSize == 0) {
        std::string because = "nothing in the file says it: taken as one";
        microbatchSize = batchSize(parser.records, because);
        notes.push_back({microbatchSize > 0 ? ImportNote::Kind::derived : ImportNote::Kind::assumed,
                         "samples in a minibatch: " + std::to_string(std::max(1, microbatchSize)) +
                             ", since " + because});
        microbatchSize = std::max(1, microbatchSize);
    } else if (options.microbatchSize == 0) {
        notes.push_back(
            {ImportNote::Kind::derived, "samples in a minibatch: " + std::to_string(microbatchSize) +
                                            ", since the file's name says so"});
    }
    notes.push_back(
        {ImportNote::Kind::assumed,
         "gradients have the size of the activations, and half of a backward is weight gradient"});
    leaveOut(parser, notes);
    if (std::all_of(parser.records.begin(), parser.records.end(),
                    [](const Record& record) { return record.node.leftOut; }))
        throw InputError(file, "", "all nodes are inputs", "at least one node that computes");
    OperatorGraph graph = graphOf(parser);
    addSplit(parser, options, graph);
    ImportedProfile imported = chainOf(graph);
    imported.notes.insert(imported.notes.begin(), notes.begin(), notes.end());
    imported.profile.name = nameFromFile(file, named > 0                      ? "-pbs-"
                                               : file.ends_with(".graph.txt") ? ".graph.txt"
                                                                              : ".txt");
    imported.profile.microbatchSize = microbatchSize;
    const auto leftOut = std::count_if(parser.records.begin(), parser.records.end(),
                                       [](const Record& record) { return record.node.leftOut; });
    imported.profile.source = std::string(named > 0 ? "DAPPLE text profile" : "PipeDream graph.txt") +
                              ": measured milliseconds and bytes per minibatch; " +
                              counted(parser.records.size() - static_cast<std::size_t>(leftOut), "node") +
                              " grouped into " + counted(imported.profile.layers.size(), "layer");
    return imported;
}

ProfileFormat pipeDreamGraphFormat() {
    return {.ids = {"pipedream", "dapple"},
            .name = "PipeDream or DAPPLE graph",
            .suffixes = {"txt"},
            .recognises =
                [](std::string_view text) {
                    const std::string_view line = firstLine(text);
                    return line.find(" -- ") != std::string_view::npos && !line.starts_with('[');
                },
            .takesSplit = true,
            .read = readGraphText};
}

}  // namespace stagecraft::formats
