#include "views/timeline/gantt_painter.h"

#include "views/common/text.h"
#include "views/common/theme.h"
#include "views/timeline/gantt_overlays.h"
#include "views/timeline/inside_overlay.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace stagecraft::views::timeline {

namespace {

constexpr QColor darkInk(0x11, 0x11, 0x11);
constexpr double leastSeamWidth = 3;  // pixels of a block that is told apart from the next
constexpr double labelPadding = 1;
constexpr int labelPixels = 11;
constexpr int leastLabelHeight = 13;  // of a lane whose blocks have labels of so many pixels
constexpr int widestCommonNumber = 99;
constexpr double leastUprightWidth = 10;
constexpr std::size_t mostUpright = 400;  // turned letters take the time of a frame to paint
/// Blocks are looked at one by one where a lane shows at most one to so many pixels.
constexpr std::uint32_t pixelsPerBlock = 3;

/// Of blocks without a number; the numbers come after them.
constexpr BlockKind wordKinds[] = {
    BlockKind::allReduce,       BlockKind::update,        BlockKind::gradientPass,
    BlockKind::reduceScatter,   BlockKind::allGather,     BlockKind::headInput,
    BlockKind::headBarrier,     BlockKind::headGradient,  BlockKind::embeddingOutput,
    BlockKind::embeddingReturn, BlockKind::communication, BlockKind::other};
constexpr std::size_t wordCount = std::size(wordKinds);

std::vector<bool> gridColumns(const TimeAxis& axis, double spacing, int columns, double scale) {
    std::vector<bool> grid(static_cast<std::size_t>(columns), false);
    for (const TimeTick& tick : timeTicks(axis, spacing)) {
        const auto column = static_cast<long>(std::floor((axis.toX(tick.timeS) - axis.x0) * scale));
        if (column >= 0 && column < columns) grid[static_cast<std::size_t>(column)] = true;
    }
    return grid;
}

}  // namespace

void GanttPainter::setFont(const QFont& font, double enlarged) {
    font_ = font;
    font_.setPixelSize(qRound(labelPixels * enlarged));
    texts_.clear();
}

const QStaticText& GanttPainter::label(std::size_t text) {
    if (text >= texts_.size()) texts_.resize(text + 1);
    auto& entry = texts_[text];
    if (!entry) {
        const int number = static_cast<int>(text - wordCount), slices = numbers_.slices();
        const int microbatch = number / slices, perBatch = numbers_.microbatches();
        if (text < wordCount) {
            entry = std::make_unique<QStaticText>(blockWord(wordKinds[text], false));
        } else if (text < firstPairText()) {
            entry = std::make_unique<QStaticText>(
                numbers_.text(microbatch / perBatch, microbatch % perBatch, number % slices));
        } else {
            entry = std::make_unique<QStaticText>(textBeyondNumbers(text - firstPairText()));
        }
        entry->setTextFormat(Qt::PlainText);
        entry->setPerformanceHint(QStaticText::AggressiveCaching);
        entry->prepare(QTransform(), font_);
    }
    return *entry;
}

QString GanttPainter::textBeyondNumbers(std::size_t text) const {
    const Timeline& timeline = textsOf_.lock()->timeline();
    if (text < timeline.pairs.size()) return numbers_.text(timeline, timeline.pairs[text].block);
    return briefLabel(qtText(timeline.labels[text - timeline.pairs.size()]));
}

std::size_t GanttPainter::firstPairText() const {
    return wordCount + static_cast<std::size_t>(numbers_.miniBatches()) *
                           static_cast<std::size_t>(numbers_.microbatches() * numbers_.slices());
}

std::size_t GanttPainter::textOf(std::uint32_t block, const Timeline& timeline) const {
    const int microbatch = timeline.microbatch[block];
    if (const PairedBackward* pair = timeline.pairedWith(block))
        return firstPairText() + static_cast<std::size_t>(pair - timeline.pairs.data());
    if (const int label = timeline.label.empty() ? -1 : timeline.label[block];
        label >= 0 && passKind(timeline.kind[block]).role == PassRole::other)
        return firstPairText() + timeline.pairs.size() + static_cast<std::size_t>(label);
    if (microbatch < 0 || passKind(timeline.kind[block]).role == PassRole::reduces)
        return static_cast<std::size_t>(std::ranges::find(wordKinds, timeline.kind[block]) -
                                        std::begin(wordKinds));
    return numberOf(timeline.iteration[block], microbatch, timeline.sliceOf(block));
}

std::size_t GanttPainter::numberOf(int miniBatch, int microbatch, int slice) const {
    const std::size_t whole =
        static_cast<std::size_t>(std::max(0, miniBatch)) * static_cast<std::size_t>(numbers_.microbatches()) +
        static_cast<std::size_t>(microbatch);
    return whole * static_cast<std::size_t>(numbers_.slices()) + static_cast<std::size_t>(slice) + wordCount;
}

/// A block that has room for 9 but not for 10 has no number, lest they stop in the middle of a lane.
void GanttPainter::findLeastWidth(const GanttScene& scene) {
    if (textsOf_.lock() != scene.data) texts_.clear();
    textsOf_ = scene.data;
    numbers_ = scene.data->numbers;
    const int miniBatch = std::min(numbers_.miniBatches() - 1, widestCommonNumber);
    const int microbatch = std::min(numbers_.microbatches() - 1, widestCommonNumber);
    const auto widest = static_cast<std::size_t>(miniBatch * numbers_.microbatches() + microbatch);
    leastNumberWidth_ = label(widest + wordCount).size().width() + 2 * labelPadding;
}

void GanttPainter::paint(QPainter& painter, const GanttScene& scene, const QRect& area,
                         const TimeAxis& axis) {
    onLight_.clear();
    onDark_.clear();
    coming_.clear();
    upright_.clear();
    findLeastWidth(scene);
    painter.save();
    painter.setClipRect(area, Qt::IntersectClip);
    paintBlocks(painter, scene, area, axis);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setFont(font_);
    if (scene.data->inside.any()) paintInsides(painter, scene, area, axis);
    paintLabels(painter);
    if (!scene.rows.empty() && scene.rows.front().pinned) paintPinnedEdge(painter, scene, area);
    if (!scene.groupCurves.empty()) paintHeatBands(painter, scene, area, axis);
    if (scene.planned) paintPlanned(painter, scene, area, axis);
    if (scene.hits) paintHits(painter, scene, area, axis);
    if (scene.data->runsOn() && !scene.hidesRest()) {
        paintBellwethers(painter, scene, area, axis);
        paintUpdates(painter, scene, area, axis);
    }
    if (scene.stepS) {
        paintStep(painter, scene, area, axis);
        paintComing(painter);
    }
    if (scene.criticalPath) paintCriticalPath(painter, scene, area, axis);
    if (scene.data->runsOn()) paintWeightArrows(painter, scene, area, axis);
    if (scene.idle) paintIdleCause(painter, scene, area, axis);
    if (scene.selected != noBlock) {
        const QPainterPath covered = paintSelection(painter, scene, area, axis);
        const bool veiled = scene.hits || scene.idle;
        if (!veiled) freeLabels(painter, area, covered);
    }
    painter.restore();
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
    BlockRaster raster(image_, RasterColours::current(scene.classes()),
                       gridColumns(axis, scene.tickSpacing, columns, scale), pixelScale);
    raster.fillBackground();

    const double columnS = axis.spanS() / columns;
    const int startColumn =
        std::clamp(static_cast<int>((scene.data->startS - axis.t0) / columnS), 0, columns);
    const int endColumn = std::clamp(static_cast<int>((scene.data->endS - axis.t0) / columnS), 0, columns);
    for (const LaneRow& row : scene.rows) {
        const int top = row.top - scene.scroll;
        if (!scene.isInView(row, area)) continue;
        const Lane& lane = timeline.lanes[static_cast<std::size_t>(row.lane)];
        const BusyLevels& busy = scene.levels();
        busy.columnShares(timeline, row.lane, axis.t0, columnS, columns, shares_, scene.classes());

        seams_.clear();
        std::uint32_t first = busy.firstFrom(timeline, row.lane, axis.t0);
        if (const std::uint32_t before = lastTaking(timeline, lane, first); before != noBlock) first = before;
        const std::uint32_t last = busy.firstFrom(timeline, row.lane, axis.t1);
        if ((last - first) * pixelsPerBlock <= static_cast<std::uint32_t>(columns)) {
            for (std::uint32_t block = first; block < last; ++block) {
                const double left = axis.toX(timeline.startS[block]), right = axis.toX(timeline.endS[block]);
                if (right - left < leastSeamWidth || right <= area.left()) continue;
                const auto column = static_cast<int>(std::floor((left - area.left()) * scale));
                const std::uint32_t before = lastTaking(timeline, lane, block);
                if (column >= 0 && before != noBlock &&
                    timeline.startS[block] - timeline.endS[before] < columnS)
                    seams_.push_back(column);
                if (row.height * labelPixels < font_.pixelSize() * leastLabelHeight) continue;
                const double from = std::max(left, double(area.left())),
                             to = std::min(right, area.right() + 1.0);
                collectLabel(scene, block, QRectF(from, area.top() + top, to - from, row.height));
            }
        }
        const bool hatched = scene.bubbles && lane.kind == LaneKind::compute;
        raster.paintLane(qRound(top * scale), qRound(row.height * scale), busy.classes(row.lane), shares_,
                         seams_, hatched ? startColumn : columns, endColumn);
    }
    image_.setDevicePixelRatio(1);
    painter.drawImage(QRectF(area), image_, QRectF(image_.rect()));
}

void GanttPainter::collectLabel(const GanttScene& scene, std::uint32_t block, const QRectF& visible) {
    const Timeline& timeline = scene.timeline();
    const bool isPass = timeline.microbatch[block] >= 0;
    const auto ink = [&] {
        return readableOn(scene.classes().shownColour(scene.classes().column(timeline)[block]));
    };
    if (visible.width() < (isPass ? leastNumberWidth_ : 2.0 * font_.pixelSize())) {
        const bool fits = visible.width() >= leastUprightWidth && visible.height() > leastNumberWidth_ + 4;
        if (isPass && fits && (numbers_.severalMiniBatches() || numbers_.slices() > 1))
            upright_.push_back({visible.center(), textOf(block, timeline), ink()});
        return;
    }
    const bool comes = scene.stepS && timeline.startS[block] > *scene.stepS;
    const auto add = [&](std::size_t text, const QRectF& place, const QColor& colour) {
        addLabel(text, place, comes ? coming_ : colour == QColor(Qt::white) ? onDark_ : onLight_);
    };
    const PairedBackward* pair = timeline.pairedWith(block);
    if (!pair || visible.height() < 2 * font_.pixelSize() + 4)
        return add(textOf(block, timeline), visible, ink());
    // Each of its numbers in its half.
    const double half = visible.height() / 2;
    const auto [forward, backward] =
        scene.classes().shownPairColours(scene.classes().column(timeline)[block]);
    add(numberOf(timeline.iteration[block], timeline.microbatch[block]), visible.adjusted(0, 0, 0, -half),
        readableOn(forward));
    add(numberOf(timeline.iteration[block], pair->microbatch), visible.adjusted(0, half, 0, 0),
        readableOn(backward));
}

void GanttPainter::addLabel(std::size_t text, const QRectF& place, std::vector<Label>& labels) {
    const QSizeF size = label(text).size();
    if (size.width() + 2 * labelPadding > place.width()) return;
    const QPointF corner(std::round(place.center().x() - size.width() / 2),
                         std::round(place.center().y() - size.height() / 2));
    labels.push_back({corner, text});
}

/// On the veil over what has not begun, so that they can be read in either theme.
void GanttPainter::paintComing(QPainter& painter) {
    painter.setFont(font_);
    painter.setPen(Theme::current().mutedText);
    for (const Label& it : coming_) painter.drawStaticText(it.position, *texts_[it.text]);
}

void GanttPainter::paintLabels(QPainter& painter) {
    painter.setFont(font_);
    for (const auto* labels : {&onLight_, &onDark_}) {
        painter.setPen(labels == &onLight_ ? darkInk : QColor(Qt::white));
        for (const Label& it : *labels) painter.drawStaticText(it.position, *texts_[it.text]);
    }
    if (upright_.size() > mostUpright) return;
    const QTransform level = painter.transform();
    for (const UprightLabel& it : upright_) {
        painter.setPen(it.colour);
        painter.translate(it.centre);
        painter.rotate(-90);
        painter.drawText(QRectF(-50, -50, 100, 100), Qt::AlignCenter, label(it.text).text());
        painter.setTransform(level);
    }
}

void GanttPainter::freeLabels(QPainter& painter, const QRect& area, const QPainterPath& covered) {
    if (covered.isEmpty()) return;
    const QRectF near = covered.boundingRect();
    const double scale = painter.deviceTransform().m11();
    painter.setFont(font_);
    const auto free = [&](const std::vector<Label>& labels, const QColor& ink, const QColor& veil) {
        painter.setPen(ink);
        for (const Label& it : labels) {
            const QRectF place(it.position, texts_[it.text]->size());
            if (!near.intersects(place) || !covered.intersects(place)) continue;
            painter.drawImage(place, image_,
                              QRectF((place.topLeft() - area.topLeft()) * scale, place.size() * scale));
            painter.fillRect(place, veil);
            painter.drawStaticText(it.position, *texts_[it.text]);
        }
    };
    free(onLight_, darkInk, Qt::transparent);
    free(onDark_, Qt::white, Qt::transparent);
    free(coming_, Theme::current().mutedText, comingVeil());
}

}  // namespace stagecraft::views::timeline
