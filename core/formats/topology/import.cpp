#include "core/formats/topology/import.h"

#include "core/formats/json_writer.h"
#include "core/formats/topology/readers.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

namespace stagecraft {

namespace {

constexpr std::size_t mostBytes = std::size_t{1} << 24;  // 16 MiB
constexpr char tooLarge[] = "16 MiB at most for a topology";

Machine readMachine(FileKind kind, const TopologyText& text, const ImportOptions& options) {
    switch (kind) {
        case FileKind::hwlocTopology:
            return readHwlocXml(text.text, text.file, options);
        case FileKind::nvidiaSmi:
            return readNvidiaSmi(text.text, text.file, options);
        case FileKind::tacclTopology:
            return readTacclJson(text.text, text.file, options);
        default:
            return readNcclXml(text.text, text.file, options);
    }
}

ImportedCluster readWhole(FileKind kind, const TopologyText& text, const ImportOptions& options) {
    switch (kind) {
        case FileKind::astraNetwork:
            return readAstraNetwork(text.text, text.file, options);
        case FileKind::htsimTopology:
            return readHtsimTopology(text.text, text.file, options);
        case FileKind::bandwidthMatrix:
            return readBandwidthMatrix(text.text, text.file, options);
        default:
            return {readCluster(text.text, text.file), {}, {}, {}};
    }
}

FileKind kindOf(const TopologyText& text, FileKind named) {
    const FileKind kind = named == FileKind::unknown ? detectKind(text.text) : named;
    if (isTopology(kind)) {
        if (text.text.size() > mostBytes) throw InputError(text.file, "", "the text is too large", tooLarge);
        return kind;
    }
    // Of JSON, the native reader says what is wrong with it.
    const std::size_t first = text.text.find_first_not_of(" \t\r\n");
    if (kind == FileKind::cluster || (first != std::string::npos && text.text[first] == '{'))
        return FileKind::cluster;
    throw InputError(
        text.file, "", "this is no cluster or topology in any format that is known",
        "a stagecraft/cluster, topology XML of NCCL, RCCL or hwloc, the text of nvidia-smi topo -m "
        "or nvlink -s, an ASTRA-sim, htsim or TACCL network, or a matrix as CSV");
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

ImportedCluster importCluster(std::string_view text, const std::string& file, const ImportOptions& options) {
    return importClusters({{file, std::string(text)}}, options);
}

ImportedCluster importClusters(const std::vector<TopologyText>& texts, const ImportOptions& options,
                               FileKind named) {
    if (texts.empty()) throw InputError("", "", "there is no text to import", "one at least");
    ImportOptions each = options;
    each.isOneOfSeveral = texts.size() > 1 || options.copies > 1;
    std::vector<Machine> machines;
    std::string kinds;
    for (const TopologyText& given : texts) {
        const TopologyText text{given.file, utf8(given.text)};
        const FileKind kind = kindOf(text, named);
        if (!describesOneServer(kind)) {
            if (each.isOneOfSeveral)
                throw InputError(text.file, "",
                                 "a " + (isTopology(kind) ? topologyKindName(kind) : "cluster") +
                                     " is whole and cannot be one server among several",
                                 "topologies of one server each");
            ImportedCluster whole = readWhole(kind, text, each);
            if (isTopology(kind)) label(whole, topologyKindName(kind), texts, options);
            return whole;
        }
        if (kinds.find(topologyKindName(kind)) == std::string::npos)
            kinds += (kinds.empty() ? "" : ", ") + topologyKindName(kind);
        machines.push_back(readMachine(kind, text, each));
        checkLinksOfChosenGpu(machines.back(), text.file, each);
    }
    ImportedCluster imported = clusterOf(std::move(machines), options);
    label(imported, kinds, texts, options);
    return imported;
}

TopologyText readTopologyFile(const std::filesystem::path& path) {
    // A native cluster may be larger than a topology; which it is shows in the beginning.
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    if (!error && size > mostBytes) {
        std::string head(std::size_t{1} << 16, '\0');
        const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        const ssize_t count = file < 0 ? -1 : ::read(file, head.data(), head.size());
        if (file >= 0) ::close(file);
        head.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
        const FileKind kind = detectKind(head);
        if (count > 0 && (isTopology(kind) || kind == FileKind::unknown))
            throw InputError(path.string(), "", "the file is too large", tooLarge);
    }
    return {path.string(), readTextFile(path)};
}

}  // namespace stagecraft
