#include "views/gantt/gantt_painter.h"

#include "views/common/theme.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace stagecraft {

namespace {

constexpr double tickSpacing = 110;   // as the axis above
constexpr double leastSeamWidth = 3;  // pixels of a block that is told apart from the next
constexpr double labelPadding = 1;
constexpr int leastLabelHeight = 13;
constexpr int labelPixels = 11;
constexpr int widestCommonNumber = 99;
/// Blocks are looked at one by one where a lane shows at most one to so many pixels.
constexpr std::uint32_t pixelsPerBlock = 3;

constexpr const char* words[] = {"AllReduce", "update"};
constexpr std::size_t wordCount = std::size(words);

std::vector<bool> gridColumns(const TimeAxis& axis, int columns, double scale) {
    std::vector<bool> grid(static_cast<std::size_t>(columns), false);
    for (const TimeTick& tick : timeTicks(axis, tickSpacing)) {
        const auto column = static_cast<long>(std::floor((axis.toX(tick.timeS) - axis.x0) * scale));
        if (column >= 0 && column < columns) grid[static_cast<std::size_t>(column)] = true;
    }
    return grid;
}

}  // namespace

const LaneRow* GanttScene::rowOf(std::uint32_t block) const {
    const int row = rowOfLane[static_cast<std::size_t>(timeline().laneOf(block))];
    return row < 0 ? nullptr : &rows[static_cast<std::size_t>(row)];
}

QRectF GanttScene::blockRect(std::uint32_t block, const QRect& area, const TimeAxis& axis) const {
    const LaneRow* row = rowOf(block);
    if (!row) return {};
    const double left = axis.toX(timeline().startS[block]), right = axis.toX(timeline().endS[block]);
    return {left, double(area.top() + row->top - scroll), right - left, double(row->height)};
}

void GanttPainter::setFont(const QFont& font) {
    font_ = font;
    font_.setPixelSize(labelPixels);
    texts_.clear();
}

const QStaticText& GanttPainter::label(std::size_t text) {
    if (text >= texts_.size()) texts_.resize(text + 1);
    auto& entry = texts_[text];
    if (!entry) {
        entry = std::make_unique<QStaticText>(text < wordCount ? QString(words[text])
                                                               : QString::number(text - wordCount));
        entry->setTextFormat(Qt::PlainText);
        entry->setPerformanceHint(QStaticText::AggressiveCaching);
        entry->prepare(QTransform(), font_);
    }
    return *entry;
}

void GanttPainter::paint(QPainter& painter, const GanttScene& scene, const QRect& area,
                         const TimeAxis& axis) {
    onLight_.clear();
    onDark_.clear();
    // A block that has room for 9 but not for 10 has no number, lest they stop in the middle of a lane.
    const int microbatches = scene.data->run->costs->problem().setup.microbatches;
    const int widest = std::clamp(microbatches - 1, 0, widestCommonNumber);
    leastNumberWidth_ = label(static_cast<std::size_t>(widest) + wordCount).size().width() + 2 * labelPadding;
    paintBlocks(painter, scene, area, axis);
    painter.setRenderHint(QPainter::Antialiasing, false);
    paintLabels(painter);
    if (scene.criticalPath) paintCriticalPath(painter, scene, area, axis);
    if (scene.selected != noBlock) paintSelection(painter, scene, area, axis);
}

void GanttPainter::paintBlocks(QPainter& painter, const GanttScene& scene, const QRect& area,
                               const TimeAxis& axis) {
    const double scale = painter.deviceTransform().m11();
    const int pixelScale = std::max(1, qRound(scale));
    const QSize size(qRound(area.width() * scale), qRound(area.height() * scale));
    if (size.isEmpty()) return;
    if (image_.size() != size) image_ = QImage(size, QImage::Format_RGB32);
    const int columns = size.width();
    const Timeline& timeline = scene.timeline();
    BlockRaster raster(image_, RasterColours::current(), gridColumns(axis, columns, scale), pixelScale);
    raster.fillBackground();

    const double columnS = axis.spanS() / columns;
    const int endColumn = std::clamp(static_cast<int>((scene.data->endS - axis.t0) / columnS), 0, columns);
    for (const LaneRow& row : scene.rows) {
        const int top = row.top - scene.scroll;
        if (top >= area.height() || top + row.height <= 0) continue;
        const Lane& lane = timeline.lanes[static_cast<std::size_t>(row.lane)];
        const BusyLevels& busy = scene.data->busy;
        busy.columnShares(timeline, row.lane, axis.t0, columnS, columns, shares_);

        seams_.clear();
        std::uint32_t first = busy.firstFrom(timeline, row.lane, axis.t0);
        if (first > lane.firstBlock) --first;
        const std::uint32_t last = busy.firstFrom(timeline, row.lane, axis.t1);
        if ((last - first) * pixelsPerBlock <= static_cast<std::uint32_t>(columns)) {
            for (std::uint32_t block = first; block < last; ++block) {
                const double left = axis.toX(timeline.startS[block]), right = axis.toX(timeline.endS[block]);
                if (right - left < leastSeamWidth || right <= area.left()) continue;
                const auto column = static_cast<int>(std::floor((left - area.left()) * scale));
                if (column >= 0 && block > lane.firstBlock &&
                    timeline.startS[block] - timeline.endS[block - 1] < columnS)
                    seams_.push_back(column);
                if (row.height < leastLabelHeight) continue;
                const double from = std::max(left, double(area.left())),
                             to = std::min(right, area.right() + 1.0);
                collectLabel(timeline, block, QRectF(from, area.top() + top, to - from, row.height));
            }
        }
        const bool hatched = scene.bubbles && lane.kind == LaneKind::compute;
        const double fromColumn =
            (scene.data->laneStartS[static_cast<std::size_t>(row.lane)] - axis.t0) / columnS;
        const int hatchFrom =
            hatched ? static_cast<int>(std::clamp(fromColumn, 0.0, double(columns))) : columns;
        raster.paintLane(qRound(top * scale), qRound(row.height * scale), busy.kinds(row.lane), shares_,
                         seams_, hatchFrom, endColumn);
    }
    image_.setDevicePixelRatio(1);
    painter.drawImage(QRectF(area), image_, QRectF(image_.rect()));
}

void GanttPainter::collectLabel(const Timeline& timeline, std::uint32_t block, const QRectF& visible) {
    const BlockKind kind = timeline.kind[block];
    const int microbatch = timeline.microbatch[block];
    if (visible.width() < (microbatch >= 0 ? leastNumberWidth_ : 2.0 * labelPixels)) return;
    const std::size_t text = microbatch >= 0                ? static_cast<std::size_t>(microbatch) + wordCount
                             : kind == BlockKind::allReduce ? 0
                                                            : 1;
    const QSizeF size = label(text).size();
    if (size.width() + 2 * labelPadding > visible.width()) return;
    const QPointF corner(std::round(visible.center().x() - size.width() / 2),
                         std::round(visible.center().y() - size.height() / 2));
    (readableOn(shownBlockColour(kind)) == QColor(Qt::white) ? onDark_ : onLight_).push_back({corner, text});
}

void GanttPainter::paintLabels(QPainter& painter) {
    painter.setFont(font_);
    for (const auto* labels : {&onLight_, &onDark_}) {
        painter.setPen(labels == &onLight_ ? QColor(0x11, 0x11, 0x11) : QColor(Qt::white));
        for (const Label& it : *labels) painter.drawStaticText(it.position, *texts_[it.text]);
    }
}

}  // namespace stagecraft
