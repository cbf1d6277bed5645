#include "core/formats/topology/cluster_export.h"

#include "core/base/csv_text.h"
#include "core/base/units.h"

#include <charconv>
#include <map>

namespace stagecraft::formats {

namespace {

/// A string of DOT: in double quotes, in which only those need a backslash.
std::string dotText(const std::string& text) {
    std::string quoted = "\"";
    for (const char letter : text) {
        if (letter == '"' || letter == '\\') quoted += '\\';
        quoted += letter == '\n' || letter == '\r' ? ' ' : letter;
    }
    return quoted + "\"";
}

std::string number(double value) {
    char buffer[40];
    return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

std::string position(const Cluster& cluster, const std::string& id) {
    const auto found = cluster.layout.find(id);
    if (found == cluster.layout.end()) return "";
    // Graphviz counts upwards.
    return ", pos=\"" + number(found->second.x) + "," + number(-found->second.y) + "\"";
}

}  // namespace

std::string writeClusterDot(const Cluster& cluster) {
    std::map<std::string, std::string> ofServer;  // what is in each, "" for what is in none
    for (const Device& device : cluster.devices)
        ofServer[device.server] +=
            dotText(device.id) + " [shape=box, tooltip=" +
            dotText((device.gpu.empty() ? "" : device.gpu + ", ") + formatBytes(device.memoryBytes)) +
            position(cluster, device.id) + "];\n";
    for (const Switch& node : cluster.switches)
        ofServer[node.server] += dotText(node.id) + " [shape=ellipse" + position(cluster, node.id) + "];\n";

    std::string out = "graph " + dotText(cluster.name) + " {\n";
    int boxes = 0;
    for (const auto& [server, nodes] : ofServer) {
        if (server.empty())
            out += nodes;
        else
            out += "subgraph cluster_" + std::to_string(boxes++) + " {\nlabel=" + dotText(server) + ";\n" +
                   nodes + "}\n";
    }
    for (const Link& link : cluster.links)
        out += dotText(link.a) + " -- " + dotText(link.b) +
               " [label=" + dotText(formatBandwidth(link.bandwidthBps)) +
               ", tooltip=" + dotText(link.kind + (link.source.empty() ? "" : ": " + link.source)) + "];\n";
    return out + "}\n";
}

std::string writeBandwidthCsv(const Cluster& cluster, const std::function<double(int, int)>& bandwidthBps) {
    std::string out = "GB/s";
    for (const Device& device : cluster.devices) out += "," + csvCell(device.id);
    out += '\n';
    for (int row = 0; row < cluster.deviceCount(); ++row) {
        out += csvCell(cluster.devices[static_cast<std::size_t>(row)].id);
        for (int column = 0; column < cluster.deviceCount(); ++column) {
            out += ',';
            if (row != column) out += number(bandwidthBps(row, column) / gigabyte);
        }
        out += '\n';
    }
    return out;
}

}  // namespace stagecraft::formats
