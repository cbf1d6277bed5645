#include "views/experiments/results_painter.h"

#include <QObject>

#include <algorithm>
#include <cmath>

namespace stagecraft::views::experiments {

namespace {

constexpr double frontSignMm = 0.85;
constexpr double frontLineMm = 0.3;
constexpr double faintMm = 0.5;  ///< half the width of a dominated point
constexpr double faintShare = 0.4;
constexpr double air = 0.05;            // around all points
constexpr std::size_t mostSigns = 400;  ///< of the front; where there are more, its points are small squares

/// One metric against another: the front as stairs, its points in full, the others faint.
class ParetoPainter : public ResultsPainter {
public:
    using ResultsPainter::ResultsPainter;

    PlotAxis across(double widthMm) const override {
        const MetricDescription& other = acrossMetric();
        const QString title = QString::fromStdString(other.title);
        return measured(numberAxis(
            shownAcross(
                whole(&ResultsPoint::across, &ResultsPoint::printedAcross, in.choice.logarithmicAcross)),
            other.unit, title.left(1).toLower() + title.mid(1),
            std::max(2, static_cast<int>(widthMm / (3 * textWidthMm("00.0", in.options.fontPt))))));
    }
    PlotAxis upright(double heightMm) const override {
        return measured(numberAxis(
            shownUpright(whole(&ResultsPoint::spread, &ResultsPoint::printed, in.choice.logarithmicMetric)),
            unit(), metricTitle(), std::max(2, static_cast<int>(heightMm / (2.4 * em())))));
    }

    void draw(ResultsDrawing& out, const QRectF& frame, const PlotScale& across, const PlotScale& upright,
              std::size_t first, std::size_t last) override {
        for (std::size_t i = first; i < last; ++i)
            for (const ResultsPoint& point : in.series[i].points)
                out.pointsMm[i].emplace_back(across.at(point.across.mean), upright.at(point.spread.mean));
        for (std::size_t i = first; i < last; ++i) drawFaint(out, in.series[i], out.pointsMm[i], frame);
        const std::size_t front = drawFront(out, frame, first, last);
        drawAllPrinted(out, frame, across, upright, first, last);
        for (std::size_t i = first; i < last; ++i)
            for (std::size_t k = 0; k < in.series[i].points.size(); ++k) {
                const ResultsPoint& point = in.series[i].points[k];
                if (!point.best || !frame.adjusted(-frontSignMm, -frontSignMm, frontSignMm, frontSignMm)
                                        .contains(out.pointsMm[i][k]))
                    continue;
                if (front > mostSigns) {
                    out.figure.add(
                        square(out.pointsMm[i][k], colour(in.series[i].planner), role(in.series[i])));
                    continue;
                }
                drawSpread(out.figure, point, across, upright, out.pointsMm[i][k]);
                drawSign(out.figure, in.series[i], out.pointsMm[i][k]);
            }
    }

    std::vector<LegendEntry> legend() const override {
        std::vector<LegendEntry> entries;
        for (const ResultsSeries& series : in.series) {
            if (series.panel != in.series.front().panel) break;
            LegendEntry entry{series.title, {}, {}, false, role(series), {}};
            entry.sign = [this, &series](Figure& figure, const QRectF& box) {
                drawSign(figure, series, box.center());
            };
            entries.push_back(std::move(entry));
        }
        entries.push_back({QObject::tr("front"), {}, frontStroke(), true, "front", {}});
        LegendEntry faint{QObject::tr("dominated"), {}, {}, false, "dominated", {}};
        faint.sign = [this](Figure& figure, const QRectF& box) {
            figure.add(faintSign(box.center(), in.look.muted, "dominated"));
        };
        entries.push_back(std::move(faint));
        addPrintedEntry(entries);
        if (const std::size_t seeds = seedsOf(in.series); seeds > 1) {
            LegendEntry entry{QObject::tr("mean, quartiles and extremes of %1 seeds").arg(seeds),
                              {},
                              {},
                              false,
                              "spread",
                              {}};
            entry.sign = [this](Figure& figure, const QRectF& box) {
                const double y = box.center().y(), quarter = box.width() / 4;
                addWhisker(figure, {box.left(), y}, {box.right(), y}, {box.left() + quarter, y},
                           {box.right() - quarter, y}, in.look.muted);
            };
            entries.push_back(std::move(entry));
        }
        return entries;
    }

private:
    const MetricDescription& acrossMetric() const {
        return metricDescriptions()[metricIndex(in.choice.acrossMetric)];
    }
    Stroke frontStroke() const { return {in.look.ink, frontLineMm, {}}; }

    PlotScale whole(Spread ResultsPoint::*which, std::optional<double> ResultsPoint::*printed,
                    bool logarithmic) const {
        double low = INFINITY, high = -INFINITY;
        for (const ResultsSeries& each : in.series)
            for (const auto* points : {&each.points, &each.without})
                for (const ResultsPoint& point : *points)
                    if (const auto& number = point.*printed)
                        low = std::min(low, *number), high = std::max(high, *number);
        for (const ResultsSeries& each : in.series)
            for (const ResultsPoint& point : each.points) {
                low = std::min(low, (point.*which).mean);
                high = std::max(high, (point.*which).mean);
                if (!point.best) continue;
                low = std::min(low, (point.*which).least);
                high = std::max(high, (point.*which).most);
            }
        if (!(low <= high)) low = 0, high = 1;
        logarithmic = logarithmic && low > 0;
        if (!logarithmic) high = std::max(high, low + 0.05 * std::max(std::abs(low), 1e-9));
        PlotScale scale(low, logarithmic ? std::max(high, 1.05 * low) : high, logarithmic);
        const double around = air * (scale.mm.to - scale.mm.from);
        const bool atNought = !logarithmic && low >= 0 && scale.mm.from - around < 0;
        scale.mm.from = atNought ? 0 : scale.mm.from - around;
        scale.mm.to += around;
        return scale;
    }

    static FigureRectangle square(const QPointF& at, const QColor& colour, const std::string& role) {
        return {QRectF(at.x() - faintMm, at.y() - faintMm, 2 * faintMm, 2 * faintMm), {colour}, {}, role};
    }
    FigureRectangle faintSign(const QPointF& at, const QColor& colour, const std::string& role) const {
        return square(at, mixedColour(colour, in.look.surface, faintShare), role);
    }

    void drawSign(Figure& figure, const ResultsSeries& series, const QPointF& at) const {
        figure.add(FigurePolygon{plotSign(series.planner, at, frontSignMm), true,
                                 Fill{colour(series.planner)}, Stroke{in.look.surface, 0.12, {}},
                                 role(series)});
    }

    void drawFaint(ResultsDrawing& out, const ResultsSeries& series, const std::vector<QPointF>& at,
                   const QRectF& frame) const {
        const QRectF around = frame.adjusted(-faintMm, -faintMm, faintMm, faintMm);
        FigureRectangle sign = faintSign({}, colour(series.planner), role(series) + " dominated");
        for (std::size_t k = 0; k < at.size(); ++k) {
            if (series.points[k].best || !around.contains(at[k])) continue;
            sign.rect.moveCenter(at[k]);
            out.figure.add(sign);
        }
    }

    /// A thin line leads from what is found to what is printed.
    void drawAllPrinted(ResultsDrawing& out, const QRectF& frame, const PlotScale& across,
                        const PlotScale& upright, std::size_t first, std::size_t last) const {
        const QRectF around = frame.adjusted(-printedSignMm, -printedSignMm, printedSignMm, printedSignMm);
        for (std::size_t i = first; i < last; ++i) {
            const ResultsSeries& series = in.series[i];
            const QColor own = colour(series.planner);
            for (const auto* points : {&series.points, &series.without})
                for (std::size_t k = 0; k < points->size(); ++k) {
                    const ResultsPoint& point = (*points)[k];
                    if (!point.printed) continue;
                    const QPointF at(across.at(*point.printedAcross), upright.at(*point.printed));
                    if (!around.contains(at)) continue;
                    if (points == &series.points)
                        out.figure.add(
                            FigureLine{out.pointsMm[i][k], at, {own, 0.12, {}}, false, "to printed"});
                    drawPrinted(out.figure, at, own, role(series) + " printed");
                }
        }
    }

    /// Between two points of the front the one that gives more of neither is what can be had.
    /// @return how many points it has
    std::size_t drawFront(ResultsDrawing& out, const QRectF& frame, std::size_t first,
                          std::size_t last) const {
        const bool lessAcross = acrossMetric().lessIsBetter, lessUpright = metric().lessIsBetter;
        std::vector<QPointF> front;
        for (std::size_t i = first; i < last; ++i)
            for (std::size_t k = 0; k < in.series[i].points.size(); ++k)
                if (in.series[i].points[k].best) front.push_back(out.pointsMm[i][k]);
        if (front.empty()) return 0;
        // Best on the level axis first; upright millimetres grow downwards, where less is.
        std::sort(front.begin(), front.end(), [&](const QPointF& a, const QPointF& b) {
            return std::pair(lessAcross ? a.x() : -a.x(), lessUpright ? -a.y() : a.y()) <
                   std::pair(lessAcross ? b.x() : -b.x(), lessUpright ? -b.y() : b.y());
        });
        std::vector<QPointF> stairs = {
            {front.front().x(), lessUpright ? std::min(frame.top(), front.front().y())
                                            : std::max(frame.bottom(), front.front().y())}};
        for (const QPointF& at : front) {
            stairs.emplace_back(at.x(), stairs.back().y());
            stairs.push_back(at);
        }
        stairs.emplace_back(
            lessAcross ? std::max(frame.right(), front.back().x()) : std::min(frame.left(), front.back().x()),
            stairs.back().y());
        addPieces(out.figure, stairs, frontStroke(), "front");
        return front.size();
    }

    void addWhisker(Figure& figure, const QPointF& from, const QPointF& to, const QPointF& lower,
                    const QPointF& upper, const QColor& colour) const {
        figure.add(FigureLine{from, to, {colour, 0.12, {}}, false, "spread"});
        figure.add(FigureLine{lower, upper, {colour, 0.4, {}}, false, "quartiles"});
    }

    void drawSpread(Figure& figure, const ResultsPoint& point, const PlotScale& across,
                    const PlotScale& upright, const QPointF& at) const {
        if (point.spread.count < 2) return;
        const Spread &x = point.across, &y = point.spread;
        addWhisker(figure, {across.at(x.least), at.y()}, {across.at(x.most), at.y()},
                   {across.at(x.lower), at.y()}, {across.at(x.upper), at.y()}, in.look.muted);
        addWhisker(figure, {at.x(), upright.at(y.least)}, {at.x(), upright.at(y.most)},
                   {at.x(), upright.at(y.lower)}, {at.x(), upright.at(y.upper)}, in.look.muted);
    }
};

}  // namespace

std::unique_ptr<ResultsPainter> paretoPainter(const ResultsPainter::Input& input) {
    return std::make_unique<ParetoPainter>(input);
}

}  // namespace stagecraft::views::experiments
