#pragma once

#include "core/model/problem.h"
#include "core/model/recording.h"

#include <string>
#include <vector>

namespace stagecraft::recordings {

/// A problem on which a plan takes as long as it did, and what was changed for that.
struct Calibration {
    Problem problem;
    double recordedS = 0;              ///< an iteration, the median of those that count
    double beforeS = 0, afterS = 0;    ///< predicted with the problem as it was and as it is
    std::vector<std::string> changes;  ///< sentences
    double errorBefore() const { return recordedS > 0 ? beforeS / recordedS - 1 : 0; }
    double errorAfter() const { return recordedS > 0 ? afterS / recordedS - 1 : 0; }
};

/// Changes what the problem does not know exactly: layers of a stage take as much longer or shorter as the
/// stage's passes did on the median; each transfer takes what all took more than planned (transfer_overhead),
/// and no less than what was before and after those that were recorded themselves, and direct links between
/// devices of neighbouring stages have the rate that explains the rest; each pass takes the gap that usually
/// was before passes whose input was there (pass_overhead).
/// @throws std::invalid_argument, a sentence, where the plan cannot run, or the recording has no passes of
/// its stages
Calibration calibrated(const Problem& problem, const Plan& plan, const Recording& recording);

}  // namespace stagecraft::recordings
