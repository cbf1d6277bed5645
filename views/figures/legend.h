#pragma once

#include "views/figures/figure.h"

#include <functional>
#include <vector>

namespace stagecraft::views::figures {

struct LegendEntry {
    QString text;
    Fill fill;
    Stroke stroke;
    bool line = false;  ///< a stroke of its own rather than a box
    std::string role;
    std::function<void(Figure&, const QRectF& box)> sign;  ///< drawn instead of the box
    int place = 0;  ///< among all entries, ascending, whichever panel has them first
};

/// Places of entries that are listed after those of blocks.
inline constexpr int hatchPlace = 1000, bubblePlace = 1100, insidePlace = 1150, criticalPathPlace = 1200, weightsPlace = 1300;

/// Gives entries other words: "forward=F|backward=B|bubble=" (without any an entry is left out). Names that
/// no entry has mean nothing. @throws std::invalid_argument for a piece without "="
void renameEntries(std::vector<LegendEntry>& entries, const std::string& names);

/// The room for the text of an entry between these edges.
double legendTextRoomMm(double leftMm, double rightMm, double fontPt);
/// Adds the entries from (leftMm, topMm) on, none wider than to `rightMm`: in a row where they have room in one,
/// else in columns of equal width.
/// @return the height taken
double addLegend(Figure& figure, const std::vector<LegendEntry>& entries, double leftMm, double rightMm,
                 double topMm, double fontPt);

}  // namespace stagecraft::views::figures
