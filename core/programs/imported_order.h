#pragma once

#include "core/model/plan.h"
#include "core/model/problem.h"

#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::programs {

/// The plan that an order makes of a problem: PyTorch's pipelining CSV, rank r on device r, or an order table
/// (formats/orders). It is hand-made, and called as the file is.
/// @param stages that the order is for; empty: equal numbers of layers
/// @throws InputError as the readers do, and where the problem has other microbatches than the order, fewer
/// layers than it has stages or fewer devices than ranks
Plan importedOrder(std::string_view text, const std::string& file, const Problem& problem,
                   std::vector<Stage> stages = {});

/// How many microbatches it runs. @throws InputError
int orderedMicrobatches(std::string_view text, const std::string& file, const Cluster& cluster);

}  // namespace stagecraft::programs
