#include "core/generation/link_rates.h"

#include "core/base/quantity.h"
#include "core/base/units.h"
#include "core/generation/gpu_catalogue.h"
#include "core/generation/machines.h"
#include "core/generation/server_templates.h"

#include <algorithm>
#include <cmath>
#include <locale>
#include <map>
#include <sstream>
#include <stdexcept>
#include <unordered_set>
#include <utility>

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

constexpr char onDataSheet[] = ", data sheet";

LinkRates ratesOf(const Link& link) {
    return link.source.find(onDataSheet) != std::string::npos ? LinkRates::dataSheet : LinkRates::reached;
}

/// What the link has between a GPU that was `before` and is `now`, and `other` (nullptr: no GPU): the rates
/// that were chosen for it stay chosen.
void takeRate(Link& link, const Gpu& before, const Gpu& now, const Gpu* other) {
    const LinkRates rates = ratesOf(link);
    const Gpu& slower =
        other && isDirect(link) && linkBps(*other, rates) < linkBps(now, rates) ? *other : now;
    const int count = linkCount(link);
    if (isDirect(link)) {
        // All that there are to an NVSwitch, as many as before to another GPU.
        const int links = count == before.nvlinks ? now.nvlinks : std::min(count, slower.nvlinks);
        if (links == 0 || !(linkBps(slower, rates) > 0)) return;
        link.kind = isNvidia(slower) ? "nvlink" : "xgmi";
        link.bandwidthBps = links * linkBps(slower, rates);
        link.source = nvlinkSource(slower, links, rates);
    } else if (link.kind == "pcie" && pcieBps(now, rates) > 0) {
        link.bandwidthBps = pcieBps(now, rates);
        link.source = pcieSource(now, rates);
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

/// What follows `mark` in the text up to one of `ends`; empty: it is not there.
std::string after(const std::string& text, const std::string& mark, const char* ends) {
    const std::size_t at = text.find(mark);
    if (at == std::string::npos) return {};
    const std::size_t from = at + mark.size();
    return text.substr(from, std::min(text.find_first_of(ends, from), text.size()) - from);
}

/// The number that begins a text, or ends the word that it is; 0: none.
double numberIn(const std::string& text) {
    std::istringstream stream(text);
    stream.imbue(std::locale::classic());
    double number = 0;
    return stream >> number ? number : 0;
}

/// "2 × " or "3.5 × " right before `what`; 1 without one.
double countBefore(const std::string& source, const std::string& what) {
    const std::size_t at = source.find(times + what);
    if (at == std::string::npos) return 1;
    const std::size_t space = source.find_last_not_of("0123456789.", at - 1);
    const double count = numberIn(source.substr(space == std::string::npos ? 0 : space + 1));
    return count > 0 ? count : 1;
}

/// "18 × NVLink at 20.6 GB/s, H100-SXM5-80GB, …", "…, sm90, …" or "…, gfx942, …".
std::optional<LinkFigures> directFigures(const std::string& source) {
    for (const char* what : {"NVLink at ", "xGMI at "}) {
        const std::string gpu = after(source.substr(std::min(source.find(what), source.size())), ", ", ",");
        if (gpu.empty()) continue;
        const Gpu* known = findGpu(gpu);
        const LinkTechnology* technology = known ? linkTechnologyOf(*known)
                                           : gpu.starts_with("sm")
                                               ? &nvlinkTechnology(static_cast<int>(numberIn(gpu.substr(2))))
                                           : gpu.starts_with("gfx") ? &xgmiTechnology(gpu.substr(3))
                                                                    : nullptr;
        if (technology) return LinkFigures{technology, countBefore(source, what)};
    }
    return std::nullopt;
}

/// "PCIe of H100-SXM5-80GB, …", "PCIe Gen 5 × 16, …" or "PCIe 32 GT/s × 16, …".
std::optional<LinkFigures> pcieFigures(const std::string& source) {
    if (const Gpu* gpu = findGpu(after(source, "PCIe of ", ",")))
        if (const LinkTechnology* technology = pcieTechnologyOf(*gpu))
            return LinkFigures{technology, countBefore(source, "PCIe of ")};
    if (source.find("the lesser of") != std::string::npos) return std::nullopt;
    if (const double generation = numberIn(after(source, "PCIe Gen ", ",")); generation > 0)
        return LinkFigures{&pcieTechnology(static_cast<int>(generation)), countBefore(source, "PCIe Gen ")};
    const std::string lanes = after(source, " GT/s × ", ",");
    const double gigatransfers = numberIn(after(source, "PCIe ", ","));
    constexpr double speeds[] = {2.5, 5, 8, 16, 32, 64};
    for (int generation = 1; generation <= 6; ++generation)
        if (gigatransfers == speeds[generation - 1] && numberIn(lanes) > 0)
            return LinkFigures{&pcieTechnology(generation), numberIn(lanes) / 16};
    return std::nullopt;
}

/// Lanes of PCIe with that rate, be it the data sheet's or what is reached.
std::optional<LinkFigures> lanesWith(double bps) {
    constexpr double sameRate = 0.005;
    for (const LinkRates rates : {LinkRates::dataSheet, LinkRates::reached})
        for (int generation = 5; generation >= 1; --generation)
            for (const int lanes : {16, 8, 4, 2, 1})
                if (const LinkFigures figures{&pcieTechnology(generation), lanes / 16.0};
                    std::abs(bps / (figures.count * figures.technology->bps(rates)) - 1) < sameRate)
                    return figures;
    return std::nullopt;
}

}  // namespace

std::optional<LinkFigures> figuresOf(const Link& link) {
    const std::string& source = link.isMeasured() ? link.derivedSource : link.source;
    const double bps = link.isMeasured() ? link.derivedBps : link.bandwidthBps;
    if (source.starts_with("PCIe ") && source.find("pci_link_speed of hwloc") != std::string::npos)
        return lanesWith(bps);
    if (const auto direct = directFigures(source)) return direct;
    if (const auto pcie = pcieFigures(source)) return pcie;
    if (source.find("as its data sheet has it") == std::string::npos) return std::nullopt;
    const int count = linkCount(link);
    const LinkTechnology* port = portTechnology(link.kind, bps / count);
    return port ? std::optional(LinkFigures{port, static_cast<double>(count)}) : std::nullopt;
}

std::string figuresText(const LinkFigures& figures) {
    const LinkTechnology& technology = *figures.technology;
    const auto text = [](double bps) { return formatNumber(bps / gigabyte) + " GB/s"; };
    const std::string source = technology.reachedSource;
    return (technology.reachedBps > 0 ? "Reached " + text(technology.reachedBps) + " (" +
                                            source.substr(0, source.find_first_of(" ,")) + ")"
                                      : std::string("What is reached is in no source")) +
           (technology.dataSheetBps > 0 ? "; data sheet " + text(technology.dataSheetBps)
                                        : std::string("; no data sheet gives a rate")) +
           (figures.count == 1 ? "" : std::string(", per ") + technology.unit);
}

LinkRates ratesOf(const Cluster& cluster) {
    bool any = false;
    for (const Link& link : cluster.links) {
        const auto figures = figuresOf(link);
        if (!figures || figures->technology->dataSheetBps == figures->technology->reachedBps) continue;
        if (ratesOf(link) == LinkRates::reached) return LinkRates::reached;
        any = true;
    }
    return any ? LinkRates::dataSheet : LinkRates::reached;
}

void takeDerivedRate(Link& link) {
    if (!link.isMeasured()) return;
    link.bandwidthBps = std::exchange(link.derivedBps, 0);
    link.source = std::exchange(link.derivedSource, {});
}

void takeDerivedRates(Cluster& cluster, const std::vector<int>& links) {
    for (const int link : links) takeDerivedRate(cluster.links[static_cast<std::size_t>(link)]);
}

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
