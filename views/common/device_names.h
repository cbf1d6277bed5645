#pragma once

#include "core/model/cluster.h"

#include <QStringList>

#include <vector>

namespace stagecraft::views {

/// "s0g0 … s0g3 (×4)", "s0g0, s0g1", "s0g0".
QString deviceSummary(const Cluster& cluster, const std::vector<int>& devices);

/// The same and shorter ways to say it, down to "s0g0 (×4)", for places with less room.
QStringList deviceSummaries(const Cluster& cluster, const std::vector<int>& devices);

/// "s0g0–s0g3, s2g1", or "s0g0–3, s2g1" if `brief`: neighbours in the cluster's order are joined.
QString deviceRange(const Cluster& cluster, std::vector<int> devices, bool brief);

/// Every one with its GPU: "s0g0 (V100), s0g1 (V100)".
QString allDevices(const Cluster& cluster, const std::vector<int>& devices);

}  // namespace stagecraft::views
