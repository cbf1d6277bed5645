#pragma once

#include "core/cost/widest_switches.h"

namespace stagecraft::cost {

/// The way from one device to another with fewest links, over those at least so wide and no other device, as
/// NetworkHop::way; among equals that whose nodes have the lowest numbers, from the end on: the one that
/// Interconnect::find finds where links have no latency. Looked for from both ends at once, so that switches
/// that join many servers are seldom gone beyond. Empty: there is none.
std::vector<int> shortestWays(const NetworkHops& hops, int devices, int from, int to, double leastBps);

}  // namespace stagecraft::cost
