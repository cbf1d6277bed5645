#pragma once

#include "core/analysis/idle_cause.h"
#include "core/model/chart_note.h"
#include "views/timeline/block_hits.h"
#include "views/timeline/busy_curve.h"
#include "views/timeline/chart_data.h"
#include "views/timeline/lane_rows.h"
#include "views/timeline/planned_outlines.h"
#include "views/timeline/time_axis.h"

#include <QRectF>

#include <memory>
#include <optional>
#include <vector>

namespace stagecraft::views::timeline {

/// An arrow from the end of one block to the start of one that waits for it.
struct BlockArrow {
    std::uint32_t from = noBlock;
    std::uint32_t to = noBlock;
    bool operator==(const BlockArrow&) const = default;
};

/// Pixels; ends of what is further out from the area than this are drawn as if they stood there.
inline constexpr double farOutside = 4000;

/// What a Gantt chart shows at the moment.
struct GanttScene {
    std::shared_ptr<const ChartData> data;
    std::vector<LaneRow> rows;
    std::vector<int> rowOfLane;  ///< -1 for lanes without a row
    int scroll = 0;              ///< pixels of the contents above the upper edge
    bool communication = true;   ///< lanes of channels, AllReduce and host links have rows
    bool criticalPath = false;
    bool bubbles = true;
    std::uint32_t selected = noBlock;
    std::vector<BlockArrow> arrows;                  ///< of the selected block; both ends have rows
    std::vector<WeightArrow> weightArrows;           ///< likewise
    std::shared_ptr<const ColouredBlocks> coloured;  ///< null: by kind
    bool predictions = false;                        ///< arrows of all that are in view
    std::optional<double> stepS;                     ///< what comes after this instant is faint
    std::shared_ptr<const IdleCause> idle;           ///< a stretch that was asked about
    std::shared_ptr<const BlockHits> hits;           ///< of a search: the rest is faint; null: none
    std::shared_ptr<const PlannedOutlines> planned;  ///< over what was recorded; null: none
    bool onlyHits = false;                           ///< the rest is hidden
    /// By LaneRow::group; null until it is known.
    std::vector<std::shared_ptr<const BusyCurve>> groupCurves;
    std::vector<ChartNote> notes;  ///< by time
    int chosenNote = -1;
    double tickSpacing = timeTickSpacing;  ///< of the grid, which goes with the axis: pixels at least

    void setRows(std::vector<LaneRow> all);
    const Timeline& timeline() const { return data->timeline(); }
    const BusyLevels& levels() const { return coloured ? coloured->busy : data->busy; }
    const BlockClasses& classes() const;
    /// Where nothing was found nothing is hidden.
    bool hidesRest() const { return onlyHits && hits && !hits->blocks().empty(); }
    bool hides(std::uint32_t block) const { return hidesRest() && !hits->has(block); }
    const LaneRow* rowOf(std::uint32_t block) const;
    bool isSeen(const LaneRow& row, const QRect& area) const {
        return row.top - scroll < area.height() && row.bottom() > scroll;
    }
    /// The same for rows that show the blocks of a lane.
    bool isInView(const LaneRow& row, const QRect& area) const { return row.lane >= 0 && isSeen(row, area); }
    /// Where a block is drawn, not clipped; empty if its lane has no row. A mark of an update has a width.
    QRectF blockRect(std::uint32_t block, const QRect& area, const TimeAxis& axis) const;
};

}  // namespace stagecraft::views::timeline
