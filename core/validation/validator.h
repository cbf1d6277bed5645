#pragma once

#include "core/model/plan.h"
#include "core/model/problem.h"
#include "core/model/timeline.h"
#include "core/validation/violation.h"

#include <cstddef>
#include <vector>

namespace stagecraft::validation {

/// The independent validator: shares no code with cost model, schedules, simulator or planners (model alone),
/// and works everything out afresh from the problem. Empty: plan and timeline hold. At most `limit`
/// violations a rule.
std::vector<Violation> validate(const Problem& problem, const Plan& plan, const Timeline& timeline,
                                std::size_t limit = 20);

}  // namespace stagecraft::validation
