#include "app/commands/export_cluster.h"

#include "app/commands/inputs.h"
#include "core/cost/interconnect.h"
#include "core/formats/cluster_export.h"
#include "core/formats/topology/import.h"

namespace stagecraft {

namespace {

enum class ClusterFormat { dot, csv };
constexpr EnumName<ClusterFormat> formatNames[] = {{ClusterFormat::dot, "dot"}, {ClusterFormat::csv, "csv"}};

}  // namespace

bool holdsCluster(const std::string& path) {
    const FileKind kind = detectKind(readTopologyFile(path).text);
    return kind == FileKind::cluster || isTopology(kind);
}

std::string clusterFormats() { return joinNames(allNames(formatNames), " | "); }

void exportCluster(const Arguments& arguments, const std::string& path, const std::string& target,
                   std::ostream& err) {
    const ClusterFormat format = *arguments.choice("format", formatNames);
    const ImportedCluster imported = importClusters({readTopologyFile(path)});
    printNotes(imported.notes, path, err);
    const Cluster& cluster = imported.cluster;
    if (format == ClusterFormat::dot) return writeFileAtomically(target, writeClusterDot(cluster));
    const Interconnect interconnect(cluster);
    writeFileAtomically(
        target, writeBandwidthCsv(cluster, [&](int a, int b) { return interconnect.bandwidthBps(a, b); }));
}

}  // namespace stagecraft
