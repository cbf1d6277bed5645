#pragma once

#include "core/model/cluster.h"
#include "core/model/plan.h"
#include "core/model/timeline.h"

#include <string>

namespace stagecraft::analysis {

/// "stage 3", "the link between stages 2 and 3", "the AllReduce of stage 0", "the host link of g0, g1".
std::string laneText(const Timeline& timeline, const Plan& plan, const Cluster& cluster, int lane);
/// The same with what computes: "stage 3 (g6, g7)", "stage 3 (g4 … g7)".
std::string laneTextWithDevices(const Timeline& timeline, const Plan& plan, const Cluster& cluster, int lane);

}  // namespace stagecraft::analysis
