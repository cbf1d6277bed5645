#include "views/pattern/pattern_figure.h"

#include "core/base/units.h"
#include "core/simulation/pattern_unroll.h"
#include "views/common/theme.h"
#include "views/figures/figure_fills.h"
#include "views/figures/legend.h"
#include "views/figures/schedule_lanes.h"

#include <cmath>
#include <map>
#include <numbers>
#include <stdexcept>

namespace stagecraft::views::pattern {

namespace {

constexpr double linkShare = 0.62;  // of a processor's lane
constexpr double labelShare = 0.3;  // of the width, at most, for names
constexpr double padMm = 0.3;       // around text in a block
constexpr int cornerSteps = 4;

const QString bracketedShift = QStringLiteral("%1 (%2)");

/// The outline of a box with round corners at the ends asked for.
std::vector<QPointF> rounded(const QRectF& box, bool left, bool right) {
    const double radius = std::min(box.height() * 0.42, box.width() / 2);
    std::vector<QPointF> points;
    const auto corner = [&](QPointF centre, double fromDeg, QPointF sharp, bool round) {
        if (!round) return points.push_back(sharp);
        for (int i = 0; i <= cornerSteps; ++i) {
            const double angle = (fromDeg + 90.0 * i / cornerSteps) * std::numbers::pi / 180;
            points.push_back(centre + radius * QPointF(std::cos(angle), std::sin(angle)));
        }
    };
    const QRectF inner = box.adjusted(radius, radius, -radius, -radius);
    corner(inner.topLeft(), 180, box.topLeft(), left);
    corner(inner.topRight(), 270, box.topRight(), right);
    corner(inner.bottomRight(), 0, box.bottomRight(), right);
    corner(inner.bottomLeft(), 90, box.bottomLeft(), left);
    return points;
}

class PatternPainter {
public:
    PatternPainter(const PatternChart& chart, const PatternFigureOptions& options, const PatternLook& look)
        : chart_(chart), options_(options), look_(look), em_(mmOfPoints(options.fontPt)) {}

    PatternDrawing draw() {
        drawing_.figure.widthMm = options_.widthMm;
        drawing_.figure.title = QStringLiteral("Pattern");
        placeLanes();
        drawTicks();
        chooseNames();
        for (const PatternBlock& block : chart_.blocks) drawBlock(block);
        drawBatches();
        drawBrackets();
        double bottom = drawAxis();
        if (options_.legend) bottom = drawLegend(bottom + 0.5 * em_);
        drawing_.figure.heightMm = std::ceil(bottom * 10) / 10;
        return std::move(drawing_);
    }

private:
    Figure& figure() { return drawing_.figure; }

    QString labelOf(const PatternLane& lane) const {
        return lane.link || lane.named
                   ? lane.name
                   : lane.name + QStringLiteral(": ") + PatternChart::stagesText(lane, options_.firstStage);
    }

    QString batchesOf(const PatternLane& lane) const {
        if (lane.link) return {};
        if (lane.group() > 0) return QString::number(lane.group());
        QStringList each;
        for (std::size_t i = 0; i < lane.stages.size(); ++i)
            each << QStringLiteral("%1: %2").arg(lane.stages[i] + options_.firstStage).arg(lane.batches[i]);
        return each.join(QStringLiteral(", "));
    }

    void placeLanes() {
        const double labelMm = labelShare * options_.widthMm;
        double widest = 0, batches = textWidthMm(QStringLiteral("stored"), options_.fontPt);
        for (const PatternLane& lane : chart_.lanes) {
            widest = std::max(widest, textWidthMm(labelOf(lane), options_.fontPt));
            batches = std::max(batches, textWidthMm(batchesOf(lane), options_.fontPt));
        }
        const double bracket = 1.6 + textWidthMm(QStringLiteral("group 00"), options_.fontPt);
        batchesMm_ = options_.widthMm - bracket - batches - 0.6;
        bracketMm_ = options_.widthMm - bracket + 0.2;
        drawing_.time = {0, chart_.periodS, std::min(widest, labelMm) + 1.6, batchesMm_ - 1.6};
        const double height = options_.laneMm > 0 ? options_.laneMm : 2 * em_;
        double y = 1.9 * em_;
        for (const PatternLane& lane : chart_.lanes) {
            const double own = lane.link ? linkShare * height : height;
            const QRectF rect(drawing_.time.startMm, y, drawing_.time.endMm - drawing_.time.startMm, own);
            lanes_.push_back(rect);
            figure().add(FigureRectangle{rect, Fill{look_.lane}, {}, "lane"});
            figure().add(FigureText{{rect.left() - 1, rect.center().y()},
                                    cutToWidth(labelOf(lane), rect.left() - 1.2, options_.fontPt),
                                    options_.fontPt,
                                    TextAnchor::end,
                                    TextRise::middle,
                                    0,
                                    lane.link ? look_.muted : look_.ink});
            y += own + 0.22 * em_;
        }
        bottom_ = y;
    }

    void drawTicks() {
        const double room = drawing_.time.endMm - drawing_.time.startMm;
        ticks_ =
            timeTicks(0, chart_.periodS,
                      std::max(2, static_cast<int>(room / (3.2 * textWidthMm("000.0", options_.fontPt)))));
        const Stroke grid{look_.grid, 0.1, {}};
        for (const double value : ticks_.values)
            figure().add(FigureLine{{drawing_.time.at(value), 1.6 * em_},
                                    {drawing_.time.at(value), bottom_ + 0.3 * em_},
                                    grid,
                                    false,
                                    "grid"});
    }

    void drawBlock(const PatternBlock& block) {
        const QRectF& lane = lanes_[static_cast<std::size_t>(block.lane)];
        const double from = drawing_.time.at(block.fromS), to = drawing_.time.at(block.toS);
        const QRectF rect(from, lane.top(), std::max(to - from, 0.05), lane.height());
        drawing_.blocks.push_back(rect);
        const Fill fill = fillOf(block.kind);
        const Stroke edge{look_.ink, 0.1, {}};
        const bool open = block.toS < block.startS + block.durationS && !block.continued;
        if (isTransfer(block.kind))
            figure().add(FigurePolygon{rounded(rect, !block.continued, !open), true, fill, edge,
                                       blockKindName(block.kind)});
        else
            figure().add(FigureRectangle{rect, fill, edge, blockKindName(block.kind)});
        drawName(block, rect, fill);
    }

    /// "F2 (1)", or "(1)".
    QString nameOf(const PatternBlock& block, bool whole) const {
        if (!whole) return block.continued ? QString() : QStringLiteral("(%1)").arg(block.shift);
        const QString text = bracketedShift.arg(shortName(block, options_.firstStage)).arg(block.shift);
        return block.continued ? QChar(0x2026) + text : text;
    }

    /// Blocks of processors, and those of links, are named alike: whole where all that begin in the period
    /// have room.
    void chooseNames() {
        const double mmPerS = (drawing_.time.endMm - drawing_.time.startMm) / chart_.periodS;
        for (const PatternBlock& block : chart_.blocks)
            if (!block.continued && textWidthMm(nameOf(block, true), options_.numberPt) + padMm >
                                        (block.toS - block.fromS) * mmPerS)
                wholeNames_[isTransfer(block.kind)] = false;
    }

    void drawName(const PatternBlock& block, const QRectF& rect, const Fill& fill) {
        const double size = options_.numberPt;
        const QString text = nameOf(block, wholeNames_[isTransfer(block.kind)]);
        if (text.isEmpty() || textWidthMm(text, size) + padMm > rect.width()) return;
        const QPointF middle = rect.center();
        if (fill.hatch != Hatch::none) {
            const double wide = textWidthMm(text, size) + padMm, high = capHeightMm(size) + 2 * padMm;
            figure().add(FigureRectangle{QRectF(middle.x() - wide / 2, middle.y() - high / 2, wide, high),
                                         Fill{fill.colour},
                                         {},
                                         std::string(blockKindName(block.kind)) + " label"});
        }
        figure().add(
            FigureText{middle, text, size, TextAnchor::middle, TextRise::middle, 0, readableOn(fill.colour)});
    }

    void drawBatches() {
        const double middle = (batchesMm_ + bracketMm_) / 2 - 0.4;
        figure().add(FigureText{{middle, 0.35 * em_},
                                QStringLiteral("batches"),
                                options_.fontPt,
                                TextAnchor::middle,
                                TextRise::top,
                                0,
                                look_.muted});
        for (std::size_t i = 0; i < lanes_.size(); ++i) {
            const QString text = batchesOf(chart_.lanes[i]);
            if (text.isEmpty()) continue;
            figure().add(FigureText{{middle, lanes_[i].center().y()},
                                    text,
                                    options_.fontPt,
                                    TextAnchor::middle,
                                    TextRise::middle,
                                    0,
                                    look_.ink});
        }
    }

    void drawBrackets() {
        const Stroke stroke{look_.muted, 0.2, {}};
        for (std::size_t first = 0, last = 0; first < lanes_.size(); first = last + 1) {
            const int group = chart_.lanes[first].group();
            last = first;
            while (last + 1 < lanes_.size() && chart_.lanes[last + 1].group() == group) ++last;
            if (group == 0) continue;
            const double top = lanes_[first].top(), bottom = lanes_[last].bottom(), x = bracketMm_ + 0.7;
            figure().add(FigurePolygon{{{bracketMm_, top}, {x, top}, {x, bottom}, {bracketMm_, bottom}},
                                       false,
                                       {},
                                       stroke,
                                       "group"});
            figure().add(FigureText{{x + 0.6, (top + bottom) / 2},
                                    QStringLiteral("group %1").arg(group),
                                    options_.fontPt,
                                    TextAnchor::start,
                                    TextRise::middle,
                                    0,
                                    look_.muted});
        }
    }

    double drawAxis() {
        const double y = bottom_ + 0.3 * em_;
        figure().add(FigureLine{
            {drawing_.time.startMm, y}, {drawing_.time.endMm, y}, {look_.muted, 0.2, {}}, false, "axis"});
        const QString period = QStringLiteral("T = ") + QString::fromStdString(formatSeconds(chart_.periodS));
        const double room = textWidthMm(period, options_.fontPt);
        for (const double value : ticks_.values) {
            const double x = drawing_.time.at(value);
            const QString text = ticks_.label(value) + (value == 0 ? ' ' + ticks_.unitName : QString());
            if (x + textWidthMm(text, options_.fontPt) / 2 > drawing_.time.endMm - room / 2 - 1) continue;
            figure().add(FigureText{{x, y + 0.35 * em_},
                                    text,
                                    options_.fontPt,
                                    TextAnchor::middle,
                                    TextRise::top,
                                    0,
                                    look_.muted});
        }
        figure().add(FigureText{{drawing_.time.endMm, y + 0.35 * em_},
                                period,
                                options_.fontPt,
                                TextAnchor::middle,
                                TextRise::top,
                                0,
                                look_.ink,
                                true});
        for (const double x : {drawing_.time.startMm, drawing_.time.endMm})
            figure().add(FigureLine{{x, 1.6 * em_}, {x, y}, {look_.ink, 0.2, {}}, false, "period"});
        return y + 1.6 * em_;
    }

    double drawLegend(double top) {
        const std::size_t first = figure().items.size();
        top += addLegend(figure(), legend(), 0.4, options_.widthMm, top, options_.fontPt);
        for (std::size_t i = first; i < figure().items.size(); ++i)
            if (auto* text = std::get_if<FigureText>(&figure().items[i])) text->colour = look_.ink;
        return top;
    }

    Fill fillOf(BlockKind kind) const {
        Fill fill = blockFill(kind);
        if (!options_.hatches) fill.hatch = Hatch::none;
        return fill;
    }

    std::vector<LegendEntry> legend() const {
        std::vector<LegendEntry> entries;
        const std::pair<BlockKind, const char*> kinds[] = {
            {BlockKind::forward, "forward (index shift)"},
            {BlockKind::backward, "backward (index shift)"},
            {BlockKind::transferForward, "transfer forward"},
            {BlockKind::transferBackward, "transfer backward"}};
        for (const auto& [kind, text] : kinds) {
            const bool there = std::any_of(chart_.blocks.begin(), chart_.blocks.end(),
                                           [kind = kind](const PatternBlock& b) { return b.kind == kind; });
            if (there)
                entries.push_back({QLatin1String(text), fillOf(kind), {}, false, blockKindName(kind), {}});
        }
        renameEntries(entries, options_.legendNames);
        return entries;
    }

    const PatternChart& chart_;
    const PatternFigureOptions& options_;
    const PatternLook& look_;
    const double em_;
    PatternDrawing drawing_;
    std::vector<QRectF> lanes_;
    AxisTicks ticks_;
    bool wholeNames_[2] = {true, true};  ///< in blocks of processors, of links
    double batchesMm_ = 0, bracketMm_ = 0, bottom_ = 0;
};

}  // namespace

PatternDrawing drawPattern(const PatternChart& chart, const PatternFigureOptions& options,
                           const PatternLook& look) {
    return PatternPainter(chart, options, look).draw();
}

/// Where transfers take no time there is nothing to print of their links.
static void dropIdleLinks(PatternChart& chart) {
    std::vector<bool> used(chart.lanes.size(), false);
    for (const PatternBlock& block : chart.blocks)
        if (block.durationS > 0) used[static_cast<std::size_t>(block.lane)] = true;
    std::vector<int> newIndex;
    std::vector<PatternLane> lanes;
    for (std::size_t i = 0; i < chart.lanes.size(); ++i) {
        newIndex.push_back(static_cast<int>(lanes.size()));
        if (used[i] || !chart.lanes[i].link) lanes.push_back(std::move(chart.lanes[i]));
    }
    std::erase_if(chart.blocks, [&](const PatternBlock& block) { return block.durationS <= 0; });
    for (PatternBlock& block : chart.blocks) block.lane = newIndex[static_cast<std::size_t>(block.lane)];
    chart.lanes = std::move(lanes);
}

/// As authors call the GPUs; a link is called by its two ends.
static void nameLanes(PatternChart& chart, const PlanRun& run, const LaneNaming& naming) {
    std::map<int, QString> names;  // by device
    int position = 0;
    for (PatternLane& lane : chart.lanes) {
        if (lane.link) continue;
        const int own = run.evaluation->timeline.computeLaneOf(lane.devices.front());
        const QString name = own < 0 ? lane.name : naming.nameOf(run, own, position, lane.name);
        ++position;
        lane.named = name != lane.name;
        names[lane.devices.front()] = lane.name = name;
    }
    for (PatternLane& lane : chart.lanes)
        if (lane.link) lane.name = names[lane.devices[0]] + QChar(0x2013) + names[lane.devices[1]];
}

Figure patternFigure(const PlanRun& run, const PatternFigureOptions& options) {
    const PatternLook paper{QColor(0, 0, 0), QColor(0x40, 0x40, 0x40), QColor(0xD0, 0xD0, 0xD0),
                            QColor(0xF4, 0xF4, 0xF4)};
    PatternChart chart = patternChart(run);
    dropIdleLinks(chart);
    nameLanes(chart, run, LaneNaming(options.laneNames, options.firstStage));
    Figure figure = drawPattern(chart, options, paper).figure;
    figure.title = QString::fromStdString(run.title());
    return options.grey ? inGrey(std::move(figure)) : figure;
}

}  // namespace stagecraft::views::pattern
