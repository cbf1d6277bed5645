#pragma once

#include "views/gantt/block_raster.h"
#include "views/gantt/chart_data.h"
#include "views/gantt/lane_rows.h"
#include "views/gantt/time_axis.h"

#include <QFont>
#include <QRectF>
#include <QStaticText>

#include <memory>
#include <vector>

class QPainter;

namespace stagecraft {

/// An arrow from the end of one block to the start of one that waits for it.
struct BlockArrow {
    std::uint32_t from = noBlock;
    std::uint32_t to = noBlock;
    bool operator==(const BlockArrow&) const = default;
};

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
    std::vector<BlockArrow> arrows;  ///< of the selected block; both ends have rows

    const Timeline& timeline() const { return data->timeline(); }
    const LaneRow* rowOf(std::uint32_t block) const;
    /// Where a block is drawn, not clipped; empty if its lane has no row.
    QRectF blockRect(std::uint32_t block, const QRect& area, const TimeAxis& axis) const;
};

class GanttPainter {
public:
    void setFont(const QFont& font);
    void paint(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis);

private:
    struct Label {
        QPointF position;
        std::size_t text;
    };

    void paintBlocks(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis);
    void collectLabel(const Timeline& timeline, std::uint32_t block, const QRectF& visible);
    void paintLabels(QPainter& painter);
    const QStaticText& label(std::size_t text);

    QFont font_;
    std::vector<std::unique_ptr<QStaticText>> texts_;  ///< words first, then microbatch numbers
    std::vector<Label> onLight_, onDark_;
    double leastNumberWidth_ = 0;
    std::vector<float> shares_;
    std::vector<int> seams_;
    QImage image_;
};

/// Outlines of the critical path, with lines where it passes from one lane to another.
void paintCriticalPath(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis);
/// The selected block and its arrows.
void paintSelection(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis);

}  // namespace stagecraft
