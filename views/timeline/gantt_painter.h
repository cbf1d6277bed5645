#pragma once

#include "core/analysis/idle_cause.h"
#include "core/model/chart_note.h"
#include "views/timeline/block_hits.h"
#include "views/timeline/block_raster.h"
#include "views/timeline/busy_curve.h"
#include "views/timeline/chart_data.h"
#include "views/timeline/lane_rows.h"
#include "views/timeline/time_axis.h"

#include <QFont>
#include <QRectF>
#include <QStaticText>

#include <memory>
#include <optional>
#include <vector>

class QPainter;

namespace stagecraft {

/// An arrow from the end of one block to the start of one that waits for it.
struct BlockArrow {
    std::uint32_t from = noBlock;
    std::uint32_t to = noBlock;
    bool operator==(const BlockArrow&) const = default;
};

/// Pixels from the area within which coordinates are kept: painters count in fixed point far out.
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
    /// By LaneRow::group; null until it is known.
    std::vector<std::shared_ptr<const BusyCurve>> groupCurves;
    std::vector<ChartNote> notes;  ///< by time
    int chosenNote = -1;

    const Timeline& timeline() const { return data->timeline(); }
    const BusyLevels& levels() const { return coloured ? coloured->busy : data->busy; }
    const BlockClasses& classes() const;
    const LaneRow* rowOf(std::uint32_t block) const;
    bool isSeen(const LaneRow& row, const QRect& area) const {
        return row.top - scroll < area.height() && row.bottom() > scroll;
    }
    /// The same for rows that show the blocks of a lane.
    bool isInView(const LaneRow& row, const QRect& area) const { return row.lane >= 0 && isSeen(row, area); }
    /// Where a block is drawn, not clipped; empty if its lane has no row. A mark of an update has a width.
    QRectF blockRect(std::uint32_t block, const QRect& area, const TimeAxis& axis) const;
};

class GanttPainter {
public:
    /// @param enlarged how many times larger than usual the text in blocks is
    void setFont(const QFont& font, double enlarged = 1);
    void paint(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis);

private:
    struct Label {
        QPointF position;
        std::size_t text;
    };

    void paintBlocks(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis);
    void findLeastWidth(const GanttScene& scene);
    void collectLabel(const GanttScene& scene, std::uint32_t block, const QRectF& visible);
    void paintLabels(QPainter& painter);
    std::size_t textOf(std::uint32_t block, const Timeline& timeline) const;
    const QStaticText& label(std::size_t text);

    QFont font_;
    BlockNumbers numbers_;
    std::weak_ptr<const ChartData> textsOf_;           ///< whose numbers are in texts_
    std::vector<std::unique_ptr<QStaticText>> texts_;  ///< words first, then numbers of passes
    struct UprightLabel {
        QPointF centre;
        std::size_t text;
        QColor colour;
    };
    std::vector<Label> onLight_, onDark_;
    std::vector<UprightLabel> upright_;  ///< in blocks that are narrow and high
    double leastNumberWidth_ = 0;
    std::vector<float> shares_;
    std::vector<int> seams_;
    QImage image_;
};

/// Start-up, steady state and drain, in the band above the lanes; the part over which the time per mini-batch
/// is measured has a bracket.
void paintPhases(QPainter& painter, const GanttScene& scene, const QRect& band, const TimeAxis& axis);
/// Updates that take no time, and the first pass of each mini-batch where it foretells weights.
void paintUpdates(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis);
void paintBellwethers(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis);
/// Of the selected block; without one and with `scene.predictions` all that are in view, if they are few
/// enough to be told apart. In a scene that is stepped through: those that are still to come true.
void paintWeightArrows(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis);
/// What has not begun by the step is faint, what runs is outlined.
void paintStep(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis);
/// Signs that the chart and its legend share.
void drawUpdateMark(QPainter& painter, QPointF top, double height);
void drawBellwether(QPainter& painter, QPointF corner, double side, const QColor& colour);
QColor weightArrowColour();

/// All but what was found is faint.
void paintHits(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis);
/// A line between the rows that are pinned and those that scroll.
void paintPinnedEdge(QPainter& painter, const GanttScene& scene, const QRect& area);
/// How busy servers are whose lanes are collapsed.
void paintHeatBands(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis);
/// Flags in the band above the lanes, and lines down to what they are about.
void paintNotes(QPainter& painter, const GanttScene& scene, const QRect& band, const QRect& area,
                const TimeAxis& axis);
/// Where the flags stand, in the order of the notes; a flag has as much of its text as fits before the next.
std::vector<QRectF> noteFlags(const GanttScene& scene, const QRect& band, const TimeAxis& axis,
                              const QFont& font);

/// Outlines of the critical path, with lines where it passes from one lane to another.
void paintCriticalPath(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis);
/// An idle stretch and the chain of blocks that it waits for, while the rest is faint.
void paintIdleCause(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis);
/// The selected block and its arrows.
void paintSelection(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis);

}  // namespace stagecraft
