#pragma once

#include "core/cost/cost_model.h"

#include <algorithm>
#include <vector>

namespace stagecraft::planners {

/// What no plan on a cluster can be better than, whichever of its devices it takes.
struct MachineFacts {
    explicit MachineFacts(const Problem& problem);

    std::vector<int> order;  ///< devices, those of each server together
    /// The orders in which ranks are laid over devices: that one first; where devices are unlike, in speed,
    /// in memory or in the type of which times were measured, also those of each kind together, the kinds in
    /// each order. Of many kinds from the fastest and from the slowest alone.
    std::vector<std::vector<int>> orders;
    /// The first of them, which do not tell devices apart that differ in their prices alone; those after them
    /// do, and are of kinds that differ in prices too, of many kinds from the cheapest, by the hour and by
    /// what is computed.
    std::size_t ordersForTime = 1;
    int largestServer = 0;       ///< devices of the server with most
    double roomiestBytes = 0;    ///< of the device with most memory, less what the setup reserves
    double widestBps = 0;        ///< of all links that end at a device
    double widestAcrossBps = 0;  ///< of all links that leave a server; widestBps where there is one server
    /// Of all links together that join a device to others of its server: rings laid along them are no faster
    /// (cost::LinkRings).
    double mostLaidBps = 0;
    bool anySwitchSums = false;  ///< then a sum may cost half of what a ring has

    bool areAlike() const { return orders.size() == 1; }
    /// The widest that the slowest way between so many devices can be, `step` places apart in an order: of
    /// more than a server has some are on two.
    double widestAmong(int count, int step) const {
        return static_cast<long long>(count) * step > largestServer ? widestAcrossBps : widestBps;
    }
    /// The same of all rings that these devices may work in at once: over as many network cards as devices of
    /// theirs a server has, and no faster than a device reaches any other (cost::ServerExits); or along links
    /// between those of one server.
    double widestRingsAmong(int count, int step) const {
        const int onServer = (largestServer + step - 1) / step;
        const double laidBps = static_cast<long long>(count) * step > largestServer ? 0 : mostLaidBps;
        return std::max({widestAmong(count, step), std::min(widestBps, onServer * widestAcrossBps), laidBps});
    }
};

}  // namespace stagecraft::planners
