#include "core/generation/cluster_templates.h"

#include "core/generation/server_templates.h"

#include <cmath>
#include <stdexcept>

namespace stagecraft::generation {

namespace {

constexpr double stepBps = 0.1 * bytesPerSecondOfGbps;

void checkRange(const BandwidthRange& range) {
    if (!(range.minBps > 0 && range.minBps <= range.maxBps && std::isfinite(range.maxBps)))
        throw std::invalid_argument("a bandwidth range needs 0 < least <= most");
}

double draw(PortableRandom& random, const BandwidthRange& range) {
    const int steps = static_cast<int>(std::lround((range.maxBps - range.minBps) / stepBps));
    return range.minBps + stepBps * random.below(steps + 1);
}

struct Server {
    int firstDevice = 0;
    int devices = 0;
};

void join(Cluster& cluster, int a, int b, double bandwidthBps, const std::string& kind) {
    const auto id = [&](int device) { return cluster.devices[static_cast<std::size_t>(device)].id; };
    cluster.links.push_back({id(a), id(b), bandwidthBps, 0, kind});
}

std::vector<Server> addDevices(Cluster& cluster, const RandomClusterSpec& spec) {
    std::vector<Server> servers;
    for (const ServerGroup& group : spec.groups)
        for (int count = 0; count < group.servers; ++count) {
            const int server = static_cast<int>(servers.size());
            servers.push_back({cluster.deviceCount(), group.gpusPerServer});
            for (int index = 0; index < group.gpusPerServer; ++index)
                cluster.devices.push_back(deviceOf(spec.gpu, server, index));
        }
    return servers;
}

std::string nameOf(const RandomClusterSpec& spec) {
    std::string servers;
    for (const ServerGroup& group : spec.groups)
        servers += (servers.empty() ? "" : ", ") + std::to_string(group.servers) + " x " +
                   std::to_string(group.gpusPerServer);
    return "[" + servers + "] " + spec.gpu.name + ", bandwidths drawn with seed " + std::to_string(spec.seed);
}

}  // namespace

Cluster randomCluster(const RandomClusterSpec& spec) {
    if (spec.groups.empty()) throw std::invalid_argument("a cluster needs at least one group of servers");
    for (const ServerGroup& group : spec.groups) {
        if (group.servers < 1 || group.gpusPerServer < 1)
            throw std::invalid_argument("a group of servers needs at least one server and one GPU in it");
        checkRange(group.intraServer);
    }
    checkRange(spec.interServer);

    Cluster cluster;
    cluster.name = spec.name.empty() ? nameOf(spec) : spec.name;
    const std::vector<Server> servers = addDevices(cluster, spec);
    PortableRandom random(spec.seed);
    std::size_t server = 0;
    for (const ServerGroup& group : spec.groups)
        for (int count = 0; count < group.servers; ++count, ++server) {
            const double bandwidth = draw(random, group.intraServer);
            const int first = servers[server].firstDevice, end = first + servers[server].devices;
            for (int a = first; a < end; ++a)
                for (int b = a + 1; b < end; ++b) join(cluster, a, b, bandwidth, group.kind);
        }
    for (std::size_t s = 0; s < servers.size(); ++s)
        for (std::size_t t = s + 1; t < servers.size(); ++t) {
            const double bandwidth = draw(random, spec.interServer);
            for (int a = 0; a < servers[s].devices; ++a)
                for (int b = 0; b < servers[t].devices; ++b)
                    join(cluster, servers[s].firstDevice + a, servers[t].firstDevice + b, bandwidth,
                         spec.interServerKind);
        }
    return cluster;
}

ServerGroup sppPcieServers(int servers, int gpusPerServer) {
    return {servers, gpusPerServer, {96 * bytesPerSecondOfGbps, 128 * bytesPerSecondOfGbps}, "pcie"};
}

ServerGroup sppNvlinkServers(int servers, int gpusPerServer) {
    return {servers, gpusPerServer, {160 * bytesPerSecondOfGbps, 200 * bytesPerSecondOfGbps}, "nvlink"};
}

BandwidthRange sppInterServer() { return {32 * bytesPerSecondOfGbps, 40 * bytesPerSecondOfGbps}; }

RandomClusterSpec sppDefaultCluster(std::uint64_t seed) {
    return {.name =
                "8 servers of 4 V100 (SPP, Sec. V-B): 3 with PCIe of 96 to 128 Gbps, 5 with NVLink of 160 to "
                "200 Gbps, "
                "32 to 40 Gbps between servers, drawn with seed " +
                std::to_string(seed),
            .groups = {sppPcieServers(3, 4), sppNvlinkServers(5, 4)},
            .interServer = sppInterServer(),
            .gpu = *findGpu("V100-SXM2-16GB"),
            .seed = seed};
}

RandomClusterSpec sppMixedCluster(std::uint64_t seed) {
    return {.name =
                "6 servers of 2, 3 of 4 and 1 of 8 V100 (SPP, Fig. 7), bandwidths drawn in the ranges of "
                "Sec. V-B with seed " +
                std::to_string(seed),
            .groups = {sppPcieServers(6, 2), sppNvlinkServers(3, 4), sppNvlinkServers(1, 8)},
            .interServer = sppInterServer(),
            .gpu = *findGpu("V100-SXM2-16GB"),
            .seed = seed};
}

}  // namespace stagecraft::generation
