#pragma once

#include "core/model/plan.h"

#include <vector>

namespace stagecraft::model {

/// By stage, which chunk of its device it is: how many stages before it the first of its devices has.
std::vector<int> chunksOf(const std::vector<Stage>& stages);
/// By stage, the copy of the network to which it belongs.
std::vector<int> copiesOf(const std::vector<Stage>& stages);

}  // namespace stagecraft::model
