#pragma once

#include "core/formats/native/formats.h"
#include "core/formats/topology/imported_cluster.h"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::formats {

/// Whether a format here reads it, rather than the native reader.
bool isTopology(FileKind kind);
/// "NCCL topology XML", for messages and Cluster::source.
std::string topologyKindName(FileKind kind);
/// Among topologies alone; FileKind::unknown if it is none.
FileKind detectTopology(std::string_view text);

/// A text and what messages call it.
struct TopologyText {
    std::string file;
    std::string text;
};

/// The largest text of a topology.
inline constexpr std::size_t mostTopologyBytes = std::size_t{1} << 24;  // 16 MiB
inline constexpr char topologyTooLarge[] = "16 MiB at most for a topology";

/// Reads topologies of one server each, or one whole topology or native cluster. importClusters() of
/// files/import.h says more.
/// @param detect finds the kind of each text as it is read @throws InputError
ImportedCluster readClusters(const std::vector<TopologyText>& texts, const ImportOptions& options,
                             const std::function<FileKind(std::string_view text)>& detect);
/// What to ask a person about an import that has been made: the parameters for what is still assumed, with
/// the latest assumption as default, then how many servers there are of it. Empty for a native cluster.
std::vector<Parameter> importQuestions(const std::vector<TopologyText>& texts,
                                       const ImportedCluster& imported);

}  // namespace stagecraft::formats
