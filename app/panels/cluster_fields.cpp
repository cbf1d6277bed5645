#include "app/panels/cluster_fields.h"

#include "core/base/text_parts.h"
#include "core/base/units.h"
#include "core/generation/gpu_catalogue.h"
#include "core/generation/link_rates.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <utility>

namespace stagecraft::app::panels {
namespace {

using Of = ClusterField::Of;
using Value = ClusterField::Value;

constexpr char overriddenMark[] = "set by hand";

double number(const Value& value) { return std::get<double>(value); }
const std::string& text(const Value& value) { return std::get<std::string>(value); }

template <auto member>
Value readDevice(const Cluster& cluster, std::size_t index) {
    return cluster.devices[index].*member;
}
template <auto member>
Value readLink(const Cluster& cluster, std::size_t index) {
    return cluster.links[index].*member;
}

bool isTaken(const Cluster& cluster, const std::string& id) {
    const auto has = [&id](const auto& list) {
        return std::any_of(list.begin(), list.end(), [&id](const auto& each) { return each.id == id; });
    };
    return has(cluster.devices) || has(cluster.switches);
}

/// Links and the drawing know things by their ids: they follow, unless something earlier has the same id.
void rename(Cluster& cluster, std::string& id, const std::string& wanted) {
    if (id == wanted) return;
    if (wanted.empty()) throw std::invalid_argument("An id is required: links refer to it");
    if (isTaken(cluster, wanted)) throw std::invalid_argument("'" + wanted + "' is taken already");
    const std::string before = std::exchange(id, wanted);
    if (isTaken(cluster, before)) return;
    for (Link& link : cluster.links) {
        if (link.a == before) link.a = wanted;
        if (link.b == before) link.b = wanted;
    }
    if (auto place = cluster.layout.extract(before)) {
        place.key() = wanted;
        cluster.layout.insert(std::move(place));
    }
}

void writeGpu(Cluster& cluster, std::size_t index, const Value& value) {
    Device& device = cluster.devices[index];
    if (device.gpu == text(value)) return;
    const std::string before = std::exchange(device.gpu, text(value));
    followGpu(cluster, index, before);
    const Gpu* known = findGpu(device.gpu);
    if (!known) return;
    device.memoryBytes = known->memoryBytes;
    device.hostBandwidthBps = pcieBps(*known, ratesOf(cluster));
}

Value readCount(const Cluster& cluster, std::size_t index) {
    return static_cast<double>(linkCount(cluster.links[index]));
}

void writeCount(Cluster& cluster, std::size_t index, const Value& value) {
    constexpr double most = 1024;
    const double count = number(value);
    if (!(count >= 1 && count <= most) || count != std::floor(count))
        throw std::invalid_argument("A number of links is a whole number from 1 to 1024");
    setLinkCount(cluster.links[index], static_cast<int>(count));
}

void writeBandwidth(Cluster& cluster, std::size_t index, const Value& value) {
    Link& link = cluster.links[index];
    if (link.bandwidthBps == number(value)) return;
    link.source = overriddenSource(link);
    link.bandwidthBps = number(value);
}

const std::vector<ClusterField> fields = {
    {"id", "Id", "Its name in links and plans", Of::devices, Quantity::plain, true, &readDevice<&Device::id>,
     [](Cluster& cluster, std::size_t index, const Value& value) {
         rename(cluster, cluster.devices[index].id, text(value));
     }},
    {"server", "Server", "Its server", Of::devices, Quantity::plain, false, &readDevice<&Device::server>,
     [](Cluster& cluster, std::size_t index, const Value& value) {
         cluster.devices[index].server = text(value);
     }},
    {"gpu", "GPU",
     "A type of the catalogue, which brings its memory and its host link along, or a custom name",
     Of::devices, Quantity::plain, false, &readDevice<&Device::gpu>, &writeGpu},
    {"memory", "Memory", "As in 16 GiB or 80 GB", Of::devices, Quantity::bytes, false,
     &readDevice<&Device::memoryBytes>,
     [](Cluster& cluster, std::size_t index, const Value& value) {
         cluster.devices[index].memoryBytes = number(value);
     }},
    {"speed", "Speed",
     "Divides compute times; 1 is the profile's reference GPU. Not used where the profile has times that "
     "were "
     "measured on this type",
     Of::devices, Quantity::plain, false, &readDevice<&Device::speed>,
     [](Cluster& cluster, std::size_t index, const Value& value) {
         if (!(number(value) > 0)) throw std::invalid_argument("A speed is greater than 0");
         cluster.devices[index].speed = number(value);
     }},
    {"hostBandwidth", "Host link", "To the memory of the host, for swapping; 0: no swapping", Of::devices,
     Quantity::bandwidth, false, &readDevice<&Device::hostBandwidthBps>,
     [](Cluster& cluster, std::size_t index, const Value& value) {
         cluster.devices[index].hostBandwidthBps = number(value);
     }},
    {"price", "Price ($/h)",
     "Dollars for an hour, for what training costs; empty: the setup's price of a GPU hour", Of::devices,
     Quantity::plain, false, &readDevice<&Device::pricePerHour>,
     [](Cluster& cluster, std::size_t index, const Value& value) {
         constexpr double mostDollars = 1e6;  // as of the setup
         if (!(number(value) <= mostDollars))
             throw std::invalid_argument("An hour costs 1,000,000 dollars at most");
         cluster.devices[index].pricePerHour = number(value);
     },
     "the setup's"},
    {"switchId", "Id", "Its name in links", Of::switches, Quantity::plain, true,
     [](const Cluster& cluster, std::size_t index) -> Value { return cluster.switches[index].id; },
     [](Cluster& cluster, std::size_t index, const Value& value) {
         rename(cluster, cluster.switches[index].id, text(value));
     }},
    {"switchServer", "Server", "Its server; empty: it belongs to the network", Of::switches, Quantity::plain,
     false, [](const Cluster& cluster, std::size_t index) -> Value { return cluster.switches[index].server; },
     [](Cluster& cluster, std::size_t index, const Value& value) {
         cluster.switches[index].server = text(value);
     }},
    {"bandwidth", "Bandwidth", "In each direction: as in 100 Gbit/s or 12 GB/s", Of::links,
     Quantity::bandwidth, false, &readLink<&Link::bandwidthBps>, &writeBandwidth},
    {"count", "Links",
     "How many side by side, as in 4 × NVLink: the bandwidth is that of all together, since a transfer takes "
     "the widest of several links drawn between the same two ends",
     Of::links, Quantity::plain, false, &readCount, &writeCount},
    {"latency", "Latency", "As in 5 us", Of::links, Quantity::seconds, false, &readLink<&Link::latencyS>,
     [](Cluster& cluster, std::size_t index, const Value& value) {
         cluster.links[index].latencyS = number(value);
     }},
    {"kind", "Kind", "As in nvlink, pcie, ethernet", Of::links, Quantity::plain, false,
     &readLink<&Link::kind>,
     [](Cluster& cluster, std::size_t index, const Value& value) {
         cluster.links[index].kind = text(value);
     }},
};

}  // namespace

const std::vector<ClusterField>& clusterFields() { return fields; }

const ClusterField& clusterField(const std::string& id) {
    return *std::find_if(fields.begin(), fields.end(),
                         [&](const ClusterField& each) { return each.id == id; });
}

const std::vector<int>& indicesOf(const ClusterField& field, const ClusterPart& part) {
    switch (field.of) {
        case Of::devices:
            return part.devices;
        case Of::switches:
            return part.switches;
        case Of::links:
            break;
    }
    return part.links;
}

FieldSummary summarise(const ClusterField& field, const Cluster& cluster, const std::vector<int>& indices) {
    if (indices.empty()) return {};
    const Value first = field.read(cluster, static_cast<std::size_t>(indices.front()));
    const bool isNumber = std::holds_alternative<double>(first);
    double least = isNumber ? number(first) : 0, most = least;
    std::set<std::string> texts;
    bool mixed = false;
    for (const int index : indices) {
        const Value value = field.read(cluster, static_cast<std::size_t>(index));
        mixed = mixed || value != first;
        if (isNumber) {
            least = std::min(least, number(value));
            most = std::max(most, number(value));
        } else if (mixed) {
            texts.insert(text(value));
        }
    }
    if (!mixed && field.ofNone && isNumber && number(first) == 0) return {false, {}, field.ofNone};
    if (!mixed) return {false, isNumber ? exactText(field.quantity, number(first)) : text(first), {}};
    if (isNumber)
        return {true, {}, roundedText(field.quantity, least) + " … " + roundedText(field.quantity, most)};
    texts.insert(text(first));
    return {true, {}, std::to_string(texts.size()) + " different"};
}

Cluster withField(const ClusterField& field, const Cluster& cluster, const std::vector<int>& indices,
                  const std::string& words) {
    Cluster after = cluster;
    if (indices.empty()) return after;
    Value value = std::string(trimmed(words));
    const bool isNumber =
        std::holds_alternative<double>(field.read(cluster, static_cast<std::size_t>(indices.front())));
    if (isNumber && field.ofNone && text(value).empty())
        value = 0.0;
    else if (isNumber)
        value = parseQuantity(field.quantity, words);
    for (const int index : indices) field.write(after, static_cast<std::size_t>(index), value);
    return after;
}

bool isOverridden(const Link& link) { return isSetByHand(link); }

namespace {

/// Without the other rate of a link, "; 25 GB/s per link on the data sheet": figuresText says both.
std::string withoutOtherRate(std::string source) {
    constexpr std::string_view begin = "; ", digits = "0123456789";
    for (std::size_t from = 0; (from = source.find(begin, from)) != std::string::npos; ++from) {
        if (source.find_first_of(digits, from) != from + begin.size()) continue;
        for (const std::string_view end :
             {" on the data sheet", "CCL counts it", "table of NCCL 2.30", "table of RCCL"})
            if (const std::size_t at = source.find(end, from); at < source.find(begin, from + 1)) {
                source.erase(from, at + end.size() - from);
                return source;
            }
    }
    return source;
}

std::string measuredText(const Link& link) {
    const std::string_view measured = "measured, ";
    std::string text = link.source;
    if (text.starts_with(measured))
        text = "Measured " + formatBandwidth(link.bandwidthBps) + " (" + text.substr(measured.size()) + ")";
    text += "; derived " + formatBandwidth(link.derivedBps);
    return link.derivedSource.empty() ? text : text + ": " + withoutOtherRate(link.derivedSource);
}

}  // namespace

std::string sourceText(const Link& link) {
    const auto figures = figuresOf(link);
    const std::string text = link.isMeasured() ? measuredText(link)
                             : figures         ? withoutOtherRate(link.source)
                                               : link.source;
    return figures ? text + "\n" + figuresText(*figures) : text;
}

std::string overriddenSource(const Link& link) {
    if (link.source.empty() || link.source.starts_with(overriddenMark)) return link.source;
    return std::string(overriddenMark) + "; was " + formatBandwidth(link.bandwidthBps) + ": " + link.source;
}

}  // namespace stagecraft::app::panels
