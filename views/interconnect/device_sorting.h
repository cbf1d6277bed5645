#pragma once

#include "core/model/cluster.h"
#include "views/rooms.h"

#include <string>
#include <vector>

namespace stagecraft::views::interconnect {

/// Device indices as the cluster lists them.
std::vector<int> listedOrder(const Cluster& cluster);
/// By server, then by id, each with numbers in them taken as numbers: "s2g10" after "s2g9".
std::vector<int> orderById(const Cluster& cluster);
/// Whether `a` comes before `b` in such an order.
bool comesBefore(const std::string& a, const std::string& b);

}  // namespace stagecraft::views::interconnect
