#pragma once

#include "core/formats/file_kind.h"
#include "core/formats/topology/readers.h"

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

}  // namespace stagecraft::formats
