#pragma once

#include "app/recording/report_panel.h"
#include "core/recordings/family_gains.h"
#include "core/recordings/findings.h"

namespace stagecraft::app::recording {

/// Where the link of "iteration" leads: to the chart of one that is typical.
inline constexpr const char* iterationLink = "iteration";

/// What a recording says by itself, beside its chart: which schedule it is, how long an iteration takes, and
/// why ranks were idle. Empty where no passes are known.
std::vector<ReportPart> findingParts(const Recording& recording,
                                     const stagecraft::recordings::RecordingFindings& findings);

/// The same in a line: "iteration 3.25 s as recorded · busiest rank idle for 30.0 %".
QString findingSummary(const stagecraft::recordings::RecordingFindings& findings);

/// Which other schedules are predicted to take less time.
/// @param linked each is a link, its number, that adds its plan
ReportPart gainsPart(const stagecraft::recordings::TellingGains& told,
                     const stagecraft::recordings::RecordingFindings& findings, bool linked);

}  // namespace stagecraft::app::recording
