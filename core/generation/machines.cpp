#include "core/generation/machines.h"

#include "core/generation/cluster_templates.h"
#include "core/generation/server_templates.h"
#include "core/generation/template_parameters.h"

#include <array>

namespace stagecraft::generation {

namespace {

constexpr char racksName[] = "racks", fabricName[] = "fabric";
constexpr char oneSwitch[] = "one-switch", rails[] = "rails", fatTree[] = "fat-tree";

struct Machine {
    const char* id;
    const char* title;
    const char* gpu;
    NvlinkShape nvlink;
    int gpusPerSwitch;
    int nicsPerSwitch;  ///< beside them
    const char* nic;
    double nicGbps;
    const char* nicKind;
    const char* description;
};

/// A row a machine. Which GPUs and cards share a PCIe switch is as nvidia-smi topo -m prints it of such
/// machines: a card for each GPU from the H100 on, two cards for two GPUs of an A100. Rates of cards are the
/// data sheets'.
constexpr std::array machines{
    Machine{"dgx-h100", "DGX H100 (HGX H100)", "H100-SXM5-80GB", NvlinkShape::nvswitch, 1, 1, "ConnectX-7",
            400, "infiniband", "8 H100 on NVSwitches, and a card of 400 Gbit/s for each of them."},
    Machine{"dgx-h200", "DGX H200 (HGX H200)", "H200-SXM-141GB", NvlinkShape::nvswitch, 1, 1, "ConnectX-7",
            400, "infiniband", "8 H200 on NVSwitches, and a card of 400 Gbit/s for each of them."},
    Machine{"dgx-b200", "DGX B200 (HGX B200)", "B200-SXM-180GB", NvlinkShape::nvswitch, 1, 1, "ConnectX-7",
            400, "infiniband", "8 B200 on NVSwitches, and a card of 400 Gbit/s for each of them."},
    Machine{"dgx-b300", "DGX B300 (HGX B300)", "B300-SXM-288GB", NvlinkShape::nvswitch, 1, 1, "ConnectX-8",
            800, "infiniband", "8 B300 on NVSwitches, and a card of 800 Gbit/s for each of them."},
    Machine{"dgx-a100", "DGX A100 (HGX A100)", "A100-SXM4-80GB", NvlinkShape::nvswitch, 2, 2, "ConnectX-6",
            200, "infiniband",
            "8 A100 on NVSwitches; two of them and two cards of 200 Gbit/s below each PCIe switch."},
    Machine{"mi300x", "Server of 8 MI300X", "MI300X-192GB", NvlinkShape::infinityFabric, 1, 1,
            "card of 400 Gbit/s", 400, "rdma",
            "8 MI300X, each with a link to each other, and a card of 400 Gbit/s for each of them."},
    Machine{"p5", "AWS p5.48xlarge", "H100-SXM5-80GB", NvlinkShape::nvswitch, 1, 1, "4 × EFA", 400, "rdma",
            "8 H100 on NVSwitches and 3,200 Gbit/s of EFA; the four cards of 100 Gbit/s beside each GPU are "
            "drawn "
            "as one."},
    Machine{"p4d", "AWS p4d.24xlarge", "A100-SXM4-40GB", NvlinkShape::nvswitch, 2, 1, "EFA", 100, "rdma",
            "8 A100 on NVSwitches and 400 Gbit/s of EFA: a card of 100 Gbit/s for two GPUs."},
    Machine{"nd-h100-v5", "Azure ND H100 v5", "H100-SXM5-80GB", NvlinkShape::nvswitch, 1, 1, "ConnectX-7",
            400, "infiniband", "8 H100 on NVSwitches, and 400 Gbit/s of InfiniBand for each of them."},
    Machine{"nd-a100-v4", "Azure ND A100 v4", "A100-SXM4-40GB", NvlinkShape::nvswitch, 2, 2, "ConnectX-6",
            200, "infiniband", "8 A100 on NVSwitches, and 200 Gbit/s of InfiniBand for each of them."},
};

NicSpec nicsOf(const Machine& machine) {
    return {machine.nicsPerSwitch, machine.nic, machine.nicGbps * bytesPerSecondOfGbps, machine.nicKind};
}

std::vector<Parameter> networkParameters() {
    return {
        choice(fabricName, "Between servers",
               "One switch for all cards; a rail for card i of each server, with spines above; or a fat tree",
               oneSwitch, {oneSwitch, rails, fatTree}),
        bandwidth(networkName, "Network (0: the cards' own)",
                  "Of each network card; 0: as its data sheet has it", 0),
        perLeafParameter(),
        spinesParameter(),
        oversubscriptionParameter(),
        latencyParameter(),
        speedParameter(),
        ratesParameter()};
}

/// Of a card's port; its data sheet's where nothing says what is reached.
double cardBps(const NicSpec& nics, LinkRates rates) {
    const LinkTechnology* port = portTechnology(nics.kind, nics.bandwidthBps);
    return port ? port->bps(rates) : nics.bandwidthBps;
}

NetworkSpec networkFrom(const ParameterValues& values, int servers, const NicSpec& nics) {
    NetworkSpec network;
    const std::string fabric = valueOf<std::string>(values, fabricName);
    network.fabric = fabric == rails     ? Fabric::rails
                     : fabric == fatTree ? Fabric::fatTree
                                         : Fabric::oneSwitch;
    network.servers = servers;
    const double asked = valueOf<double>(values, networkName);
    network.serverBps = asked > 0 ? asked : cardBps(nics, ratesFrom(values));
    network.kind = nics.kind;
    network.latencyS = valueOf<double>(values, latencyName);
    network.serversPerLeaf = valueOf<int>(values, perLeafName);
    network.spines = valueOf<int>(values, spinesName);
    network.oversubscription = valueOf<double>(values, oversubscriptionName);
    return network;
}

/// What a person asked for in place of the data sheet's is not said to be that.
NicSpec cardsFor(NicSpec nics, const ParameterValues& values) {
    if (valueOf<double>(values, networkName) > 0) nics.model.clear();
    return nics;
}

bool mayItsSwitchSum(const Machine& machine) {
    return machine.nvlink == NvlinkShape::nvswitch && mayNvswitchSum(*findGpu(machine.gpu));
}

ClusterTemplate templateOf(const Machine& machine) {
    std::vector<Parameter> parameters{countParameter(serversName, "Servers", "How many", 1, 16384)};
    for (Parameter& each : networkParameters()) parameters.push_back(std::move(each));
    if (mayItsSwitchSum(machine)) parameters.push_back(switchSumsParameter());
    return {machine.id, machine.title, machine.description, parameters,
            [machine](const ParameterValues& values) {
                ServerSpec server;
                server.gpu = *findGpu(machine.gpu);
                server.gpus = 8;
                server.speed = valueOf<double>(values, speedName);
                server.rates = ratesFrom(values);
                server.nvlink = machine.nvlink;
                server.gpusPerSwitch = machine.gpusPerSwitch;
                server.sockets = 2;
                server.switchSums = mayItsSwitchSum(machine) && valueOf<bool>(values, switchSumsName);
                server.nics = cardsFor(nicsOf(machine), values);
                const int servers = valueOf<int>(values, serversName);
                Cluster cluster = serversOnNetwork(server, networkFrom(values, servers, nicsOf(machine)));
                cluster.name = servers == 1 ? machine.title : std::to_string(servers) + " × " + machine.title;
                return cluster;
            }};
}

/// A rack: trays of four GPUs and two Grace CPUs, all GPUs on one NVLink switch.
Cluster nvl72(const ParameterValues& values) {
    constexpr int traysPerRack = 18;
    const NicSpec nics{2, "ConnectX-7", 400 * bytesPerSecondOfGbps};
    ServerSpec tray;
    tray.gpu = *findGpu("GB200-186GB");
    tray.gpus = 4;
    tray.speed = valueOf<double>(values, speedName);
    tray.rates = ratesFrom(values);
    tray.gpusPerSwitch = 2;
    tray.sockets = 2;
    tray.nics = cardsFor(nics, values);
    const int racks = valueOf<int>(values, racksName), trays = racks * traysPerRack;
    Cluster cluster = serversOnNetwork(tray, networkFrom(values, trays, nics));
    cluster.name = (racks == 1 ? "" : std::to_string(racks) + " × ") + std::string("GB200 NVL72");
    for (int rack = 0; rack < racks; ++rack) {
        const std::string id = "rack" + std::to_string(rack) + "nvswitch";
        cluster.switches.push_back({id, "", valueOf<bool>(values, switchSumsName)});
        const int perRack = traysPerRack * tray.gpus;
        for (int gpu = 0; gpu < perRack; ++gpu) {
            const Device& device = cluster.devices[static_cast<std::size_t>(rack * perRack + gpu)];
            cluster.links.push_back({device.id, id, tray.gpu.nvlinks * linkBps(tray.gpu, tray.rates), 0,
                                     "nvlink", nvlinkSource(tray.gpu, tray.gpu.nvlinks, tray.rates)});
        }
    }
    return cluster;
}

}  // namespace

std::vector<ClusterTemplate> namedMachines() {
    std::vector<ClusterTemplate> templates;
    for (const Machine& machine : machines) templates.push_back(templateOf(machine));
    std::vector<Parameter> parameters{countParameter(racksName, "Racks", "Of 72 GPUs each", 1, 1820)};
    for (Parameter& each : networkParameters()) parameters.push_back(std::move(each));
    parameters.push_back(switchSumsParameter());
    const auto afterB300 = templates.begin() + 4;
    templates.insert(
        afterB300,
        {"gb200-nvl72", "GB200 NVL72",
         "Racks of 18 trays with 4 Blackwell GPUs, all 72 of a rack on one NVLink switch; four cards of "
         "400 Gbit/s in each tray. The links to the Grace CPUs are counted as PCIe.",
         parameters, nvl72});
    return templates;
}

Cluster oneOf(const ClusterTemplate& machine) {
    ParameterValues values = defaultValues(machine.parameters);
    for (const char* count : {serversName, racksName})
        if (const auto found = values.find(count); found != values.end()) found->second = 1;
    return machine.make(values);
}

std::optional<UsualCard> usualCardOf(const std::string& gpu) {
    for (const Machine& machine : machines)
        if (gpu == machine.gpu)
            return UsualCard{nicsOf(machine), std::string(machine.nic) + " of " + machine.title +
                                                  ", as its data sheet has it"};
    return std::nullopt;
}

}  // namespace stagecraft::generation
