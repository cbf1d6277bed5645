#pragma once

#include "core/base/parameters.h"
#include "core/formats/native/formats.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

/// What topologies leave out and a person may know. An importer takes what is given here before what the
/// text says of the same; what neither says it assumes, and adds to Cluster::assumptions.
struct ImportOptions {
    std::string name;            ///< of the cluster; empty: the file's
    std::string gpu;             ///< as clusters or nvidia-smi name it; empty: what the text says
    double memoryBytes = 0;      ///< of each GPU; 0: that of its type
    int pcieGeneration = 0;      ///< 16 lanes of it; 0: that of the GPU
    std::string cpu;             ///< an id of presets.h; empty: what the text says
    std::string nvlink;          ///< an id of presets.h, for texts without NVLink; empty: none
    std::string gpuBusIds;       ///< PCI functions that are GPUs, for templates that do not say
    bool narrowBridges = false;  ///< hwloc: bridges that run slower than the GPU count as they are
    double nicBps = 0;           ///< of a NIC whose speed the text does not say; 0: 12.5e9
    double networkBps = 0;       ///< between servers, of each NIC; 0: as fast as the NIC
    double networkLatencyS = 0;
    std::string unit;             ///< of a matrix that does not say; empty: GB/s
    int gpusPerServer = 0;        ///< of a matrix; 0: all are in one
    int copies = 1;               ///< servers of each text
    bool isOneOfSeveral = false;  ///< set by importClusters: the text is a server among others
};

/// All options as parameters, named as on the command line with underscores.
const std::vector<Parameter>& importParameters();
/// @throws std::invalid_argument for a GPU that the catalogue does not have, unless its memory is given too
ImportOptions importOptions(const ParameterValues& values);
/// What differs from the defaults, one a line: "GPU: H100-SXM5-80GB".
std::vector<std::string> choicesOf(const ImportOptions& options);

/// Whether it is something that importCluster reads, rather than a native file.
bool isTopology(FileKind kind);
/// "NCCL topology XML", for messages and Cluster::source.
std::string topologyKindName(FileKind kind);
/// Whether a text of that kind is a server, of which several make a cluster, or else a whole cluster.
bool describesOneServer(FileKind kind);
/// Among topologies alone; FileKind::unknown if it is none.
FileKind detectTopology(std::string_view text);

/// What a text did not hold.
struct Assumption {
    std::string text;    ///< a sentence, as in Cluster::assumptions
    std::string option;  ///< the parameter that would settle it; empty: none would
    std::string value;   ///< what was taken for it, as its parameter is written; empty: its default
};

struct ImportedCluster {
    Cluster cluster;
    std::vector<ImportNote> notes;
    std::vector<Assumption> assumed;  ///< Cluster::assumptions and what settles them
    std::vector<std::string> chosen;  ///< what the options said: neither in the text nor assumed
};

/// A text and what messages call it.
struct TopologyText {
    std::string file;
    std::string text;
};

/// Reads a topology, or a native cluster, by its content. Texts are at most 16 MiB, XML at most a million
/// tags and 64 deep, and a cluster at most 4,096 devices.
/// @throws InputError
ImportedCluster importCluster(std::string_view text, const std::string& file,
                              const ImportOptions& options = {});
/// Several texts of one server each make several servers, joined by a network.
/// @param kind what they are; unknown: by content
ImportedCluster importClusters(const std::vector<TopologyText>& texts, const ImportOptions& options = {},
                               FileKind kind = FileKind::unknown);
/// What to ask a person about this text: the parameters for what it does not hold, with what would be assumed
/// as their default, then how many servers there are of it. Empty for a native cluster.
/// @throws InputError as importCluster does
std::vector<Parameter> importQuestions(std::string_view text, const std::string& file);
/// The same of an import that has been made, whose options may have settled some of it: what is still
/// assumed, with the latest assumption as default.
std::vector<Parameter> importQuestions(const std::vector<TopologyText>& texts,
                                       const ImportedCluster& imported);
/// The whole file, without reading on where it is too large to be a topology. @throws InputError
TopologyText readTopologyFile(const std::filesystem::path& path);

}  // namespace stagecraft
