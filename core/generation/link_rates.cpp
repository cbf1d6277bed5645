#include "core/generation/link_rates.h"

#include "core/base/quantity.h"
#include "core/generation/gpu_catalogue.h"
#include "core/generation/machines.h"
#include "core/generation/server_templates.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <unordered_set>

namespace stagecraft::generation {
namespace {

constexpr char times[] = " × ";
constexpr char handMark[] = "set by hand";

/// How many characters of "4 × " the source begins with; 0: none.
std::size_t countLength(const std::string& source) {
    const std::size_t digits = std::min(source.find_first_not_of("0123456789"), source.size());
    return digits > 0 && digits < 7 && source.compare(digits, sizeof(times) - 1, times) == 0
               ? digits + sizeof(times) - 1
               : 0;
}

std::string nounOf(const std::string& kind) {
    static const std::map<std::string, std::string> nouns = {{"nvlink", "NVLink"},
                                                             {"xgmi", "xGMI"},
                                                             {"pcie", "PCIe"},
                                                             {"ethernet", "Ethernet"},
                                                             {"infiniband", "InfiniBand"}};
    const auto found = nouns.find(kind);
    if (found != nouns.end()) return found->second;
    return kind.empty() || kind.find(' ') != std::string::npos ? "link" : kind;
}

/// Whether the catalogue gave the bandwidth for that GPU, and no person another.
bool isFrom(const Link& link, const Gpu& gpu) {
    return !isSetByHand(link) && link.source.find(' ' + gpu.name + ',') != std::string::npos;
}

bool isDirect(const Link& link) { return link.kind == "nvlink" || link.kind == "xgmi"; }

/// What the link has between a GPU that was `before` and is `now`, and `other` (nullptr: no GPU).
void takeRate(Link& link, const Gpu& before, const Gpu& now, const Gpu* other) {
    const Gpu& slower =
        other && isDirect(link) && reachedLinkBps(*other) < reachedLinkBps(now) ? *other : now;
    const int count = linkCount(link);
    if (isDirect(link)) {
        // All that there are to an NVSwitch, as many as before to another GPU.
        const int links = count == before.nvlinks ? now.nvlinks : std::min(count, slower.nvlinks);
        if (links == 0 || !(reachedLinkBps(slower) > 0)) return;
        link.kind = isNvidia(slower) ? "nvlink" : "xgmi";
        link.bandwidthBps = links * reachedLinkBps(slower);
        link.source = nvlinkSource(slower, links);
    } else if (link.kind == "pcie" && now.hostBandwidthBps > 0) {
        link.bandwidthBps = now.hostBandwidthBps;
        link.source = pcieSource(now);
        if (count > 1) setLinkCount(link, count);
    }
}

/// Links of a server's switches and network cards, which have the rates of its GPUs.
void followInServer(Cluster& cluster, const std::string& server, const Gpu& before, const Gpu& now) {
    std::unordered_set<std::string> switches;
    for (const Switch& each : cluster.switches)
        if (each.server == server) switches.insert(each.id);
    const auto cardBefore = usualCardOf(before.name), cardNow = usualCardOf(now.name);
    for (Link& link : cluster.links) {
        const bool a = switches.contains(link.a), b = switches.contains(link.b);
        if (a && b && isFrom(link, before)) takeRate(link, before, now, nullptr);
        if (a == b || !cardBefore || !cardNow || link.source != cardBefore->source) continue;
        link.bandwidthBps = cardNow->card.bandwidthBps;
        link.kind = cardNow->card.kind;
        link.source = cardNow->source;
    }
}

}  // namespace

int linkCount(const Link& link) { return countLength(link.source) ? std::stoi(link.source) : 1; }

void setLinkCount(Link& link, int count) {
    if (count < 1) throw std::invalid_argument("At least one link is needed");
    const int before = linkCount(link);
    if (count == before) return;
    const std::string rest = link.source.substr(countLength(link.source));
    const double oneBps = link.bandwidthBps / before;
    link.bandwidthBps = oneBps * count;
    const std::string prefix = std::to_string(count) + times;
    if (rest.empty() || rest.starts_with(handMark))
        link.source = prefix + nounOf(link.kind) + " at " + exactText(Quantity::bandwidth, oneBps) + ", " +
                      (rest.empty() ? "written by hand" : rest);
    else
        link.source = prefix + rest;
}

bool isSetByHand(const Link& link) { return link.source.find(handMark) != std::string::npos; }

void followGpu(Cluster& cluster, std::size_t device, const std::string& before) {
    const Device& changed = cluster.devices[device];
    const Gpu *from = findGpu(before), *now = findGpu(changed.gpu);
    if (!from || !now || from == now) return;
    std::map<std::string, const Gpu*> gpus;
    bool anyLeft = false;
    for (const Device& each : cluster.devices) {
        gpus.emplace(each.id, findGpu(each.gpu));
        anyLeft = anyLeft || (each.server == changed.server && each.gpu == before);
    }
    for (Link& link : cluster.links) {
        if (link.a != changed.id && link.b != changed.id) continue;
        const auto other = gpus.find(link.a == changed.id ? link.b : link.a);
        const Gpu* otherGpu = other == gpus.end() ? nullptr : other->second;
        if (isFrom(link, *from)) takeRate(link, *from, *now, otherGpu);
    }
    if (!anyLeft) followInServer(cluster, changed.server, *from, *now);
}

}  // namespace stagecraft::generation
