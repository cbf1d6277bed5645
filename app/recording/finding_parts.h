#pragma once

#include "app/recording/report_panel.h"
#include "core/recordings/findings.h"

namespace stagecraft::app::recording {

/// What a recording says by itself, beside its chart: which schedule it is, how long an iteration takes, and
/// why ranks were idle. Empty where no passes are known.
std::vector<ReportPart> findingParts(const Recording& recording,
                                     const stagecraft::recordings::RecordingFindings& findings);

/// Which other schedules are predicted to take less time, from any thread. Empty where no plan can be made of
/// the recording.
ReportPart gainsPart(const Recording& recording, const WorkContext& context);

}  // namespace stagecraft::app::recording
