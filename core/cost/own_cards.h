#pragma once

#include "core/cost/widest_paths.h"

#include <map>
#include <utility>
#include <vector>

namespace stagecraft::cost {

/// Which of several equal network cards a device uses. Below a PCIe switch of DGX A100 hang two GPUs and two
/// cards, and each way out is as wide, as quick and of as many links over one card as over the other:
/// libraries give each GPU its own (NCCL spreads channels over cards at one distance). Of cards that join the
/// same two switches by equal links the k-th device on the switch uses the k-th, and where there are more
/// devices than cards the first again. MODEL.md is silent on it.
class OwnCards {
public:
    OwnCards() = default;
    /// @param hops by node, devices first
    OwnCards(const NetworkHops& hops, int devices);

    /// Puts the cards that are the ends' own in the place of others, as NetworkHop::way. The sender's comes
    /// first where a card would be both.
    void take(int from, int to, std::vector<int>& ways) const;

private:
    struct Card {
        int in = -1, out = -1;  ///< ways from the switch to the card, and on from there
    };
    /// Equal ones, by their nodes' numbers.
    struct Choice {
        int hub = 0;  ///< switch from which they are chosen
        std::vector<Card> cards;
    };
    bool countDevices(const std::vector<NetworkHop>& hops, int hub, int devices);
    /// The card that the device uses in the place of the one that begins with that way; null: there is no
    /// choice.
    const Card* cardOf(int device, int way) const;

    std::vector<Choice> choices_;
    std::map<int, int> choiceOf_;                 // by Card::in
    std::map<std::pair<int, int>, int> placeOn_;  // of a device among those on such a switch, by both
};

}  // namespace stagecraft::cost
