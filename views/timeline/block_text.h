#pragma once

#include "views/timeline/chart_data.h"

#include <QString>

#include <optional>
#include <utility>
#include <vector>

namespace stagecraft::views::timeline {

/// Everything about a block as rich text for the card under the pointer. `slackS`: nothing while it is not
/// known. `more`: names and values of other rows.
QString blockCard(const ChartData& data, std::uint32_t block, std::optional<double> slackS = {},
                  const std::vector<std::pair<QString, QString>>& more = {});
/// The same in one line, for a status bar.
QString blockLine(const ChartData& data, std::uint32_t block);
/// What waits for what, in words: "waited for backward of microbatch 2 on stage 1 (its input came then)".
QString waitText(const ChartData& data, std::uint32_t block);
/// The weights that a pass uses, or that an update makes: "version 3, predicted 2 updates ahead". Empty for
/// other blocks and for plans whose mini-batches do not overlap.
QString weightsText(const ChartData& data, std::uint32_t block);
/// "none", "2 updates", "over-predicted by 1 update"; empty as above, and for updates.
QString stalenessText(const ChartData& data, std::uint32_t block);
/// What one pixel holds where blocks are too short to be pointed at: shares of busy time from t0S to t1S.
QString shareCard(const ChartData& data, int lane, double t0S, double t1S);

}  // namespace stagecraft::views::timeline
