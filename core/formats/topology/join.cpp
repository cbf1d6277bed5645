#include "core/base/counted.h"
#include "core/base/units.h"
#include "core/formats/topology/nccl_paths.h"
#include "core/formats/topology/topology_format.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace stagecraft::formats {

namespace {

using NodeKind = MachineNode::Kind;

/// Widest way from each node to the nearest of `sources`; GPUs do not forward.
std::vector<double> widthFrom(const Machine& machine, const std::vector<int>& sources) {
    std::vector<double> width(machine.nodes.size(), 0);
    std::vector<std::vector<const MachineLink*>> linksOf(machine.nodes.size());
    for (const MachineLink& link : machine.links) {
        linksOf[static_cast<std::size_t>(link.a)].push_back(&link);
        linksOf[static_cast<std::size_t>(link.b)].push_back(&link);
    }
    std::multimap<double, int, std::greater<>> open;
    for (const int source : sources) open.emplace(localBps, source);
    while (!open.empty()) {
        const auto [reached, node] = *open.begin();
        open.erase(open.begin());
        if (reached <= width[static_cast<std::size_t>(node)]) continue;
        width[static_cast<std::size_t>(node)] = reached;
        if (machine.nodes[static_cast<std::size_t>(node)].kind == NodeKind::gpu) continue;
        for (const MachineLink* link : linksOf[static_cast<std::size_t>(node)])
            open.emplace(std::min(reached, link->rate.bps), link->a == node ? link->b : link->a);
    }
    return width;
}

/// Pairs of GPUs of a server that are joined better through two of its NICs than inside it.
int pairsThroughTheNetwork(const Machine& machine, double networkBps) {
    constexpr std::size_t mostGpus = 64;  // of one server; beyond, the search is not worth its time
    const std::vector<int> gpus = machine.gpusInOrder();
    const std::vector<int> ports = machine.all(NodeKind::port);
    if (gpus.size() > mostGpus || ports.size() < 2) return 0;
    const std::vector<double> toPort = widthFrom(machine, ports);
    const NcclPaths paths(machine);
    int pairs = 0;
    for (std::size_t a = 0; a < gpus.size(); ++a)
        for (std::size_t b = a + 1; b < gpus.size(); ++b) {
            double around = std::min(toPort[static_cast<std::size_t>(gpus[a])],
                                     toPort[static_cast<std::size_t>(gpus[b])]);
            if (networkBps > 0) around = std::min(around, networkBps);
            if (around > paths.between(static_cast<int>(a), static_cast<int>(b)).widestBps) ++pairs;
        }
    return pairs;
}

/// Puts servers together and names what is in them.
class Joiner {
public:
    explicit Joiner(const ImportOptions& options) : options_(options) {}

    void add(const Machine& machine) {
        const std::string server = "s" + std::to_string(servers_++);
        const std::vector<std::string> ids = idsIn(machine, server);
        const std::vector<double> toHost = widthFrom(machine, machine.all(NodeKind::cpu));
        for (const int gpu : machine.gpusInOrder()) {
            const MachineNode& node = machine.nodes[static_cast<std::size_t>(gpu)];
            cluster_.devices.push_back(
                {.id = ids[static_cast<std::size_t>(gpu)],
                 .server = server,
                 .gpu = node.gpu,
                 .memoryBytes = node.memoryBytes,
                 .speed = 1,
                 .hostBandwidthBps = std::max(node.hostBps, toHost[static_cast<std::size_t>(gpu)])});
        }
        for (std::size_t node = 0; node < machine.nodes.size(); ++node)
            if (machine.nodes[node].kind != NodeKind::gpu) cluster_.switches.push_back({ids[node], server});
        for (const MachineLink& link : machine.links)
            cluster_.links.push_back({.a = ids[static_cast<std::size_t>(link.a)],
                                      .b = ids[static_cast<std::size_t>(link.b)],
                                      .bandwidthBps = link.rate.bps,
                                      .latencyS = link.latencyS,
                                      .kind = link.kind,
                                      .source = link.rate.source});
        ports_.push_back(portsOf(machine, ids));
    }

    void joinServers() {
        if (servers_ < 2) return;
        const std::string network = "network";
        cluster_.switches.push_back({network, ""});
        for (const std::vector<Port>& ports : ports_)
            for (const Port& port : ports) {
                Rate rate{port.bps, "network, as fast as the port"};
                if (options_.networkBps > 0) rate = {options_.networkBps, "network, as chosen"};
                cluster_.links.push_back(
                    {port.id, network, rate.bps, options_.networkLatencyS, "network", rate.source});
            }
    }

    /// Whether some server has no port of its own, so that its CPU got one.
    bool assumedPorts() const { return assumedPorts_; }
    Cluster cluster() && { return std::move(cluster_); }

private:
    struct Port {
        std::string id;
        double bps = 0;
    };

    /// Names in a file may repeat (a virtual NIC that two CPUs list); ids must not.
    std::vector<std::string> idsIn(const Machine& machine, const std::string& server) {
        std::set<std::string> taken;
        std::vector<std::string> ids;
        for (const MachineNode& node : machine.nodes) {
            std::string id = server + node.id;
            for (int again = 1; !taken.insert(id).second; ++again)
                id = server + node.id + "-" + std::to_string(again);
            ids.push_back(std::move(id));
        }
        return ids;
    }

    std::vector<Port> portsOf(const Machine& machine, const std::vector<std::string>& ids) {
        std::vector<Port> ports;
        for (const int port : machine.all(NodeKind::port)) {
            double bps = 0;
            for (const MachineLink& link : machine.links)
                if (link.a == port || link.b == port) bps = std::max(bps, link.rate.bps);
            ports.push_back({ids[static_cast<std::size_t>(port)], bps});
        }
        const std::vector<int> cpus = machine.all(NodeKind::cpu);
        if (!ports.empty() || cpus.empty()) return ports;
        assumedPorts_ = true;
        std::vector<Assumption> alreadySaid;
        return {{ids[static_cast<std::size_t>(cpus.front())], nicRateOrAssumed(options_, alreadySaid).bps}};
    }

    const ImportOptions& options_;
    Cluster cluster_;
    int servers_ = 0;
    bool assumedPorts_ = false;
    std::vector<std::vector<Port>> ports_;  ///< by server
};

void append(ImportedCluster& imported, const Machine& machine) {
    for (const Assumption& assumption : machine.assumed) assume(imported.assumed, assumption);
    for (const ImportNote& note : machine.notes) {
        const auto isSame = [&](const ImportNote& known) {
            return known.kind == note.kind && known.text == note.text;
        };
        if (std::none_of(imported.notes.begin(), imported.notes.end(), isSame))
            imported.notes.push_back(note);
    }
}

}  // namespace

ImportedCluster clusterOf(std::vector<Machine> machines, const ImportOptions& options) {
    ImportedCluster imported;
    Joiner joiner(options);
    std::size_t devices = 0, switches = 1, links = 0;
    for (const Machine& machine : machines) {
        const std::size_t gpus = machine.all(NodeKind::gpu).size();
        const auto copies = static_cast<std::size_t>(std::max(options.copies, 1));
        devices += gpus * copies;
        switches += (machine.nodes.size() - gpus) * copies;
        links += (machine.links.size() + machine.all(NodeKind::port).size()) * copies;
        checkSize("the cluster", devices, switches, links);
    }
    for (const Machine& machine : machines) {
        for (int copy = 0; copy < options.copies; ++copy) joiner.add(machine);
        append(imported, machine);
    }
    joiner.joinServers();
    const std::size_t servers = machines.size() * static_cast<std::size_t>(std::max(options.copies, 1));
    if (servers > 1) {
        if (options.networkBps <= 0)
            assume(imported.assumed,
                   {"No file says how fast the network between the servers is; it was taken to be "
                    "as fast as their NICs.",
                    "network_rate", ""});
        if (joiner.assumedPorts()) nicRateOrAssumed(options, imported.assumed);
        int around = 0;
        for (const Machine& machine : machines) around += pairsThroughTheNetwork(machine, options.networkBps);
        if (around > 0)
            imported.notes.push_back(
                {ImportNote::Kind::derived,
                 counted(around, "pair of GPUs in one server is", "pairs of GPUs in one server are") +
                     " joined better through two of its NICs and "
                     "the network than inside, and take that way; NCCL would not"});
        imported.notes.push_back(
            {ImportNote::Kind::derived, counted(servers, "server") +
                                            ", joined by one network switch at every NIC; "
                                            "a path between servers is as wide as the narrowest of "
                                            "the way to a NIC, the NIC and the network"});
    }
    assume(imported.assumed, {"All GPUs were given speed 1: that of the profile's reference GPU.", "", ""});
    imported.cluster = std::move(joiner).cluster();
    return imported;
}

void checkSize(const std::string& file, std::size_t devices, std::size_t switches, std::size_t links) {
    struct Limit {
        std::size_t count, most;
        const char *what, *written;
    };
    for (const Limit& limit :
         {Limit{devices, 4096, "GPUs", "4,096"}, Limit{switches, 16384, "switches", "16,384"},
          Limit{links, 600000, "links", "600,000"}})
        if (limit.count > limit.most)
            throw InputError(file, "", std::string("there are more than ") + limit.written + " " + limit.what,
                             std::string(limit.written) + " at most");
}

}  // namespace stagecraft::formats
