#pragma once

#include "core/model/plan.h"
#include "core/model/problem.h"
#include "core/model/timeline.h"
#include "core/validation/violation.h"

#include <cstddef>
#include <stop_token>
#include <vector>

namespace stagecraft::validation {

/// The independent validator: shares no code with cost model, schedules, simulator or planners (model alone),
/// and works everything out afresh from the problem. Empty: plan and timeline hold. At most `limit`
/// violations a rule. @throws Cancelled once `stop` is requested
std::vector<Violation> validate(const Problem& problem, const Plan& plan, const Timeline& timeline,
                                std::size_t limit = 20, const std::stop_token& stop = {});

}  // namespace stagecraft::validation
