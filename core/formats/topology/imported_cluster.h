#pragma once

#include "core/base/parameters.h"
#include "core/formats/native/formats.h"
#include "core/model/link_technologies.h"

#include <string>
#include <vector>

namespace stagecraft::formats {

/// What topologies leave out and a person may know. An importer takes what is given here before what the
/// text says of the same; what neither says it assumes, and adds to Cluster::assumptions.
struct ImportOptions {
    std::string name;                      ///< of the cluster; empty: the file's
    std::string gpu;                       ///< as clusters or nvidia-smi name it; empty: what the text says
    double memoryBytes = 0;                ///< of each GPU; 0: that of its type
    int pcieGeneration = 0;                ///< 16 lanes of it; 0: that of the GPU
    LinkRates rates = LinkRates::reached;  ///< of links of which the technology is known
    bool keepsStatedRates = true;  ///< what the text itself says how fast is as fast as it says; hwloc's PCIe
    std::string cpu;               ///< an id of presets.h; empty: what the text says
    std::string nvlink;            ///< an id of presets.h, for texts without NVLink; empty: none
    std::string gpuBusIds;         ///< PCI functions that are GPUs, for templates that do not say
    bool narrowBridges = false;    ///< hwloc: bridges that run slower than the GPU count as they are
    double nicBps = 0;             ///< of a NIC whose speed the text does not say; 0: 12.5e9
    double networkBps = 0;         ///< between servers, of each NIC; 0: as fast as the NIC
    double networkLatencyS = 0;
    std::string unit;             ///< of a matrix that does not say; empty: GB/s
    int gpusPerServer = 0;        ///< of a matrix; 0: all are in one
    int copies = 1;               ///< servers of each text
    bool isOneOfSeveral = false;  ///< set by readClusters: the text is a server among others
};

/// All options as parameters, named as on the command line with underscores.
const std::vector<Parameter>& importParameters();
/// @throws std::invalid_argument for a GPU that the catalogue does not have, unless its memory is given too
ImportOptions importOptions(const ParameterValues& values);
/// What differs from the defaults, one per line: "GPU: H100-SXM5-80GB".
std::vector<std::string> choicesOf(const ImportOptions& options);

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

}  // namespace stagecraft::formats
