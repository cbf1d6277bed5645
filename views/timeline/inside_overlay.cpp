#include "views/timeline/inside_overlay.h"

#include "core/base/indices.h"
#include "views/common/colour_mixing.h"
#include "views/common/theme.h"
#include "views/timeline/block_raster.h"

#include <QFontInfo>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace stagecraft::views::timeline {

namespace {

constexpr double leastInsideWidth = 24;      // of a pass, in pixels
constexpr int leastInsideHeight = 20;        // of a lane
constexpr double shadeSteps = 8;             // of a column that sends part of its time
constexpr double leastHeightsOfWords = 1.6;  // of a line, above a strip with words
constexpr double heightsOfBoth = 3.5;        // that leave room for the pass's number above them
constexpr double numberRoom = 28;            // to either side of its middle, elsewhere
constexpr double sizeOfWords = 0.85;         // of that of numbers
constexpr double wordMargin = 6;             // beside a word, in pixels

double insideHeight(double blockHeight) { return std::clamp(std::round(blockHeight / 7), 3.0, 8.0); }

/// @param shares of the columns of `strip`, a pixel each
void paintStrip(QPainter& painter, const QRectF& strip, const std::vector<double>& shares,
                const QColor& block) {
    painter.fillRect(strip.adjusted(0, -1, 0, 0), Theme::current().surface);
    const auto shade = [&](std::size_t column) {
        return std::round(shares[column] * shadeSteps) / shadeSteps;
    };
    for (std::size_t from = 0; from < shares.size();) {
        std::size_t to = from + 1;
        while (to < shares.size() && shade(to) == shade(from)) ++to;
        const QRectF run(strip.left() + static_cast<double>(from), strip.top(),
                         static_cast<double>(to - from), strip.height());
        painter.fillRect(run & strip, laidOver(insideColour(), block, shade(from)));
        from = to;
    }
}

/// How it is sent, above the stretches of the strip that have room for the word.
void paintWords(QPainter& painter, const std::vector<InsideStep>& steps, const QRectF& whole,
                const QRectF& strip, const QColor& block) {
    const QFontMetricsF metrics(painter.font());
    if (whole.height() < strip.height() + leastHeightsOfWords * metrics.height()) return;
    const bool bothFit = whole.height() >= strip.height() + heightsOfBoth * metrics.height();
    const QRectF number(strip.center().x() - numberRoom, whole.top(), 2 * numberRoom, whole.height());
    painter.setPen(readableOn(block));
    for (const InsideStep& step : steps) {
        if (step.kind == InsideKind::computing) continue;
        const QRectF stretch =
            QRectF(whole.left() + step.from * whole.width(), strip.top() - metrics.height() - 1,
                   (step.to - step.from) * whole.width(), metrics.height()) &
            QRectF(strip.left(), whole.top(), strip.width(), whole.height());
        const QString word = QLatin1String(algorithmWord(step.by));
        if (stretch.width() < metrics.horizontalAdvance(word) + wordMargin) continue;
        if (bothFit || !stretch.intersects(number)) painter.drawText(stretch, Qt::AlignCenter, word);
    }
}

/// The blocks of the row's lane that are in view.
std::pair<std::uint32_t, std::uint32_t> blocksInView(const Timeline& timeline, const Lane& lane,
                                                     const TimeAxis& axis) {
    const auto first =
        std::partition_point(timeline.endS.begin() + lane.firstBlock, timeline.endS.begin() + lane.endBlock,
                             [&](double endS) { return endS <= axis.t0; });
    const auto last = std::partition_point(timeline.startS.begin() + lane.firstBlock,
                                           timeline.startS.begin() + lane.endBlock,
                                           [&](double startS) { return startS < axis.t1; });
    return {static_cast<std::uint32_t>(first - timeline.endS.begin()),
            static_cast<std::uint32_t>(last - timeline.startS.begin())};
}

}  // namespace

QColor insideColour() { return shownBlockColour(BlockKind::allReduce); }

void paintInsides(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis) {
    const InsideMarks& inside = scene.data->inside;
    const Timeline& timeline = scene.timeline();
    const auto classes = scene.classes().column(timeline);
    painter.save();
    QFont words = painter.font();
    words.setPixelSize(qRound(sizeOfWords * QFontInfo(words).pixelSize()));
    painter.setFont(words);
    for (const LaneRow& row : scene.rows) {
        if (!scene.isInView(row, area) || row.height < leastInsideHeight) continue;
        const Lane& lane = timeline.lanes[at(row.lane)];
        if (lane.kind != LaneKind::compute) continue;
        const auto [first, end] = blocksInView(timeline, lane, axis);
        if (end <= first || (end - first) * leastInsideWidth > 2.0 * area.width()) continue;
        for (std::uint32_t block = first; block < end; ++block) {
            const QRectF whole = scene.blockRect(block, area, axis);
            const QRectF seen = whole & QRectF(area);
            if (whole.width() < leastInsideWidth || seen.width() < 1) continue;
            const std::vector<InsideStep> steps = inside.of(timeline, block);
            if (steps.empty()) continue;
            const int columns = static_cast<int>(std::ceil(seen.width()));
            const double from = (seen.left() - whole.left()) / whole.width();
            const double height = insideHeight(whole.height());
            const QRectF strip(seen.left(), whole.bottom() - height - 1, seen.width(), height);
            const QColor colour = scene.classes().shownColour(classes[block]);
            paintStrip(painter, strip, sentShares(steps, from, from + columns / whole.width(), columns),
                       colour);
            paintWords(painter, steps, whole, strip, colour);
        }
    }
    painter.restore();
}

void paintInsideSample(QPainter& painter, const QRectF& block, const QColor& colour) {
    painter.fillRect(block, colour);
    std::vector<double> shares(static_cast<std::size_t>(block.width()));
    for (std::size_t column = 0; column < shares.size(); ++column) shares[column] = column % 8 < 4 ? 0 : 1;
    const double height = block.height() / 2;
    paintStrip(painter, QRectF(block.left(), block.bottom() - height, block.width(), height), shares, colour);
}

}  // namespace stagecraft::views::timeline
