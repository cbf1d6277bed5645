#pragma once

#include "app/recording/report_panel.h"
#include "core/model/problem.h"
#include "views/timeline/planned_outlines.h"

#include <memory>

namespace stagecraft::recordings {
struct Calibration;
}

namespace stagecraft::app::recording {

/// A recording against a plan, or against another recording: outlines over its blocks, and where the
/// difference comes from.
struct RunComparison {
    std::shared_ptr<const PlannedOutlines> outlines;
    ReportPart part;
};

/// From any thread.
RunComparison comparedWith(const PlanRun& plan, const RecordedRun& recorded);
RunComparison comparedWith(const RecordedRun& other, const RecordedRun& recorded);
/// How far the prediction was off, and is now; and what was changed for it.
ReportPart calibrationPart(const stagecraft::recordings::Calibration& made);

}  // namespace stagecraft::app::recording
