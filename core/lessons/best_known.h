#pragma once

#include "core/base/work_context.h"
#include "core/lessons/judge.h"

namespace stagecraft::lessons {

/// The best answer that counts, of: every family on the exercise's own stages, and on stages cut for it, with
/// its whole numbers at powers of two; every planner with its defaults; and, where the setup may change, the
/// exercise's plan with more and more microbatches. Where passes are to be ordered by hand, of families on
/// the exercise's own stages: what a rule orders a hand can. Nothing: none counts, or is better than the
/// start. Takes about as long as all planners do.
std::optional<KnownAnswer> searchBest(const Judge& judge, const WorkContext& context = {});

}  // namespace stagecraft::lessons
