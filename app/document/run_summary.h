#pragma once

#include "app/rooms.h"
#include "core/runs/plan_run.h"

#include <QString>

namespace stagecraft::app::document {

/// "iteration 531 ms · 27 % bubbles · peak 9.40 of 16.0 GiB · bounded by stage 3"; for a run without a plan,
/// why. @param called what stands before it: the schedule that a search chose is not said again
QString summaryOf(const PlanRun& run, const QString& called = {});

/// "takes 96.0 ms where Lemma 1 would allow 90.0 ms"; empty if the plan keeps every bound that comes with it.
QString excessOver(const Guarantee& guarantee, const PlanRun& run);
/// The first guarantee that the plan does not keep, or nullptr.
const Guarantee* exceededGuarantee(const PlanRun& run);

}  // namespace stagecraft::app::document
