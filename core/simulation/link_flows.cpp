#include "core/simulation/link_flows.h"

#include <cmath>

namespace stagecraft::simulation {

int LinkFlows::addTransfer(const std::vector<HandOver>& pairs, bool back, double bytes, double seconds,
                           double delayS) {
    BytesByWay ways;
    for (const HandOver& pair : pairs)
        send(back ? pair.to : pair.from, back ? pair.from : pair.to, pair.share * bytes, ways);
    return add(ways, pairs.empty() ? 0 : pairs.front().share * bytes, seconds, delayS);
}

int LinkFlows::addRounds(const DataParallelGroup& group, double rounds, double seconds) {
    BytesByWay ways;
    for (const ParameterRing& ring : group.rings)
        for (std::size_t place = 0; place < ring.devices.size(); ++place)
            send(ring.devices[place], ring.devices[(place + 1) % ring.devices.size()],
                 rounds * ring.roundBytes, ways);
    return add(ways, rounds * group.roundBytes, seconds, 0);
}

void LinkFlows::send(int from, int to, double bytes, BytesByWay& ways) {
    if (from == to || !(bytes > 0)) return;
    for (const LinkStep& step : routes_.onceBetween(from, to)) ways[2 * step.link + (step.back ? 1 : 0)] += bytes;
}

int LinkFlows::add(const BytesByWay& ways, double flowBytes, double seconds, double delayS) {
    const double fullBps = flowBytes / (seconds - delayS);
    if (ways.empty() || !(flowBytes > 0) || !(fullBps > 0) || !std::isfinite(fullBps)) return -1;
    LinkFlow flow{fullBps, delayS, {}};
    for (const auto& [way, bytes] : ways) flow.crossings.push_back({way, bytes / flowBytes});
    flows_.push_back(std::move(flow));
    return static_cast<int>(flows_.size()) - 1;
}

}  // namespace stagecraft::simulation
