#include "views/pareto/pareto_figure.h"

#include "core/model/units.h"
#include "views/figures/legend.h"

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
                  const ParetoLook& look)
        : series_(series), options_(options), look_(look), em_(mmOfPoints(options.fontPt)) {}

    ParetoDrawing draw() {
        drawing_.figure.widthMm = options_.widthMm;
        drawing_.figure.title = QStringLiteral("Memory against speed");
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
        const double left = textWidthMm(QStringLiteral("0000"), small()) + 2.4 + 1.4 * em_;
        const double legendMm = options_.legend ? 3 * em_ : 0;
        const double height =
            options_.heightMm > 0 ? options_.heightMm - 3.4 * em_ - legendMm : usualHeight * options_.widthMm;
        drawing_.frameMm =
            QRectF(left, em_, options_.widthMm - left - 0.8 * em_, std::max(height - em_, 4 * em_));
        const QRectF& frame = drawing_.frameMm;
        drawing_.memory = {std::max(0.0, least - air), most + air, frame.left(), frame.right()};
        drawing_.value = {std::max(0.0, low - lift), high + lift, frame.bottom(), frame.top()};
    }

    void drawAxes() {
        const QRectF& frame = drawing_.frameMm;
        const Stroke grid{look_.grid, 0.1, {}}, axis{look_.muted, 0.2, {}};
        const auto text = [&](QPointF at, const QString& what, TextAnchor anchor, TextRise rise,
                              double rotation = 0) {
            figure().add(FigureText{at, what, small(), anchor, rise, rotation, look_.muted});
        };
        constexpr double gib = 1024.0 * 1024 * 1024;
        const double unit = drawing_.memory.to >= gib ? gib : gib / 1024;
        const AxisTicks across =
            numberTicks(drawing_.memory.from, drawing_.memory.to,
                        std::max(2, static_cast<int>(frame.width() / (3 * textWidthMm("00.0", small())))),
                        unit, unit == gib ? "GiB" : "MiB");
        for (const double bytes : across.values) {
            const double x = drawing_.memory.at(bytes);
            figure().add(FigureLine{{x, frame.top()}, {x, frame.bottom()}, grid, false, "grid"});
            text({x, frame.bottom() + 0.5 * em_}, across.label(bytes), TextAnchor::middle, TextRise::top);
        }
        const int rows = std::max(2, static_cast<int>(frame.height() / (2.4 * em_)));
        const AxisTicks up = options_.throughput ? numberTicks(drawing_.value.from, drawing_.value.to, rows)
                                                 : timeTicks(drawing_.value.from, drawing_.value.to, rows);
        for (const double value : up.values) {
            const double y = drawing_.value.at(value);
            figure().add(FigureLine{{frame.left(), y}, {frame.right(), y}, grid, false, "grid"});
            text({frame.left() - 1, y}, up.label(value), TextAnchor::end, TextRise::middle);
        }
        figure().add(FigurePolygon{
            {frame.topLeft(), frame.bottomLeft(), frame.bottomRight()}, false, {}, axis, "axis"});
        text({frame.center().x(), frame.bottom() + 2 * em_},
             QStringLiteral("memory per GPU (%1)").arg(across.unitName), TextAnchor::middle, TextRise::top);
        text({0.7 * em_, frame.center().y()},
             options_.throughput ? QStringLiteral("throughput (samples/s)")
                                 : QStringLiteral("period, a microbatch (%1)").arg(up.unitName),
             TextAnchor::middle, TextRise::middle, -90);
    }

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

    /// Round for a stage a device, square for several: told apart without colour.
    void drawPoint(const QPointF& at, const ParetoSeries& each, const Stroke& stroke) {
        const Stroke edge{look_.surface, 0.12, {}};
        const std::string role = each.allocation + " point";
        if (each.allocation != "contiguous")
            return figure().add(
                FigureRectangle{QRectF(at.x() - pointMm, at.y() - pointMm, 2 * pointMm, 2 * pointMm),
                                Fill{stroke.colour}, edge, role});
        std::vector<QPointF> circle;
        constexpr int corners = 16;
        for (int i = 0; i < corners; ++i)
            circle.push_back(at +
                             1.1 * pointMm *
                                 QPointF(std::cos(2 * M_PI * i / corners), std::sin(2 * M_PI * i / corners)));
        figure().add(FigurePolygon{circle, true, Fill{stroke.colour}, edge, role});
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
        const std::size_t first = figure().items.size();
        const double height =
            addLegend(figure(), entries, drawing_.frameMm.left(), options_.widthMm, top, options_.fontPt);
        for (std::size_t i = first; i < figure().items.size(); ++i)
            if (auto* text = std::get_if<FigureText>(&figure().items[i])) text->colour = look_.ink;
        return top + height;
    }

    const std::vector<ParetoSeries>& series_;
    const ParetoFigureOptions& options_;
    const ParetoLook& look_;
    const double em_;
    ParetoDrawing drawing_;
};

}  // namespace

QString ParetoSeries::title() const {
    return allocation == "contiguous" ? QStringLiteral("one stage a GPU")
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
                         const ParetoLook& look) {
    return ParetoPainter(series, options, look).draw();
}

Figure paretoFigure(const std::vector<ParetoSeries>& series, const ParetoFigureOptions& options) {
    const bool empty = std::all_of(series.begin(), series.end(),
                                   [](const ParetoSeries& each) { return each.points.empty(); });
    if (empty) throw std::invalid_argument("there is no plan to draw");
    const ParetoLook paper{QColor(0, 0, 0), QColor(0x40, 0x40, 0x40), QColor(0xD8, 0xD8, 0xD8),
                           QColor(0xFF, 0xFF, 0xFF), false};
    Figure figure = drawPareto(series, options, paper).figure;
    return options.grey ? inGrey(std::move(figure)) : figure;
}

}  // namespace stagecraft
