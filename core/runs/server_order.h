#pragma once

#include "core/model/cluster.h"
#include "core/model/plan.h"

#include <string>
#include <vector>

namespace stagecraft::runs {

/// Devices so that those of a server are together, servers in the order in which the list first names them:
/// the list's own order where it has one server after the other. Host files list servers in turn at times,
/// and stages that take devices as listed then send every activation over the network.
std::vector<int> devicesByServer(const Cluster& cluster);

/// What taking devices server by server spares a plan whose stages took them one after the other: "Devices
/// are taken server by server, …". Empty where the order of the list is no other or crosses as few
/// boundaries.
std::string serverOrderNote(const Cluster& cluster, const Plan& plan);

}  // namespace stagecraft::runs
