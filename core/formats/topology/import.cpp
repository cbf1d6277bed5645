#include "core/formats/topology/import.h"

#include "core/formats/topology/described_text.h"
#include "core/formats/json_writer.h"
#include "core/formats/text_encoding.h"
#include "core/formats/topology/topology_format.h"

#include <algorithm>

namespace stagecraft::formats {

namespace {

/// "NCCL topology XML, hwloc XML, …"
std::string namesOfTopologyFormats() {
    std::string names;
#define STAGECRAFT_NAME(name) names += (names.empty() ? "" : ", ") + topologyKindName(FileKind::name);
    STAGECRAFT_TOPOLOGY_FORMATS(STAGECRAFT_NAME)
#undef STAGECRAFT_NAME
    return names;
}

/// FileKind::cluster unless it is a topology.
FileKind clusterKind(const TopologyText& text, FileKind kind) {
    if (isTopology(kind)) {
        if (text.text.size() > mostTopologyBytes)
            throw InputError(text.file, "", "the text is too large", topologyTooLarge);
        return kind;
    }
    // Of its own JSON, or such that is not well spelled, the native reader says what is wrong with it.
    const std::size_t first = text.text.find_first_not_of(" \t\r\n");
    const bool isJson = first != std::string::npos && text.text[first] == '{';
    if (kind == FileKind::cluster || (isJson && !isForeignJson(text.text))) return FileKind::cluster;
    throw InputError(text.file, "",
                     describedText(text.text) + ": not a cluster or topology in any known format",
                     "a stagecraft/cluster, or one of these: " + namesOfTopologyFormats());
}

std::string stemOf(const std::string& file) { return std::filesystem::path(file).stem().string(); }

/// "a.xml, b.xml"
std::string namesOf(const std::vector<TopologyText>& texts) {
    constexpr std::size_t named = 4;
    std::string names;
    for (std::size_t text = 0; text < std::min(texts.size(), named); ++text)
        names += (text ? ", " : "") + std::filesystem::path(texts[text].file).filename().string();
    return texts.size() > named ? names + ", …" : names;
}

void label(ImportedCluster& imported, const std::string& kinds, const std::vector<TopologyText>& texts,
           const ImportOptions& options) {
    Cluster& cluster = imported.cluster;
    imported.chosen = choicesOf(options);
    cluster.name = !options.name.empty() ? options.name : stemOf(texts.front().file);
    cluster.source = kinds + ": " + namesOf(texts);
    for (const Assumption& assumption : imported.assumed) {
        cluster.assumptions.push_back(assumption.text);
        imported.notes.push_back({ImportNote::Kind::assumed, assumption.text});
    }
}

}  // namespace

ImportedCluster readClusters(const std::vector<TopologyText>& texts, const ImportOptions& options,
                             const std::function<FileKind(std::string_view text)>& detect) {
    if (texts.empty()) throw InputError("", "", "no text to import", "at least one");
    ImportOptions each = options;
    each.isOneOfSeveral = texts.size() > 1 || options.copies > 1;
    std::vector<Machine> machines;
    std::string kinds;
    for (const TopologyText& given : texts) {
        const TopologyText text{given.file, utf8(plainText(given.text))};
        const FileKind kind = clusterKind(text, detect(text.text));
        const TopologyFormat* format = topologyFormatOf(kind);
        if (!format || format->readWhole) {
            if (each.isOneOfSeveral)
                throw InputError(text.file, "",
                                 "a " + (format ? format->name : "cluster") +
                                     " is whole and cannot be one server among several",
                                 "topologies of one server each");
            if (!format) return {readCluster(text.text, text.file), {}, {}, {}};
            ImportedCluster whole = format->readWhole(text.text, text.file, each);
            label(whole, format->name, texts, options);
            return whole;
        }
        if (kinds.find(format->name) == std::string::npos)
            kinds += (kinds.empty() ? "" : ", ") + format->name;
        machines.push_back(format->readServer(text.text, text.file, each));
        checkLinksOfChosenGpu(machines.back(), text.file, each);
    }
    ImportedCluster imported = clusterOf(std::move(machines), options);
    label(imported, kinds, texts, options);
    return imported;
}

}  // namespace stagecraft::formats
