#include "core/formats/measurements/measured_cluster.h"

#include "core/base/counted.h"
#include "core/base/units.h"
#include "core/cost/interconnect.h"
#include "core/formats/json_writer.h"
#include "core/formats/measurements/measured_texts.h"
#include "core/formats/text_encoding.h"

#include <algorithm>
#include <map>
#include <set>

namespace stagecraft::formats {

namespace {

using Kind = ImportNote::Kind;

/// "GPU 3", "GPU 0 of node-a", "node-a".
std::string nameOf(const MeasuredEnd& end) {
    const std::string gpu = end.gpu < 0 ? "" : "GPU " + std::to_string(end.gpu);
    if (end.host.empty()) return gpu;
    return gpu.empty() ? end.host : gpu + " of " + end.host;
}

/// "a, b, c and 12 more"
std::string listOf(const std::vector<std::string>& items) {
    constexpr std::size_t mostNamed = 6;
    std::string text;
    for (std::size_t item = 0; item < std::min(items.size(), mostNamed); ++item)
        text += (item ? ", " : "") + items[item];
    return items.size() > mostNamed
               ? text + " and " + grouped(static_cast<long long>(items.size() - mostNamed)) + " more"
               : text;
}

/// Works rates into a cluster, each against what the cluster had before any of them.
class MeasuredLinks {
public:
    MeasuredLinks(const Cluster& cluster, const Measurements& measured, const std::string& file,
                  const MeasuredWhere& where)
        : before_(derivedOf(cluster)),
          network_(before_),
          measured_(measured),
          ends_(before_, measured, file, where) {}

    MeasuredCluster work(const Cluster& cluster, const std::string& file) {
        for (const MeasuredPair& pair : measured_.pairs) takePair(pair);
        for (const MeasuredGroup& group : measured_.groups) takeGroup(group);
        if (found_.empty() && left_.empty())
            throw InputError(
                file, "",
                "no row of " + measured_.tool + " is of a link of this cluster: " + listOf(unmatched_),
                "the cluster on which it was measured");
        MeasuredCluster result{cluster, {}, static_cast<int>(found_.size())};
        std::vector<std::string> said;
        for (const auto& [index, rate] : found_) said.push_back(write(result.cluster, index, rate));
        addNotes(result, said);
        return result;
    }

private:
    struct Found {
        double bps = 0;
        double latencyS = 0;  ///< 0: not measured
        std::string between;
    };

    /// What the links had before they were measured, so that a second measurement finds the same ways.
    static Cluster derivedOf(Cluster cluster) {
        for (Link& link : cluster.links)
            if (link.isMeasured()) link.bandwidthBps = link.derivedBps;
        return cluster;
    }

    const Link& link(int index) const { return before_.links[static_cast<std::size_t>(index)]; }

    std::vector<int> measuredOn(const std::vector<int>& path, double bps) const {
        double narrowest = 0;
        for (const int index : path)
            narrowest =
                narrowest > 0 ? std::min(narrowest, link(index).bandwidthBps) : link(index).bandwidthBps;
        constexpr double sameRate = 1 + 1e-9;
        std::vector<int> links;
        for (const int index : path)
            if (link(index).bandwidthBps <= std::max(narrowest * sameRate, bps)) links.push_back(index);
        return links;
    }

    void takePair(const MeasuredPair& pair) {
        const bool isNamed = pair.a != MeasuredEnd() || pair.b != MeasuredEnd();
        const std::string name = isNamed ? nameOf(pair.a) + " to " + nameOf(pair.b) : "the two ends";
        bool any = false;
        for (const MeasuredEnds::Way& way : ends_.waysOf(pair)) {
            const std::vector<int> path = network_.path(way.a, way.b);
            any = any || !path.empty();
            takePath(path, pair, isNamed ? name : idOf(way.a) + " to " + idOf(way.b));
        }
        if (!any) unmatched_.push_back(name);
    }

    const std::string& idOf(int device) const { return before_.devices[static_cast<std::size_t>(device)].id; }

    void takePath(const std::vector<int>& path, const MeasuredPair& pair, const std::string& name) {
        const std::vector<int> links = measuredOn(path, pair.bps);
        double others = 0;
        for (const int index : path)
            if (std::find(links.begin(), links.end(), index) == links.end()) others += link(index).latencyS;
        const double share =
            pair.latencyS > 0 ? std::max(pair.latencyS - others, 0.0) / static_cast<double>(links.size()) : 0;
        for (const int index : links) {
            Found& found = found_[index];
            if (share > 0 && (found.latencyS == 0 || share < found.latencyS)) found.latencyS = share;
            if (pair.bps <= found.bps && !found.between.empty()) continue;
            found.bps = pair.bps;
            found.between = name;
        }
    }

    /// One number is of links only where each GPU of a server has one that bounds it, to a switch.
    void takeGroup(const MeasuredGroup& group) {
        const std::string what = group.operation + " of " + counted(group.ends.size(), "GPU") +
                                 ", bus bandwidth " + formatBandwidth(group.busBps);
        const auto groups = ends_.groupsOf(group);
        if (groups.empty()) {
            unmatched_.push_back(what);
            if (group.ends.empty()) left_.push_back(what + ": the text does not list its ranks");
            return;
        }
        std::string why;
        for (const std::vector<int>& devices : groups) {
            const std::set<int> links = ownLinks(devices, why);
            const bool isMore = std::any_of(links.begin(), links.end(), [&](int index) {
                return group.busBps > link(index).bandwidthBps;
            });
            if (isMore) why = "more than the links carry, as where a switch reduces";
            if (!why.empty()) break;
            for (const int index : links) {
                Found& found = found_[index];
                if (found.bps >= group.busBps) continue;
                found.bps = group.busBps;
                found.between = group.operation + " of " + counted(group.ends.size(), "GPU");
            }
        }
        if (!why.empty()) left_.push_back(what + ": " + why + "; no link was changed");
    }

    /// Of each device its one narrowest link; says why there is none.
    std::set<int> ownLinks(const std::vector<int>& devices, std::string& why) const {
        const auto serverOf = [&](int device) {
            return before_.devices[static_cast<std::size_t>(device)].server;
        };
        for (const int device : devices)
            if (serverOf(device) != serverOf(devices.front())) why = "one number for several servers";
        std::set<int> links;
        for (std::size_t rank = 0; rank < devices.size() && why.empty(); ++rank) {
            const std::vector<int> path = network_.path(devices[rank], devices[(rank + 1) % devices.size()]);
            const std::vector<int> narrow = measuredOn(path, 0);
            if (path.size() > 1 && narrow.front() == path.front())
                links.insert(path.front());
            else
                why = "one number for links of several kinds or ways";
        }
        return links;
    }

    /// @return "s0g0 – s0g1 26.3 GB/s (20.0 GB/s)"
    std::string write(Cluster& cluster, int index, const Found& found) const {
        Link& target = cluster.links[static_cast<std::size_t>(index)];
        if (found.bps > 0) {
            if (!target.isMeasured()) {
                target.derivedBps = target.bandwidthBps;
                target.derivedSource = target.source;
            }
            target.bandwidthBps = found.bps;
            target.source = "measured, " + measured_.tool + ": " + found.between;
        }
        if (found.latencyS > 0) target.latencyS = found.latencyS;
        std::string text = target.a + " – " + target.b;
        if (found.bps > 0)
            text += " " + formatBandwidth(found.bps) + " (" + formatBandwidth(target.derivedBps) + ")";
        return found.latencyS > 0 ? text + " " + formatSeconds(found.latencyS) : text;
    }

    void addNotes(MeasuredCluster& result, const std::vector<std::string>& said) const {
        const auto note = [&](Kind kind, std::string text) {
            result.notes.push_back({kind, std::move(text)});
        };
        if (!said.empty()) {
            note(Kind::took, counted(said.size(), "link") + " measured by " + measured_.tool +
                                 " (before): " + listOf(said));
            note(Kind::derived,
                 "a rate over several links is that of the narrowest on the way, and of those that would be "
                 "narrower than it; of several rates of a link the best counts");
        }
        for (const std::string& each : ends_.assumed()) note(Kind::assumed, each);
        if (!unmatched_.empty())
            note(Kind::ignored,
                 counted(unmatched_.size(), "row matches", "rows match") + " no link: " + listOf(unmatched_));
        for (const std::string& each : left_) note(Kind::ignored, each);
        for (const std::string& each : measured_.ignored) note(Kind::ignored, each);
    }

    Cluster before_;
    Interconnect network_;
    const Measurements& measured_;
    MeasuredEnds ends_;
    std::map<int, Found> found_;  ///< by link
    std::vector<std::string> unmatched_, left_;
};

}  // namespace

MeasuredCluster withMeasurements(const Cluster& cluster, const Measurements& measured,
                                 const std::string& file, const MeasuredWhere& where) {
    return MeasuredLinks(cluster, measured, file, where).work(cluster, file);
}

MeasuredCluster withMeasurements(const Cluster& cluster, std::string_view text, const std::string& file,
                                 const MeasuredWhere& where) {
    return withMeasurements(cluster, readMeasurements(utf8(plainText(std::string(text))), file), file, where);
}

}  // namespace stagecraft::formats
