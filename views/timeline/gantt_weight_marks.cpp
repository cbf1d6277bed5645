#include "views/timeline/gantt_weight_marks.h"

#include "views/common/theme.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace stagecraft::views {

namespace {

constexpr double leastMarkSpacing = 6;  // pixels between updates of a lane that are told apart
constexpr std::size_t mostFlags = 600;  // more updates in view are plain lines
constexpr double flagWidth = 7, flagHeight = 5;
constexpr double leastTagWidth = 46;  // of the block beside an update, so that the tag hides no number
constexpr int leastTagHeight = 24;    // of the lane
constexpr int tagPixels = 10;
constexpr double bellwetherSide = 7;
constexpr double leastBellwetherWidth = 11;
constexpr std::size_t mostArrows = 150;  // more cannot be told apart

using Blocks = std::vector<std::uint32_t>;

/// Those of `blocks`, ascending in a lane, that start in view.
std::pair<Blocks::const_iterator, Blocks::const_iterator> inView(const Timeline& timeline,
                                                                 const Blocks& blocks, const TimeAxis& axis) {
    const auto before = [&](std::uint32_t block, double timeS) { return timeline.startS[block] < timeS; };
    auto first = std::lower_bound(blocks.begin(), blocks.end(), axis.t0, before);
    if (first != blocks.begin()) --first;  // it may reach into view
    return {first, std::lower_bound(first, blocks.end(), axis.t1, before)};
}

void paintTag(QPainter& painter, QPointF bottomRight, const QString& text) {
    const Theme& theme = Theme::current();
    QRectF tag(painter.fontMetrics().boundingRect(text));
    tag.setWidth(painter.fontMetrics().horizontalAdvance(text));
    tag.adjust(-3, 0, 3, 0);
    tag.moveBottomRight(bottomRight);
    painter.fillRect(tag, theme.text);
    painter.setPen(theme.surface);
    painter.drawText(tag, Qt::AlignCenter, text);
}

struct ArrowEnds {
    QPointF start, tip;
};

/// Arrows of predictions leave at the start of their pass, where the prediction is made; others at the end of
/// what they come from.
ArrowEnds endsOf(const GanttScene& scene, const WeightArrow& arrow, const QRect& area, const TimeAxis& axis) {
    const Timeline& timeline = scene.timeline();
    const bool predicts = arrow.kind == WeightArrow::Kind::prediction;
    const QRectF from = scene.blockRect(arrow.from, area, axis), to = scene.blockRect(arrow.to, area, axis);
    const auto bounded = [&](double timeS) {
        return std::clamp(axis.toX(timeS), area.left() - farOutside, area.right() + farOutside);
    };
    const double x0 = bounded(predicts ? timeline.startS[arrow.from] : timeline.endS[arrow.from]);
    const double x1 = bounded(timeline.startS[arrow.to]);
    if (scene.rowOf(arrow.from) == scene.rowOf(arrow.to)) {
        // Near the upper edge of the lane, which leaves its numbers free; neighbours at different heights.
        const double step = std::min(4.0, from.height() / 10);
        const double y = from.top() + step * (1 + timeline.iteration[arrow.from] % 3);
        return {{x0, y}, {x1, y}};
    }
    const bool up = to.top() < from.top();
    return {{x0, up ? from.top() + 2 : from.bottom() - 2}, {x1, up ? to.bottom() : to.top()}};
}

void paintWeightArrow(QPainter& painter, const ArrowEnds& ends, WeightArrow::Kind kind) {
    const QPointF way = ends.tip - ends.start;
    const double length = std::hypot(way.x(), way.y());
    if (length < 1) return;
    const QPointF along = way / length, across(-along.y() * 3.5, along.x() * 3.5);
    const QPointF neck = ends.tip - 8 * along;
    const QColor colour = weightArrowColour();
    painter.setPen(QPen(Theme::current().surface, 3.5));
    painter.drawLine(ends.start, neck);
    painter.setPen(QPen(colour, 1.6, kind == WeightArrow::Kind::kept ? Qt::DashLine : Qt::SolidLine));
    painter.drawLine(ends.start, neck);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawPolygon(QPolygonF({ends.tip, neck + across, neck - across}));
    if (kind == WeightArrow::Kind::prediction) painter.drawEllipse(ends.start, 2.5, 2.5);
}

/// Predictions that span a part of what is in view; more than `mostArrows` + 1 are not looked for.
std::vector<WeightArrow> predictionsInView(const GanttScene& scene, const QRect& area, const TimeAxis& axis) {
    const Timeline& timeline = scene.timeline();
    const auto& all = scene.data->predictions;
    const auto before = [&](const PredictionArrow& arrow, double timeS) {
        return timeline.startS[arrow.from] < timeS;
    };
    // Made by the step and to come true after it.
    const double beginS = std::max(axis.t0, scene.stepS.value_or(axis.t0));
    const double endS = std::min(axis.t1, scene.stepS.value_or(axis.t1));
    std::vector<WeightArrow> found;
    for (auto it = std::lower_bound(all.begin(), all.end(), beginS - scene.data->longestPredictionS, before);
         it != all.end() && timeline.startS[it->from] <= endS && found.size() <= mostArrows; ++it) {
        if (timeline.startS[it->toUpdate] < beginS) continue;
        const LaneRow *from = scene.rowOf(it->from), *to = scene.rowOf(it->toUpdate);
        if (from && to && (scene.isInView(*from, area) || scene.isInView(*to, area)))
            found.push_back({WeightArrow::Kind::prediction, it->from, it->toUpdate});
    }
    return found;
}

void tellTooMany(QPainter& painter, const QRect& area) {
    const Theme& theme = Theme::current();
    const QString text =
        QStringLiteral("Too many predictions to show their arrows: zoom in or select a block");
    QRectF label(painter.fontMetrics().boundingRect(text));
    label.adjust(-8, -4, 8, 4);
    label.moveTopRight(QPointF(area.right() - 8, area.top() + 8));
    painter.setBrush(theme.raised);
    painter.setPen(theme.line);
    painter.drawRect(label);
    painter.setPen(theme.text);
    painter.drawText(label, Qt::AlignCenter, text);
}

}  // namespace

QColor weightArrowColour() {
    return Theme::current().dark ? QColor(0xFF, 0x6B, 0x8B) : QColor(0xC4, 0x15, 0x3F);
}

void drawUpdateMark(QPainter& painter, QPointF top, double height) {
    const Theme& theme = Theme::current();
    painter.fillRect(QRectF(top.x() - 1.5, top.y(), 3, height), theme.surface);
    painter.fillRect(QRectF(top.x() - 0.75, top.y(), 1.5, height), theme.text);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.text);
    painter.drawPolygon(QPolygonF(
        {top + QPointF(-flagWidth / 2, 0), top + QPointF(flagWidth / 2, 0), top + QPointF(0, flagHeight)}));
}

void drawBellwether(QPainter& painter, QPointF corner, double side, const QColor& colour) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawPolygon(QPolygonF({corner, corner + QPointF(side, 0), corner + QPointF(0, side)}));
}

void paintUpdates(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis) {
    const Timeline& timeline = scene.timeline();
    std::vector<std::uint32_t> shown;
    for (const LaneRow& row : scene.rows) {
        if (!scene.isInView(row, area)) continue;
        const Blocks& updates = scene.data->marks[static_cast<std::size_t>(row.lane)].updates;
        const auto [first, last] = inView(timeline, updates, axis);
        if (area.width() >= leastMarkSpacing * static_cast<double>(last - first))
            shown.insert(shown.end(), first, last);
    }
    if (shown.size() > mostFlags) {
        painter.setRenderHint(QPainter::Antialiasing, false);
        for (const std::uint32_t update : shown) {
            const QRectF mark = scene.blockRect(update, area, axis);
            painter.fillRect(QRectF(std::floor(mark.center().x()), mark.top(), 1, mark.height()),
                             Theme::current().text);
        }
        return;
    }
    painter.setRenderHint(QPainter::Antialiasing, true);
    QFont font = painter.font();
    font.setPixelSize(tagPixels);
    painter.setFont(font);
    for (const std::uint32_t update : shown) {
        const QRectF mark = scene.blockRect(update, area, axis);
        drawUpdateMark(painter, {mark.center().x(), mark.top()}, mark.height());
        const double room = update > 0 ? scene.blockRect(update - 1, area, axis).width() : 0;
        if (mark.height() >= leastTagHeight && room >= leastTagWidth)
            paintTag(painter, {mark.center().x() - 0.75, mark.bottom()},
                     QString::number(timeline.iteration[update]));
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void paintBellwethers(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis) {
    const Timeline& timeline = scene.timeline();
    const auto classes = scene.classes().column(timeline);
    painter.setRenderHint(QPainter::Antialiasing, true);
    for (const LaneRow& row : scene.rows) {
        if (!scene.isInView(row, area)) continue;
        const Blocks& blocks = scene.data->marks[static_cast<std::size_t>(row.lane)].bellwethers;
        const auto [first, last] = inView(timeline, blocks, axis);
        if (area.width() < (last - first) * leastBellwetherWidth) continue;
        for (auto block = first; block != last; ++block) {
            const QRectF where = scene.blockRect(*block, area, axis);
            if (where.width() < leastBellwetherWidth) continue;
            const QColor fill = scene.classes().shownColour(classes[*block]);
            drawBellwether(painter, where.topLeft() + QPointF(1, 1),
                           std::min(bellwetherSide, where.height() / 2), readableOn(fill));
        }
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void paintWeightArrows(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis) {
    std::vector<WeightArrow> all;
    const bool own = scene.selected != noBlock && !scene.weightArrows.empty();
    if (!own && scene.predictions) all = predictionsInView(scene, area, axis);
    painter.setRenderHint(QPainter::Antialiasing, true);
    if (all.size() > mostArrows)
        tellTooMany(painter, area);
    else
        for (const WeightArrow& arrow : own ? scene.weightArrows : all)
            paintWeightArrow(painter, endsOf(scene, arrow, area, axis), arrow.kind);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

}  // namespace stagecraft::views
