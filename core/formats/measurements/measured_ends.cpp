#include "core/formats/measurements/measured_ends.h"

#include "core/base/counted.h"
#include "core/base/spelling.h"
#include "core/formats/input_error.h"
#include "core/formats/topology/gpu_models.h"

#include <algorithm>

namespace stagecraft::formats {

namespace {

std::vector<const MeasuredEnd*> endsOf(const Measurements& measured) {
    std::vector<const MeasuredEnd*> ends;
    for (const MeasuredPair& pair : measured.pairs) {
        ends.push_back(&pair.a);
        ends.push_back(&pair.b);
    }
    for (const MeasuredGroup& group : measured.groups)
        for (const MeasuredEnd& end : group.ends) ends.push_back(&end);
    return ends;
}

}  // namespace

MeasuredEnds::MeasuredEnds(const Cluster& cluster, const Measurements& measured, const std::string& file,
                           const MeasuredWhere& where)
    : cluster_(cluster) {
    for (int device = 0; device < cluster.deviceCount(); ++device)
        devicesOf_[cluster.devices[static_cast<std::size_t>(device)].server].push_back(device);
    nameServers(measured, where.server, file);
    nameHosts(measured);
    const bool hasNamelessPair = std::any_of(
        measured.pairs.begin(), measured.pairs.end(),
        [](const MeasuredPair& pair) { return pair.a == MeasuredEnd() && pair.b == MeasuredEnd(); });
    if (hasNamelessPair) nameBetween(where, file);
}

/// Of servers whose GPUs have another name than the text says, nothing was measured.
void MeasuredEnds::nameServers(const Measurements& measured, const std::string& wanted,
                               const std::string& file) {
    if (!wanted.empty()) {
        if (!devicesOf_.contains(wanted))
            throw InputError(file, "",
                             "no server '" + wanted + "'" + spellingHint(wanted, cluster_.servers()),
                             "a server with GPUs");
        servers_ = {wanted};
        return;
    }
    int others = 0;
    for (const std::string& server : cluster_.servers())
        if (isOfOtherGpus(server, measured))
            ++others;
        else
            servers_.push_back(server);
    if (others > 0)
        assumed_.push_back(counted(others, "server has", "servers have") +
                           " other GPUs than the text names, and kept its rates");
    const auto ends = endsOf(measured);
    const bool hasNumbers = std::any_of(
        ends.begin(), ends.end(), [](const MeasuredEnd* end) { return end->host.empty() && end->gpu >= 0; });
    if (hasNumbers && servers_.size() > 1)
        assumed_.push_back("what one server measured holds for all " +
                           grouped(static_cast<long long>(servers_.size())) + " servers alike");
}

bool MeasuredEnds::isOfOtherGpus(const std::string& server, const Measurements& measured) const {
    if (measured.gpuNames.empty()) return false;
    const GpuModel* own =
        findGpuModel(cluster_.devices[static_cast<std::size_t>(devicesOf_.at(server).front())].gpu);
    const auto isOther = [own](const std::string& name) {
        const GpuModel* model = findGpuModel(name);
        return own && model && model != own;
    };
    return std::all_of(measured.gpuNames.begin(), measured.gpuNames.end(), isOther);
}

/// A host is the server of its name; if none has one of these names, hosts are servers in their order.
void MeasuredEnds::nameHosts(const Measurements& measured) {
    std::vector<std::string> hosts;
    for (const MeasuredEnd* end : endsOf(measured))
        if (!end->host.empty() && std::find(hosts.begin(), hosts.end(), end->host) == hosts.end())
            hosts.push_back(end->host);
    for (const std::string& host : hosts)
        if (devicesOf_.contains(host)) serverOf_[host] = host;
    if (hosts.empty() || !serverOf_.empty()) return;
    std::string said;
    for (std::size_t host = 0; host < std::min(hosts.size(), servers_.size()); ++host) {
        serverOf_[hosts[host]] = servers_[host];
        if (host < 4) said += (host ? ", " : "") + hosts[host] + " for " + servers_[host];
    }
    if (!said.empty()) assumed_.push_back("hosts were taken for servers in their order: " + said);
}

void MeasuredEnds::nameBetween(const MeasuredWhere& where, const std::string& file) {
    std::vector<std::string> names = where.between;
    if (names.empty() && servers_.size() == 2) {
        names = servers_;
        assumed_.push_back("the text does not say between what it was measured; the two servers were taken");
    } else if (names.empty() && cluster_.deviceCount() == 2) {
        names = {cluster_.devices[0].id, cluster_.devices[1].id};
        assumed_.push_back("the text does not say between what it was measured; the two GPUs were taken");
    }
    if (names.size() != 2)
        throw InputError(file, "", "the text does not say between what it was measured",
                         "two GPUs or two servers, selected or named (--between A,B)");
    std::vector<int> ends;
    for (const std::string& name : names) {
        const auto end = endNamed(name);
        if (!end) throw InputError(file, "", "no GPU or server '" + name + "'", "one of this cluster");
        ends.push_back(*end);
        if (devicesOf_.contains(name) && devicesOf_.at(name).size() > 1)
            assumed_.push_back("of " + name + " the way from its first GPU, " +
                               cluster_.devices[static_cast<std::size_t>(*end)].id + ", was measured");
    }
    if (ends[0] == ends[1])
        throw InputError(file, "", "both ends are '" + names[0] + "'", "two different ones");
    between_ = Way{ends[0], ends[1]};
}

std::optional<int> MeasuredEnds::endNamed(const std::string& name) const {
    if (const int device = cluster_.deviceIndex(name); device >= 0) return device;
    const auto server = devicesOf_.find(name);
    return server == devicesOf_.end() ? std::nullopt : std::optional(server->second.front());
}

int MeasuredEnds::deviceOf(const MeasuredEnd& end, const std::string& server) const {
    std::string name = server;
    if (!end.host.empty()) {
        const auto known = serverOf_.find(end.host);
        if (known == serverOf_.end()) return -1;
        name = known->second;
    }
    const std::vector<int>& devices = devicesOf_.at(name);
    const auto number = static_cast<std::size_t>(std::max(end.gpu, 0));
    return number < devices.size() ? devices[number] : -1;
}

std::vector<MeasuredEnds::Way> MeasuredEnds::waysOf(const MeasuredPair& pair) const {
    if (between_ && pair.a == MeasuredEnd() && pair.b == MeasuredEnd()) return {*between_};
    std::vector<Way> ways;
    for (const std::string& server : servers_) {
        const Way way{deviceOf(pair.a, server), deviceOf(pair.b, server)};
        if (way.a >= 0 && way.b >= 0 && way.a != way.b) ways.push_back(way);
        if (!pair.a.host.empty() && !pair.b.host.empty()) break;
    }
    return ways;
}

std::vector<std::vector<int>> MeasuredEnds::groupsOf(const MeasuredGroup& group) const {
    std::vector<std::vector<int>> groups;
    if (group.ends.size() < 2) return groups;
    const bool isNamed = !group.ends.front().host.empty();
    for (const std::string& server : servers_) {
        std::vector<int> devices;
        for (const MeasuredEnd& end : group.ends) devices.push_back(deviceOf(end, server));
        if (std::find(devices.begin(), devices.end(), -1) == devices.end())
            groups.push_back(std::move(devices));
        if (isNamed) break;
    }
    return groups;
}

}  // namespace stagecraft::formats
