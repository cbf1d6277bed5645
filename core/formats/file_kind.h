#pragma once

#include "core/base/rooms.h"

namespace stagecraft::formats {

// The formats that are imported, in the order in which a text is tried: a line here, and a source that
// defines `ProfileFormat NAMEFormat()` (profiles/profile_format.h) or `TopologyFormat NAMEFormat()`
// (topology/topology_format.h). FileKind, detection, readers, the options and help of `import` and the
// programs that fuzz them follow.
#define STAGECRAFT_PROFILE_FORMATS(FORMAT) \
    FORMAT(onnxModel)                      \
    FORMAT(huggingFaceConfig)              \
    FORMAT(simuMaxModel)                   \
    FORMAT(simuMaxSystem)                  \
    FORMAT(calculonModel)                  \
    FORMAT(dnnPartitioningGraph)           \
    FORMAT(dnnPartitioningSplit)           \
    FORMAT(piperProfile)                   \
    FORMAT(galvatronProfile)               \
    FORMAT(metisProfile)                   \
    FORMAT(sailorProfile)                  \
    FORMAT(pipeDreamConf)                  \
    FORMAT(pipeDreamGraph)                 \
    FORMAT(profileCsv)
#define STAGECRAFT_TOPOLOGY_FORMATS(FORMAT) \
    FORMAT(ncclTopology)                    \
    FORMAT(hwlocTopology)                   \
    FORMAT(tacclTopology)                   \
    FORMAT(rocmSmi)                         \
    FORMAT(nvbandwidth)                     \
    FORMAT(p2pBandwidth)                    \
    FORMAT(npuSmi)                          \
    FORMAT(hlSmi)                           \
    FORMAT(mthreadsGmi)                     \
    FORMAT(nvidiaSmi)                       \
    FORMAT(astraNetwork)                    \
    FORMAT(astraOldNetwork)                 \
    FORMAT(htsimTopology)                   \
    FORMAT(slurmTopology)                   \
    FORMAT(ibNetDiscover)                   \
    FORMAT(kubernetesNodes)                 \
    FORMAT(serverLines)                     \
    FORMAT(bandwidthMatrix)
// Those of recordings: `RecordingFormat NAMEFormat()` (recordings/recording_format.h).
#define STAGECRAFT_RECORDING_FORMATS(FORMAT) \
    FORMAT(primusRanks)                      \
    FORMAT(passTable)                        \
    FORMAT(traceEvents)                      \
    FORMAT(nsightDatabase)                   \
    FORMAT(chakraTrace)                      \
    FORMAT(megatronLog)

/// What a file holds, by its content.
enum class FileKind {
    profile,
    cluster,
    project,
    plan,
    experiment,    ///< experiments/experiment.h reads it
    results,       ///< of one: experiments/results.h
    order,         ///< who runs what when: orders/
    measurements,  ///< of links, for a cluster that is there already: measurements/
#define STAGECRAFT_KIND(name) name,
    STAGECRAFT_PROFILE_FORMATS(STAGECRAFT_KIND) STAGECRAFT_TOPOLOGY_FORMATS(STAGECRAFT_KIND)
        STAGECRAFT_RECORDING_FORMATS(STAGECRAFT_KIND)
#undef STAGECRAFT_KIND
            unknown
};

/// Those that profiles and clusters are imported from.
inline constexpr FileKind foreignKinds[] = {
#define STAGECRAFT_KIND(name) FileKind::name,
    STAGECRAFT_PROFILE_FORMATS(STAGECRAFT_KIND) STAGECRAFT_TOPOLOGY_FORMATS(STAGECRAFT_KIND)
#undef STAGECRAFT_KIND
};

/// Those that recordings are read from.
inline constexpr FileKind recordingKinds[] = {
#define STAGECRAFT_KIND(name) FileKind::name,
    STAGECRAFT_RECORDING_FORMATS(STAGECRAFT_KIND)
#undef STAGECRAFT_KIND
};

}  // namespace stagecraft::formats
