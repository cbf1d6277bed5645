#include "views/pareto/pareto_figure.h"

#include <algorithm>
#include <stdexcept>

namespace stagecraft {

namespace {

constexpr double usualHeight = 0.62;  // of the width
constexpr double pointMm = 0.75;
constexpr double lineMm = 0.35;
/// Below this share of the period an expectation is what was possible.
constexpr double sameShare = 1e-3;

class ParetoPainter {
public:
    ParetoPainter(const std::vector<ParetoSeries>& series, const ParetoFigureOptions& options,
                  const PlotLook& look)
        : series_(series), options_(options), look_(look), em_(mmOfPoints(options.fontPt)) {}

    ParetoDrawing draw() {
        drawing_.figure.widthMm = options_.widthMm;
        drawing_.figure.title = QStringLiteral("Throughput versus memory");
        place();
        drawAxes();
        figure().add(ClipBegin{drawing_.frameMm});
        if (options_.limitBytes > 0) drawLimit();
        for (const ParetoSeries& each : series_) drawExpected(each);
        for (const ParetoSeries& each : series_) drawPossible(each);
        figure().add(ClipEnd{});
        double bottom = drawing_.frameMm.bottom() + 3.4 * em_;
        if (options_.legend) bottom = drawLegend(bottom);
        drawing_.figure.heightMm = std::ceil(bottom * 10) / 10;
        return std::move(drawing_);
    }

private:
    Figure& figure() { return drawing_.figure; }
    double small() const { return options_.fontPt - 0.5; }
    double valueOf(double periodS) const {
        return options_.throughput ? options_.samples / periodS : periodS;
    }
    Stroke strokeOf(const ParetoSeries& each) const {
        return {paretoColour(each.allocation, look_.dark), lineMm, {}};
    }

    void place() {
        double least = INFINITY, most = 0, low = INFINITY, high = 0;
        for (const ParetoSeries& each : series_)
            for (const ParetoPoint& point : each.points) {
                least = std::min(least, point.memoryBytes);
                most = std::max(most, point.memoryBytes);
                low = std::min(low, valueOf(point.periodS));
                high = std::max(high, valueOf(point.periodS));
                if (std::isfinite(point.expectedS)) {
                    low = std::min(low, valueOf(point.expectedS));
                    high = std::max(high, valueOf(point.expectedS));
                }
            }
        if (!(most > 0)) least = 0, most = 16.0 * 1024 * 1024 * 1024, low = 0, high = 1;
        const double air = 0.06 * std::max(most - least, 0.05 * most);
        const double lift = 0.06 * std::max(high - low, 0.05 * high);
        const double legendMm = options_.legend ? 3 * em_ : 0;
        const double height =
            options_.heightMm > 0 ? options_.heightMm - 3.4 * em_ - legendMm : usualHeight * options_.widthMm;
        nameAxes({std::max(0.0, least - air), most + air}, {std::max(0.0, low - lift), high + lift},
                 height - em_);
        const double left = plotLeftMm(upright_, options_.fontPt);
        drawing_.frameMm =
            QRectF(left, em_, options_.widthMm - left - 0.8 * em_, std::max(height - em_, 4 * em_));
        const QRectF& frame = drawing_.frameMm;
        across_.scale.place(frame.left(), frame.right());
        upright_.scale.place(frame.bottom(), frame.top());
        drawing_.memory = across_.scale.mm;
        drawing_.value = upright_.scale.mm;
    }

    void nameAxes(std::pair<double, double> bytes, std::pair<double, double> values, double heightMm) {
        const double widthMm = options_.widthMm - 8 * em_;
        across_ = numberAxis({bytes.first, bytes.second, false}, "B", QStringLiteral("memory per GPU"),
                             std::max(2, static_cast<int>(widthMm / (3 * textWidthMm("00.0", small())))));
        upright_ = numberAxis(
            {values.first, values.second, false}, options_.throughput ? "samples/s" : "s",
            options_.throughput ? QStringLiteral("throughput") : QStringLiteral("period per microbatch"),
            std::max(2, static_cast<int>(heightMm / (2.4 * em_))));
    }

    void drawAxes() { addPlotFrame(figure(), drawing_.frameMm, across_, upright_, options_.fontPt, look_); }

    void drawLimit() {
        const double x = drawing_.memory.at(options_.limitBytes);
        figure().add(FigureLine{{x, drawing_.frameMm.top()},
                                {x, drawing_.frameMm.bottom()},
                                {look_.muted, 0.25, {0.6, 0.8}},
                                false,
                                "limit"});
    }

    /// Only where an expectation and what became of it differ.
    bool differs(const ParetoSeries& each) const {
        return std::any_of(each.points.begin(), each.points.end(), [](const ParetoPoint& point) {
            return std::isfinite(point.expectedS) &&
                   std::abs(point.expectedS - point.periodS) > sameShare * point.periodS;
        });
    }

    /// Between two points the one that needs less is the best.
    std::vector<QPointF> stairs(const ParetoSeries& each, double ParetoPoint::*periodS) const {
        std::vector<QPointF> corners;
        for (const ParetoPoint& point : each.points) {
            if (!std::isfinite(point.*periodS)) continue;
            const QPointF at(drawing_.memory.at(point.memoryBytes),
                             drawing_.value.at(valueOf(point.*periodS)));
            corners.emplace_back(corners.empty() ? drawing_.frameMm.right() : corners.back().x(), at.y());
            corners.push_back(at);
        }
        return corners;
    }

    void drawExpected(const ParetoSeries& each) {
        if (!differs(each)) return;
        Stroke stroke = strokeOf(each);
        stroke.dashMm = {1.2, 0.8};
        figure().add(FigurePolygon{
            stairs(each, &ParetoPoint::expectedS), false, {}, stroke, each.allocation + " expected"});
    }

    void drawPossible(const ParetoSeries& each) {
        if (each.points.empty()) return;
        const Stroke stroke = strokeOf(each);
        figure().add(FigurePolygon{stairs(each, &ParetoPoint::periodS), false, {}, stroke, each.allocation});
        for (const ParetoPoint& point : each.points) drawPoint(drawing_.at(point, options_), each, stroke);
    }

    /// Round for one stage per device, square for several: told apart without colour.
    void drawPoint(const QPointF& at, const ParetoSeries& each, const Stroke& stroke) {
        const Stroke edge{look_.surface, 0.12, {}};
        const std::string role = each.allocation + " point";
        if (each.allocation != "contiguous")
            return figure().add(
                FigureRectangle{QRectF(at.x() - pointMm, at.y() - pointMm, 2 * pointMm, 2 * pointMm),
                                Fill{stroke.colour}, edge, role});
        figure().add(FigurePolygon{plotSign(0, at, pointMm), true, Fill{stroke.colour}, edge, role});
    }

    double drawLegend(double top) {
        std::vector<LegendEntry> entries;
        for (const ParetoSeries& each : series_) {
            LegendEntry entry{each.title(), {}, strokeOf(each), true, each.allocation, {}};
            entry.sign = [this, &each](Figure&, const QRectF& box) {
                const double y = box.center().y();
                figure().add(
                    FigureLine{{box.left(), y}, {box.right(), y}, strokeOf(each), false, each.allocation});
                drawPoint({box.center().x(), y}, each, strokeOf(each));
            };
            entries.push_back(std::move(entry));
            if (!differs(each)) continue;
            Stroke dashed = strokeOf(each);
            dashed.dashMm = {1.2, 0.8};
            entries.push_back({QStringLiteral("what its first phase expected"),
                               {},
                               dashed,
                               true,
                               each.allocation + " expected",
                               {}});
        }
        if (options_.limitBytes > 0)
            entries.push_back(
                {QStringLiteral("memory limit"), {}, {look_.muted, 0.25, {0.6, 0.8}}, true, "limit", {}});
        return top + addPlotLegend(figure(), entries, drawing_.frameMm.left(), options_.widthMm, top,
                                   options_.fontPt, look_);
    }

    const std::vector<ParetoSeries>& series_;
    const ParetoFigureOptions& options_;
    const PlotLook& look_;
    const double em_;
    PlotAxis across_, upright_;
    ParetoDrawing drawing_;
};

}  // namespace

QString ParetoSeries::title() const {
    return allocation == "contiguous" ? QStringLiteral("one stage per GPU")
                                      : QStringLiteral("several stages on one GPU");
}

QPointF ParetoDrawing::at(const ParetoPoint& point, const ParetoFigureOptions& options) const {
    return {memory.at(point.memoryBytes),
            value.at(options.throughput ? options.samples / point.periodS : point.periodS)};
}

QColor paretoColour(const std::string& allocation, bool dark) {
    // Okabe and Ito: sky blue or blue, and vermilion.
    if (allocation == "contiguous") return dark ? QColor(0x56, 0xB4, 0xE9) : QColor(0x00, 0x72, 0xB2);
    return {0xD5, 0x5E, 0x00};
}

ParetoDrawing drawPareto(const std::vector<ParetoSeries>& series, const ParetoFigureOptions& options,
                         const PlotLook& look) {
    return ParetoPainter(series, options, look).draw();
}

Figure paretoFigure(const std::vector<ParetoSeries>& series, const ParetoFigureOptions& options) {
    const bool empty = std::all_of(series.begin(), series.end(),
                                   [](const ParetoSeries& each) { return each.points.empty(); });
    if (empty) throw std::invalid_argument("no plan to draw");
    Figure figure = drawPareto(series, options, PlotLook::paper()).figure;
    return options.grey ? inGrey(std::move(figure)) : figure;
}

}  // namespace stagecraft
