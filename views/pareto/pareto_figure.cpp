#include "views/pareto/pareto_figure.h"

#include "core/base/units.h"

#include <algorithm>
#include <stdexcept>

namespace stagecraft::views::pareto {

namespace {

constexpr double usualHeight = 0.62;  // of the width
constexpr double pointMm = 0.75;
constexpr double lineMm = 0.35;
/// Below this share of the period an expectation is what was possible.
constexpr double sameShare = 1e-3;

class ParetoPainter {
public:
    ParetoPainter(const std::vector<ParetoSeries>& series, const ParetoFigureOptions& options)
        : series_(series), options_(options), em_(mmOfPoints(options.fontPt)) {}

    Figure draw() {
        figure_.widthMm = options_.widthMm;
        figure_.title = QStringLiteral("Throughput versus memory");
        place();
        addPlotFrame(figure_, frame_, across_, upright_, options_.fontPt, look_);
        figure_.add(ClipBegin{frame_});
        if (options_.limitBytes > 0) drawLimit();
        for (const ParetoSeries& each : series_) drawExpected(each);
        for (const ParetoSeries& each : series_) drawPossible(each);
        figure_.add(ClipEnd{});
        double bottom = frame_.bottom() + 3.4 * em_;
        if (options_.legend) bottom = drawLegend(bottom);
        figure_.heightMm = std::ceil(bottom * 10) / 10;
        return std::move(figure_);
    }

private:
    Stroke strokeOf(const ParetoSeries& each) const {
        return {paretoColour(each.allocation, false), lineMm, {}};
    }

    void place() {
        const double legendMm = options_.legend ? 3 * em_ : 0;
        const double height =
            options_.heightMm > 0 ? options_.heightMm - 3.4 * em_ - legendMm : usualHeight * options_.widthMm;
        nameAxes(height - em_);
        const double left = plotLeftMm(upright_, options_.fontPt);
        frame_ = QRectF(left, em_, options_.widthMm - left - 0.8 * em_, std::max(height - em_, 4 * em_));
        across_.scale.place(frame_.left(), frame_.right());
        upright_.scale.place(frame_.bottom(), frame_.top());
    }

    /// An axis of fewer numbers cannot be read.
    static PlotAxis withNumbers(const PlotScale& scale, const std::string& unit, const QString& title,
                                int about) {
        constexpr int leastNumbers = 3, mostTried = 12;
        PlotAxis axis = numberAxis(scale, unit, title, std::max(leastNumbers, about));
        for (int more = leastNumbers + 1; static_cast<int>(axis.ticks.size()) < leastNumbers; ++more) {
            if (more > mostTried) break;
            axis = numberAxis(scale, unit, title, std::max(about, more));
        }
        return axis;
    }

    void nameAxes(double heightMm) {
        const ParetoAxes axes = paretoAxes(series_, options_);
        const double widthMm = options_.widthMm - 8 * em_;
        const double numberMm = 1.8 * textWidthMm("00.0", options_.fontPt);
        across_ = withNumbers(axes.memory, "B", axes.memoryTitle, static_cast<int>(widthMm / numberMm));
        upright_ = withNumbers(axes.value, axes.valueUnit, axes.valueTitle,
                               static_cast<int>(heightMm / (2.4 * em_)));
    }

    QPointF at(double memoryBytes, double periodS) const {
        return {across_.scale.at(memoryBytes), upright_.scale.at(paretoValue(periodS, options_))};
    }

    void drawLimit() {
        const double x = across_.scale.at(options_.limitBytes);
        figure_.add(FigureLine{
            {x, frame_.top()}, {x, frame_.bottom()}, {look_.muted, 0.25, {0.6, 0.8}}, false, "limit"});
    }

    /// Between two points the one that needs less is the best.
    std::vector<QPointF> stairs(const ParetoSeries& each, double ParetoPoint::*periodS) const {
        std::vector<QPointF> corners;
        for (const ParetoPoint& point : each.points) {
            if (!std::isfinite(point.*periodS)) continue;
            const QPointF place = at(point.memoryBytes, point.*periodS);
            corners.emplace_back(corners.empty() ? frame_.right() : corners.back().x(), place.y());
            corners.push_back(place);
        }
        return corners;
    }

    void drawExpected(const ParetoSeries& each) {
        if (!expectationDiffers(each)) return;
        Stroke stroke = strokeOf(each);
        stroke.dashMm = {1.2, 0.8};
        figure_.add(FigurePolygon{
            stairs(each, &ParetoPoint::expectedS), false, {}, stroke, each.allocation + " expected"});
    }

    void drawPossible(const ParetoSeries& each) {
        if (each.points.empty()) return;
        const Stroke stroke = strokeOf(each);
        figure_.add(FigurePolygon{stairs(each, &ParetoPoint::periodS), false, {}, stroke, each.allocation});
        for (const ParetoPoint& point : each.points)
            drawPoint(at(point.memoryBytes, point.periodS), each, stroke);
    }

    /// Round for one stage per device, square for several: told apart without colour.
    void drawPoint(const QPointF& place, const ParetoSeries& each, const Stroke& stroke) {
        const Stroke edge{look_.surface, 0.12, {}};
        const std::string role = each.allocation + " point";
        if (each.allocation != "contiguous")
            return figure_.add(
                FigureRectangle{QRectF(place.x() - pointMm, place.y() - pointMm, 2 * pointMm, 2 * pointMm),
                                Fill{stroke.colour}, edge, role});
        figure_.add(FigurePolygon{plotSign(0, place, pointMm), true, Fill{stroke.colour}, edge, role});
    }

    double drawLegend(double top) {
        std::vector<LegendEntry> entries;
        for (const ParetoSeries& each : series_) {
            LegendEntry entry{each.title(), {}, strokeOf(each), true, each.allocation, {}};
            entry.sign = [this, &each](Figure&, const QRectF& box) {
                const double y = box.center().y();
                figure_.add(
                    FigureLine{{box.left(), y}, {box.right(), y}, strokeOf(each), false, each.allocation});
                drawPoint({box.center().x(), y}, each, strokeOf(each));
            };
            entries.push_back(std::move(entry));
            if (!expectationDiffers(each)) continue;
            Stroke dashed = strokeOf(each);
            dashed.dashMm = {1.2, 0.8};
            entries.push_back({expectationTitle(), {}, dashed, true, each.allocation + " expected", {}});
        }
        if (options_.limitBytes > 0)
            entries.push_back(
                {QStringLiteral("memory limit"), {}, {look_.muted, 0.25, {0.6, 0.8}}, true, "limit", {}});
        return top +
               addPlotLegend(figure_, entries, frame_.left(), options_.widthMm, top, options_.fontPt, look_);
    }

    const std::vector<ParetoSeries>& series_;
    const ParetoFigureOptions& options_;
    const PlotLook& look_ = PlotLook::paper();
    const double em_;
    PlotAxis across_, upright_;
    QRectF frame_;
    Figure figure_;
};

}  // namespace

QString ParetoSeries::title() const {
    return allocation == "contiguous" ? QStringLiteral("one stage per GPU")
                                      : QStringLiteral("several stages on one GPU");
}

double paretoValue(double periodS, const ParetoFigureOptions& options) {
    return options.throughput ? options.samples / periodS : periodS;
}

ParetoAxes paretoAxes(const std::vector<ParetoSeries>& series, const ParetoFigureOptions& options) {
    double least = INFINITY, most = 0, low = INFINITY, high = 0;
    for (const ParetoSeries& each : series)
        for (const ParetoPoint& point : each.points) {
            least = std::min(least, point.memoryBytes);
            most = std::max(most, point.memoryBytes);
            for (const double periodS : {point.periodS, point.expectedS}) {
                if (!std::isfinite(periodS)) continue;
                low = std::min(low, paretoValue(periodS, options));
                high = std::max(high, paretoValue(periodS, options));
            }
        }
    if (!(most > 0)) least = 0, most = 16 * gib, low = 0, high = 1;
    const double air = 0.06 * std::max(most - least, 0.05 * most);
    const double lift = 0.06 * std::max(high - low, 0.05 * high);
    return {{std::max(0.0, least - air), most + air, false},
            {std::max(0.0, low - lift), high + lift, false},
            QStringLiteral("memory per GPU"),
            options.throughput ? QStringLiteral("throughput") : QStringLiteral("period per microbatch"),
            options.throughput ? "samples/s" : "s"};
}

bool expectationDiffers(const ParetoSeries& series) {
    return std::any_of(series.points.begin(), series.points.end(), [](const ParetoPoint& point) {
        return std::isfinite(point.expectedS) &&
               std::abs(point.expectedS - point.periodS) > sameShare * point.periodS;
    });
}

QString expectationTitle() { return QStringLiteral("what its first phase expected"); }

QColor paretoColour(const std::string& allocation, bool dark) {
    // Okabe and Ito: sky blue or blue, and vermilion.
    if (allocation == "contiguous") return dark ? QColor(0x56, 0xB4, 0xE9) : QColor(0x00, 0x72, 0xB2);
    return {0xD5, 0x5E, 0x00};
}

Figure paretoFigure(const std::vector<ParetoSeries>& series, const ParetoFigureOptions& options) {
    const bool empty = std::all_of(series.begin(), series.end(),
                                   [](const ParetoSeries& each) { return each.points.empty(); });
    if (empty) throw std::invalid_argument("no plan to draw");
    Figure figure = ParetoPainter(series, options).draw();
    return options.grey ? inGrey(std::move(figure)) : figure;
}

}  // namespace stagecraft::views::pareto
