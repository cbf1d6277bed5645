#include "core/formats/profiles/foreign_json.h"

#include "core/base/counted.h"
#include "core/base/units.h"
#include "core/formats/profiles/import.h"
#include "core/formats/profiles/profile_format.h"

#include <algorithm>

namespace stagecraft::formats {

namespace {

/// The least tensor-parallel degree of a node, which is 1 in the files that are known.
std::string leastDegree(const JsonValue& degrees) {
    std::vector<std::string> names = degrees.fieldNames();
    if (names.empty()) degrees.fail("no tensor-parallel degrees", "at least degree \"1\"");
    std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
        return std::pair(a.size(), a) < std::pair(b.size(), b);
    });
    return names.front();
}

/// The variant without recomputation, or the first.
JsonValue vanilla(const JsonValue& variants) {
    const std::vector<JsonValue> entries = variants.elements();
    if (entries.empty()) variants.fail("no variants", "at least one");
    for (const JsonValue& entry : entries)
        if (requiredMember(entry, "id").text() == "vanilla") return entry;
    return entries.front();
}

struct Counts {
    std::size_t otherVariants = 0;
    std::size_t higherDegrees = 0;
};

/// Times are left in the file's unit.
OperatorNode nodeFromJson(const JsonValue& value, Counts& counts) {
    OperatorNode node;
    node.number = requiredMember(value, "id").integer(std::numeric_limits<int>::min());
    node.id = std::to_string(node.number);
    if (value.has("name")) node.description = value.member("name").text();
    const JsonValue degrees = requiredMember(value, "TMPCs");
    const std::string degree = leastDegree(degrees);
    const JsonValue variants = degrees.member(degree), variant = vanilla(variants);
    counts.higherDegrees += degrees.fieldNames().size() - 1;
    counts.otherVariants += variants.elements().size() - 1;
    // timePerSample holds forward and backward; a backward is taken to cost two forwards.
    const double both = quantity(requiredMember(variant, "timePerSample"));
    node.forwardS = both / 3;
    node.backwardS = both - node.forwardS;
    node.parameterBytes = quantity(requiredMember(variant, "parameterSize"));
    node.storedBytes = quantity(requiredMember(variant, "memoryUsageA"));
    return node;
}

std::string limitsIn(const JsonValue& root) {
    std::string text;
    for (const auto& [field, what] :
         {std::pair("maxDevices", "devices at most"), std::pair("maxMemoryPerDevice", "bytes on each"),
          std::pair("bandwidth", "bytes per second between them"),
          std::pair("mbsInBatch", "microbatches in a batch")})
        if (root.has(field))
            text += (text.empty() ? "" : ", ") +
                    std::to_string(static_cast<long long>(std::min(quantity(root.member(field)), 9e18))) +
                    " " + what;
    return text;
}

}  // namespace

ImportedProfile readPiper(std::string_view text, const std::string& file,
                          const ProfileImportOptions& options) {
    const nlohmann::json document = parseJson(text, file);
    const JsonValue root(document, file);
    OperatorGraph graph;
    NodeIndex index;
    Counts counts;
    double total = 0;
    const JsonValue nodes = requiredMember(root, "nodes");
    for (const JsonValue& entry : nodes.elements()) {
        index.add(requiredMember(entry, "id"));
        graph.nodes.push_back(nodeFromJson(entry, counts));
        total += graph.nodes.back().forwardS + graph.nodes.back().backwardS;
    }
    if (graph.nodes.empty()) nodes.fail("no nodes", "at least one node");
    graph.edges = foreignEdges(root, index, static_cast<int>(graph.nodes.size()));
    const std::vector<JsonValue> edges = root.member("edges").elements();
    for (std::size_t i = 0; i < edges.size(); ++i) {
        double& bytes = graph.nodes[static_cast<std::size_t>(graph.edges[i].from)].outputBytes;
        bytes = std::max(bytes, quantity(requiredMember(edges[i], "communicationCost")));
    }
    // No network needs ten seconds for a sample.
    constexpr double plausibleS = 10;
    const double unit = options.timeUnitS > 0 ? options.timeUnitS : total > plausibleS ? 1e-3 : 1;
    for (OperatorNode& node : graph.nodes) {
        node.forwardS *= unit;
        node.backwardS *= unit;
    }
    std::vector<ImportNote> notes = {{ImportNote::Kind::took, counted(graph.nodes.size(), "node") + " and " +
                                                                  counted(graph.edges.size(), "edge")}};
    if (options.timeUnitS <= 0)
        notes.push_back({ImportNote::Kind::assumed, std::string("times are in ") +
                                                        (unit < 1 ? "milliseconds" : "seconds") +
                                                        ": the file does not say, and a sample would take " +
                                                        formatNumber(total) + " of the unit"});
    notes.push_back(
        {ImportNote::Kind::assumed,
         "a third of a time is forward and two thirds backward, half of which is weight gradient: "
         "the file has their sum"});
    if (counts.otherVariants + counts.higherDegrees > 0)
        notes.push_back({ImportNote::Kind::ignored,
                         "variants of nodes with recomputation (" + std::to_string(counts.otherVariants) +
                             ") and with tensor parallelism (" + std::to_string(counts.higherDegrees) + ")"});
    if (const std::string limits = limitsIn(root); !limits.empty())
        notes.push_back({ImportNote::Kind::ignored, "the file was made for " + limits});
    ImportedProfile imported = chainOf(graph);
    imported.notes.insert(imported.notes.begin(), notes.begin(), notes.end());
    imported.profile.name = nameFromFile(file, ".json");
    imported.profile.microbatchSize = std::max(1, options.microbatchSize);
    imported.profile.source = "Piper profile: time per sample and bytes; " +
                              counted(graph.nodes.size(), "node") + " grouped into " +
                              counted(imported.profile.layers.size(), "layer") +
                              "; forward is taken as a third of the time";
    return imported;
}

ProfileFormat piperProfileFormat() {
    return {.ids = {"piper"},
            .name = "Piper profile",
            .suffixes = {"json"},
            .outermostFields = {"mbsInBatch", "maxMemoryPerDevice", "maxBatchSize"},
            .fields = {"TMPCs"},
            .read = readPiper};
}

}  // namespace stagecraft::formats
