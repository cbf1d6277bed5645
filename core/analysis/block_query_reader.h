#pragma once

#include "core/analysis/block_conditions.h"
#include "core/model/cluster.h"
#include "core/model/plan.h"

#include <string>

namespace stagecraft::analysis {

/// What the text of a BlockQuery asks of a plan's blocks. @throws QueryMistake
BlockConditions readBlockQuery(const std::string& text, const Cluster& cluster, const Plan& plan,
                               const Timeline& timeline);

}  // namespace stagecraft::analysis
