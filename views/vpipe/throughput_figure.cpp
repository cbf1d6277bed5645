#include "views/vpipe/throughput_figure.h"

#include "views/common/text.h"
#include "views/common/theme.h"
#include "views/figures/axis.h"
#include "views/figures/legend.h"
#include "views/vpipe/throughput_series.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace stagecraft::views::vpipe {

using planners::vpipe::ThroughputPoint;

namespace {

constexpr double usualHeight = 0.62;  // of the width

class ThroughputPainter {
public:
    ThroughputPainter(const std::vector<ThroughputPoint>& points, const DrawingLook& look)
        : points_(points), look_(look), em_(look.em()) {}

    HoverDrawing draw() {
        figure().widthMm = look_.widthMm;
        figure().title = QStringLiteral("Throughput of a network that changes");
        place();
        drawAxes();
        drawLayers();
        for (const ThroughputSeries& each : throughputSeries()) drawSeries(each);
        const std::size_t first = figure().items.size();
        const double top = layers_.bottom() + 3.2 * em_;
        const double height =
            look_.legend ? addLegend(figure(), legend(), time_.startMm, look_.widthMm, top, look_.fontPt) : 0;
        inkText(figure(), first, look_);
        figure().heightMm = std::ceil((top + height) * 10) / 10;
        drawing_.frameMm = area_;
        return std::move(drawing_);
    }

private:
    Figure& figure() { return drawing_.figure; }
    QColor colourOf(const ThroughputSeries& each) const { return look_.dark ? each.onDark : each.onLight; }

    void write(const QPointF& at, const QString& what, TextAnchor anchor, TextRise rise, const QColor& colour,
               double rotation = 0) {
        figure().add(FigureText{at, what, look_.fontPt, anchor, rise, rotation, colour, false});
    }

    void place() {
        const double left = textWidthMm(QStringLiteral("0000"), look_.fontPt) + 2.2 * em_;
        const double height = look_.heightMm > 0 ? look_.heightMm : usualHeight * look_.widthMm;
        const double both = std::max(14 * em_, height - 8.4 * em_);
        const double most = mostThroughputOf(points_);
        area_ = QRectF(left, 1.6 * em_,
                       look_.widthMm - left - textWidthMm(QStringLiteral("0000"), look_.fontPt) / 2,
                       (1 - layersShare) * both);
        layers_ = QRectF(left, area_.bottom() + 1.2 * em_, area_.width(), layersShare * both);
        time_ = {points_.front().atS, std::max(points_.back().atS, points_.front().atS + 1e-9), area_.left(),
                 area_.right()};
        value_ = {0, most > 0 ? 1.06 * most : 1, area_.bottom(), area_.top()};
    }

    void drawAxes() {
        const AxisTicks values =
            numberTicks(0, value_.to, std::max(2, static_cast<int>(area_.height() / (4 * em_))));
        for (const double value : values.values) {
            const double y = value_.at(value);
            figure().add(
                FigureLine{{area_.left(), y}, {area_.right(), y}, {look_.grid, 0.12, {}}, false, "grid"});
            write({area_.left() - 0.5 * em_, y}, values.label(value), TextAnchor::end, TextRise::middle,
                  look_.muted);
        }
        const AxisTicks times =
            timeTicks(time_.from, time_.to, std::max(2, static_cast<int>(area_.width() / (6 * em_))));
        for (const double value : times.values) {
            const double x = time_.at(value);
            figure().add(FigureLine{{x, layers_.bottom()},
                                    {x, layers_.bottom() + 0.4 * em_},
                                    {look_.muted, 0.15, {}},
                                    false,
                                    "tick"});
            write({x, layers_.bottom() + 0.6 * em_}, times.label(value), TextAnchor::middle, TextRise::top,
                  look_.muted);
        }
        write({area_.center().x(), layers_.bottom() + 1.9 * em_},
              QStringLiteral("time (%1)").arg(times.unitName), TextAnchor::middle, TextRise::top, look_.ink);
        write({0.6 * em_, area_.center().y()}, QStringLiteral("samples/s"), TextAnchor::middle,
              TextRise::middle, look_.ink, -90);
        write({0.6 * em_, layers_.center().y()}, QStringLiteral("layers"), TextAnchor::middle,
              TextRise::middle, look_.ink, -90);
        double before = -INFINITY;
        const std::vector<std::size_t> changes = networkChanges(points_);
        for (const std::size_t change : changes) {
            eventRoomMm_ = std::min(eventRoomMm_, time_.at(points_[change].atS) - before);
            before = time_.at(points_[change].atS);
        }
        for (const std::size_t change : changes) {
            const double x = time_.at(points_[change].atS);
            figure().add(FigureLine{
                {x, area_.top()}, {x, layers_.bottom()}, {look_.muted, 0.15, {0.6, 0.6}}, false, "event"});
            writeEvent(x, qtText(points_[change].what));
        }
    }

    /// Shorter where there is no room, and not at all over another.
    void writeEvent(double x, const QString& what) {
        const double right = area_.right() + 0.6 * em_;
        for (const QString& label : {shortChange(what), shorterChange(what)}) {
            const double half = textWidthMm(label, look_.fontPt) / 2;
            const double at = std::clamp(x, area_.left() + half, right - half);
            if (at - half < eventsRight_ + 0.4 * em_ || 2 * half >= eventRoomMm_) continue;
            eventsRight_ = at + half;
            return write({at, area_.top() - 0.7 * em_}, label, TextAnchor::middle, TextRise::middle,
                         look_.muted);
        }
    }

    /// Until layers have migrated, which is at once where what was there cannot continue.
    bool isInstant(std::size_t i) const {
        return i + 1 < points_.size() && points_[i + 1].atS <= points_[i].atS;
    }

    void drawSeries(const ThroughputSeries& each) {
        FigurePolygon line;
        line.closed = false;
        line.stroke = {colourOf(each), each.widthMm, each.dashMm};
        line.role = each.role;
        for (std::size_t i = 0; i < points_.size(); ++i) {
            if (isInstant(i)) continue;
            const double x = time_.at(points_[i].atS);
            if (!line.points.empty()) line.points.push_back({x, line.points.back().y()});
            line.points.push_back({x, value_.at(points_[i].*(each.value))});
        }
        figure().add(std::move(line));
    }

    void drawLayers() {
        const double most = mostLayersOf(points_);
        for (const ThroughputSpan& span : throughputSpans(points_)) {
            const double left = time_.at(span.fromS), right = time_.at(span.toS);
            double sum = 0;
            const auto& sizes = points_[span.point].layersOfStage;
            for (std::size_t s = 0; s < sizes.size(); ++s) {
                const double perLayer = layers_.height() / std::max(1.0, most);
                const QRectF rect(left, layers_.bottom() - (sum + sizes[s]) * perLayer, right - left,
                                  sizes[s] * perLayer);
                sum += sizes[s];
                const QColor colour = stageColour(static_cast<int>(s), static_cast<int>(sizes.size()));
                figure().add(FigureRectangle{
                    rect, {colour, Hatch::none, {}}, {look_.surface, 0.1, {}}, "stage" + std::to_string(s)});
                const QString label = QString::number(sizes[s]);
                if (rect.height() > capHeightMm(look_.fontPt) * 1.4 &&
                    rect.width() > 1.4 * textWidthMm(label, look_.fontPt))
                    write(rect.center(), label, TextAnchor::middle, TextRise::middle, readableOn(colour));
            }
        }
    }

    std::vector<LegendEntry> legend() const {
        std::vector<LegendEntry> entries;
        const auto& series = throughputSeries();
        for (auto each = series.rbegin(); each != series.rend(); ++each)
            entries.push_back({QString::fromLatin1(each->title),
                               {},
                               {colourOf(*each), each->widthMm, each->dashMm},
                               true,
                               each->role,
                               {}});
        return entries;
    }

    const std::vector<ThroughputPoint>& points_;
    const DrawingLook& look_;
    HoverDrawing drawing_;
    double em_;
    double eventsRight_ = -INFINITY, eventRoomMm_ = INFINITY;
    QRectF area_, layers_;
    FigureScale time_, value_;
};

}  // namespace

HoverDrawing drawThroughput(const std::vector<ThroughputPoint>& points, const DrawingLook& look) {
    if (points.empty()) throw std::invalid_argument("no throughput to draw");
    return ThroughputPainter(points, look).draw();
}

}  // namespace stagecraft::views::vpipe
