#pragma once

#include "core/formats/native/formats.h"
#include "core/formats/topology/import_options.h"
#include "core/formats/topology/imported_cluster.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::formats {

/// Whether it is something that importCluster reads, rather than a native file.
bool isTopology(FileKind kind);
/// "NCCL topology XML", for messages and Cluster::source.
std::string topologyKindName(FileKind kind);
/// Whether a text of that kind is a server, of which several make a cluster, or else a whole cluster.
bool describesOneServer(FileKind kind);
/// Among topologies alone; FileKind::unknown if it is none.
FileKind detectTopology(std::string_view text);

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

}  // namespace stagecraft::formats
