#include "core/recordings/stream_shares.h"

#include "core/base/indices.h"
#include "core/base/units.h"

#include <algorithm>
#include <map>

namespace stagecraft::recordings {

namespace {

using Stretches = std::vector<std::pair<double, double>>;

bool isNumber(const std::string& name) {
    return !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
}

/// How long at least one of them lasts.
double coveredS(Stretches& stretches) {
    std::ranges::sort(stretches);
    double sum = 0, untilS = 0;
    for (const auto& [fromS, toS] : stretches) {
        sum += std::max(0.0, toS - std::max(fromS, untilS));
        untilS = std::max(untilS, toS);
    }
    return sum;
}

}  // namespace

std::vector<StreamShares> streamShares(const Recording& recording) {
    const Timeline& timeline = recording.timeline;
    std::map<int, std::pair<Stretches, Stretches>> ran;  // by device: what computes, and all
    for (const Lane& lane : timeline.lanes) {
        if (lane.kind != LaneKind::stream || !isNumber(lane.name)) continue;
        auto& [computes, all] = ran[lane.devices.front()];
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block) {
            all.emplace_back(timeline.startS[block], timeline.endS[block]);
            if (timeline.kind[block] != BlockKind::communication) computes.push_back(all.back());
        }
    }
    std::vector<StreamShares> found;
    const double wholeS = timeline.lastEndS();
    for (auto& [device, stretches] : ran) {
        const double computeS = coveredS(stretches.first), anyS = coveredS(stretches.second);
        found.push_back({device, computeS, anyS - computeS, std::max(0.0, wholeS - anyS)});
    }
    return found;
}

std::string streamText(const Recording& recording, const StreamShares& shares) {
    const double wholeS = shares.wholeS();
    const auto share = [wholeS](double seconds) { return formatPercent(wholeS > 0 ? seconds / wholeS : 0); };
    return recording.cluster.devices[at(shares.device)].id + " computes for " + share(shares.computeS) +
           " of " + formatSeconds(wholeS) + ", only communicates for " + share(shares.communicationS) +
           " and is idle for " + share(shares.idleS) + ".";
}

}  // namespace stagecraft::recordings
