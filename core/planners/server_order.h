#pragma once

#include "core/planners/planner.h"

namespace stagecraft::planners {

/// Devices so that those of a server are together, servers in the order in which the list first names them:
/// the list's own order where it has one server after the other. Host files list servers in turn at times,
/// and stages that take devices as listed then send every activation over the network.
std::vector<int> devicesByServer(const Cluster& cluster);

/// The answer of a planner that takes devices one after the other (Planner::takesDevicesInOrder), server by
/// server; of any other planner its own.
PlanningResult planServerByServer(const Planner& planner, const CostModel& costs,
                                  const ParameterValues& values, const WorkContext& context);

/// What taking devices server by server spares a plan whose stages took them one after the other: "Devices
/// are taken server by server, …". Empty where the order of the list is no other or crosses as few
/// boundaries.
std::string serverOrderNote(const Cluster& cluster, const Plan& plan);

}  // namespace stagecraft::planners
