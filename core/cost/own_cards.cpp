#include "core/cost/own_cards.h"

#include "core/base/indices.h"

#include <algorithm>
#include <tuple>

namespace stagecraft::cost {

OwnCards::OwnCards(const NetworkHops& hops, int devices) {
    // Cards by the switch that they are seen from, the one beyond and both links.
    using Kind = std::tuple<int, int, double, double, double, double>;
    std::map<Kind, std::vector<Card>> alike;
    for (std::size_t node = at(devices); node < hops.size(); ++node) {
        if (hops[node].size() != 2) continue;
        for (const int side : {0, 1}) {
            const NetworkHop &back = hops[node][at(side)], &on = hops[node][at(1 - side)];
            if (back.node < devices || on.node < devices || back.node == on.node) continue;
            alike[{back.node, on.node, back.bandwidthBps, back.latencyS, on.bandwidthBps, on.latencyS}]
                .push_back({back.way ^ 1, on.way});
        }
    }
    // Kinds of one switch follow each other.
    int counted = -1;
    bool areDevicesBelow = false;
    for (auto& [kind, cards] : alike) {
        const int hub = std::get<0>(kind);
        if (cards.size() < 2) continue;
        if (hub != counted) areDevicesBelow = countDevices(hops[at(hub)], hub, devices);
        counted = hub;
        if (!areDevicesBelow) continue;
        for (const Card& card : cards) choiceOf_[card.in] = static_cast<int>(choices_.size());
        choices_.push_back({hub, std::move(cards)});
    }
}

/// Whether there are any.
bool OwnCards::countDevices(const std::vector<NetworkHop>& hops, int hub, int devices) {
    std::vector<int> below;
    for (const NetworkHop& hop : hops)
        if (hop.node < devices) below.push_back(hop.node);
    std::sort(below.begin(), below.end());
    below.erase(std::unique(below.begin(), below.end()), below.end());
    for (std::size_t place = 0; place < below.size(); ++place)
        placeOn_[{below[place], hub}] = static_cast<int>(place);
    return !below.empty();
}

const OwnCards::Card* OwnCards::cardOf(int device, int way) const {
    const auto choice = choiceOf_.find(way);
    if (choice == choiceOf_.end()) return nullptr;
    const auto& [hub, cards] = choices_[at(choice->second)];
    const auto place = placeOn_.find({device, hub});
    return place == placeOn_.end() ? nullptr : &cards[at(place->second) % cards.size()];
}

void OwnCards::take(int from, int to, std::vector<int>& ways) const {
    // The device to its switch, to the card, and on; the same backwards at the other end.
    if (choices_.empty() || ways.size() < 4) return;
    const std::size_t last = ways.size() - 1;
    const Card* sends = cardOf(from, ways[1]);
    if (sends) {
        ways[1] = sends->in;
        ways[2] = sends->out;
    }
    if (sends && last < 5) return;
    if (const Card* receives = cardOf(to, ways[last - 1] ^ 1)) {
        ways[last - 1] = receives->in ^ 1;
        ways[last - 2] = receives->out ^ 1;
    }
}

}  // namespace stagecraft::cost
