#pragma once

#include "core/formats/file_kind.h"
#include "core/formats/topology/imported_cluster.h"
#include "core/formats/topology/machine.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::formats {

/// All that is to be known of a format that clusters are imported from.
struct TopologyFormat {
    std::string id;                ///< what `import --as` calls it
    std::string name;              ///< "NCCL topology XML", for messages and Cluster::source
    std::string suffix{};          ///< of its files, as a rule: "xml"
    std::string_view xmlRoot{};    ///< XML is recognised by the outermost element,
    std::string_view jsonField{};  ///< JSON by a field,
    bool (*recognises)(std::string_view beginning) = nullptr;  ///< other text by how it begins (64 KiB)
    /// Options that are asked for in the window whatever a file says, besides what was assumed.
    std::vector<const char*> asks{};
    /// One of the two, each @throws InputError: a server, of which several make a cluster, or a whole one.
    Machine (*readServer)(std::string_view text, const std::string& file,
                          const ImportOptions& options) = nullptr;
    ImportedCluster (*readWhole)(std::string_view text, const std::string& file,
                                 const ImportOptions& options) = nullptr;
};

/// Null if it is no topology.
const TopologyFormat* topologyFormatOf(FileKind kind);

/// Of all formats, each once and with that of native files, for choosing among files.
std::vector<std::string> topologySuffixes();

// One file a format. All throw InputError; `file` is what messages call the text.

// Descriptions of one server, of which several make a cluster.
Machine readNcclXml(std::string_view text, const std::string& file, const ImportOptions& options);
Machine readHwlocXml(std::string_view text, const std::string& file, const ImportOptions& options);
/// The text of topo -m, of nvlink -s, or both in any order.
Machine readNvidiaSmi(std::string_view text, const std::string& file, const ImportOptions& options);
Machine readTacclJson(std::string_view text, const std::string& file, const ImportOptions& options);

// Whole clusters.
ImportedCluster readAstraNetwork(std::string_view text, const std::string& file,
                                 const ImportOptions& options);
ImportedCluster readHtsimTopology(std::string_view text, const std::string& file,
                                  const ImportOptions& options);
ImportedCluster readBandwidthMatrix(std::string_view text, const std::string& file,
                                    const ImportOptions& options);

/// One cluster of the machines, called s0, s1, …; several are joined by a network switch.
ImportedCluster clusterOf(std::vector<Machine> machines, const ImportOptions& options);

/// Refuses what a million GPUs would need: 4,096 devices, 16,384 switches, 600,000 links.
void checkSize(const std::string& file, std::size_t devices, std::size_t switches, std::size_t links);
struct AssumedGpu {
    const GpuModel* model = nullptr;  ///< nullptr: of no known type
    std::string name;
    double memoryBytes = 0;
};
/// The GPU that the options name, else `known` (what the text says), else the name that the text prints with
/// the memory that it says, else `likely` as an assumption, else nothing but 16 GiB. Models may be null.
/// @param printed of a GPU that the catalogue does not have; empty: the text names none
AssumedGpu chooseGpu(const ImportOptions& options, const GpuModel* known, const GpuModel* likely,
                     std::vector<Assumption>& assumed, const std::string& printed = {});
/// What the options say, else `known` if there is any, else 10 GB/s as an assumption.
Rate betweenCpusOrAssumed(const ImportOptions& options, const std::optional<Rate>& known,
                          std::vector<Assumption>& assumed);
/// The rate of a NIC of which the text does not say how fast it is.
Rate nicRateOrAssumed(const ImportOptions& options, std::vector<Assumption>& assumed);

// NVLinks that a person names where a text holds none.
/// nullptr for "none".
const GpuModel* gpuOfPreset(const std::string& preset);
/// Adds those of the options to the GPUs in the order of their numbers, and says so.
/// @throws InputError where the machine's GPUs are of a type that has no such links
void addNvlinkPreset(Machine& machine, const std::string& file, const ImportOptions& options);

/// @throws InputError where a person chose a type of GPU without NVLink and the text has NVLinks
void checkLinksOfChosenGpu(const Machine& machine, const std::string& file, const ImportOptions& options);

/// Whether it is a table of numbers, as many rows as columns, perhaps with names, as readBandwidthMatrix
/// takes it.
bool looksLikeMatrix(std::string_view text);

}  // namespace stagecraft::formats
