#include "core/formats/topology/plain_cluster.h"

#include <algorithm>

namespace stagecraft::formats {

PlainCluster::PlainCluster(const std::string& file, const ImportOptions& options, int devices, int perServer,
                           const std::string& printed)
    : file_(file) {
    checkSize(file, static_cast<std::size_t>(devices), 0, 0);
    const AssumedGpu gpu = chooseGpu(options, printed.empty() ? nullptr : findGpuModel(printed), nullptr,
                                     imported_.assumed, printed);
    const bool hasPcie = gpu.model && gpu.model->pcieGeneration > 0;
    const double hostBps = hasPcie ? pcieRateOfGeneration(gpu.model->pcieGeneration, options.rates).bps : 0;
    if (!hasPcie)
        assume({"Nothing says how fast the GPUs reach host memory, so layers cannot be swapped.", "gpu", ""});
    for (int index = 0; index < devices; ++index) {
        const std::string server = "s" + std::to_string(index / std::max(perServer, 1));
        imported_.cluster.devices.push_back(
            {.id = server + "g" + std::to_string(index % std::max(perServer, 1)),
             .server = server,
             .gpu = gpu.name,
             .memoryBytes = gpu.memoryBytes,
             .speed = 1,
             .hostBandwidthBps = hostBps});
    }
    assume({"All GPUs were given speed 1: that of the profile's reference GPU.", "", ""});
}

std::string PlainCluster::addSwitch(const std::string& name, int inServerOf) {
    Cluster& cluster = imported_.cluster;
    const std::string server =
        inServerOf < 0 ? "" : cluster.devices[static_cast<std::size_t>(inServerOf)].server;
    const std::string base = server + name;
    const int number = numbers_[base]++;
    cluster.switches.push_back(
        {number == 0 && !server.empty() ? base : base + std::to_string(number), server});
    checkSize(file_, cluster.devices.size(), cluster.switches.size(), cluster.links.size());
    return cluster.switches.back().id;
}

std::string PlainCluster::addNamedSwitch(std::string id) {
    const Cluster& cluster = imported_.cluster;
    const auto isTaken = [&](const auto& each) { return each.id == id; };
    while (std::any_of(cluster.devices.begin(), cluster.devices.end(), isTaken) ||
           std::any_of(cluster.switches.begin(), cluster.switches.end(), isTaken))
        id += "-switch";
    imported_.cluster.switches.push_back({id, ""});
    checkSize(file_, cluster.devices.size(), cluster.switches.size(), cluster.links.size());
    return id;
}

void PlainCluster::join(const std::string& a, const std::string& b, Rate rate, double latencyS,
                        const char* kind) {
    imported_.cluster.links.push_back({a, b, rate.bps, latencyS, kind, std::move(rate.source)});
    checkSize(file_, imported_.cluster.devices.size(), imported_.cluster.switches.size(),
              imported_.cluster.links.size());
}

void PlainCluster::rename(int index, const std::string& id, const std::string& server) {
    Device& device = imported_.cluster.devices[static_cast<std::size_t>(index)];
    device.id = id;
    if (!server.empty()) device.server = server;
}

void PlainCluster::setHostBandwidth(int index, double bps) {
    imported_.cluster.devices[static_cast<std::size_t>(index)].hostBandwidthBps = bps;
}

void PlainCluster::note(ImportNote::Kind kind, std::string text) {
    imported_.notes.push_back({kind, std::move(text)});
}

ImportedCluster PlainCluster::finish() && { return std::move(imported_); }

}  // namespace stagecraft::formats
