#pragma once

#include "views/gantt/chart_data.h"

#include <QString>

namespace stagecraft {

/// Everything about a block as rich text for the card under the pointer.
QString blockCard(const ChartData& data, std::uint32_t block);
/// The same in one line, for a status bar.
QString blockLine(const ChartData& data, std::uint32_t block);
/// What waits for what, in words: "waited for backward of microbatch 2 on stage 1 (its input came then)".
QString waitText(const Timeline& timeline, std::uint32_t block);
/// What one pixel holds where blocks are too short to be pointed at: shares of busy time from t0S to t1S.
QString shareCard(const ChartData& data, int lane, double t0S, double t1S);

}  // namespace stagecraft
