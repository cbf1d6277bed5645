#include "views/experiments/results_figure.h"

#include "views/figures/legend.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace stagecraft {

namespace {

constexpr double usualHeight = 0.62;  // of the width
constexpr double signMm = 0.8;
constexpr double lineMm = 0.35;
constexpr double barShare = 0.8;    // of a group's room
constexpr double bandShare = 0.25;  // of the series' colour over the surface

QColor mixed(const QColor& over, const QColor& under, double share) {
    return QColor::fromRgbF(static_cast<float>(share * over.redF() + (1 - share) * under.redF()),
                            static_cast<float>(share * over.greenF() + (1 - share) * under.greenF()),
                            static_cast<float>(share * over.blueF() + (1 - share) * under.blueF()));
}

/// Signs that are told apart without colour: a polygon of that many corners, turned.
std::vector<QPointF> sign(std::size_t planner, const QPointF& at) {
    constexpr int corners[] = {16, 4, 3, 4, 3, 6, 5, 8};
    constexpr double turned[] = {0, 45, -90, 0, 90, 0, -90, 22.5};
    const std::size_t kind = planner % std::size(corners);
    std::vector<QPointF> points;
    for (int i = 0; i < corners[kind]; ++i) {
        const double angle = (turned[kind] + 360.0 * i / corners[kind]) * M_PI / 180;
        points.push_back(at + 1.15 * signMm * QPointF(std::cos(angle), std::sin(angle)));
    }
    return points;
}

class ResultsPainter {
public:
    ResultsPainter(const Grid& grid, const std::vector<ResultsSeries>& series, const ChartChoice& choice,
                   const ResultsFigureOptions& options, const ResultsLook& look)
        : series_(series),
          options_(options),
          look_(look),
          em_(mmOfPoints(options.fontPt)),
          metric_(findMetric(choice.metric)) {
        const std::vector<Axis>& axes = grid.experiment().axes;
        if (choice.axis < axes.size()) axis_ = &axes[choice.axis];
        lines_ = axis_ && axis_->numeric() && axis_->values.size() > 1;
    }

    ResultsDrawing draw() {
        drawing_.figure.widthMm = options_.widthMm;
        drawing_.figure.title = QString::fromStdString(metric_->title);
        place();
        drawUpright();
        drawAcross();
        figure().add(ClipBegin{frame_.adjusted(-signMm, -signMm, signMm, 0)});
        for (std::size_t i = 0; i < series_.size(); ++i) lines_ ? drawBand(i) : drawBars(i);
        if (lines_)
            for (std::size_t i = 0; i < series_.size(); ++i) drawLine(i);
        figure().add(ClipEnd{});
        double bottom = frame_.bottom() + 3.4 * em_;
        if (options_.legend) bottom = drawLegend(bottom);
        drawing_.figure.heightMm = std::ceil(bottom * 10) / 10;
        return std::move(drawing_);
    }

private:
    Figure& figure() { return drawing_.figure; }
    double small() const { return options_.fontPt - 0.5; }
    QColor colour(std::size_t planner) const { return seriesColour(planner, look_.dark); }
    std::string role(std::size_t planner) const { return series_[planner].title.toStdString(); }

    void text(QPointF at, const QString& what, TextAnchor anchor, TextRise rise, double rotation = 0) {
        figure().add(FigureText{at, what, small(), anchor, rise, rotation, look_.muted});
    }

    void place() {
        double high = 0;
        for (const ResultsSeries& each : series_)
            for (const ResultsPoint& point : each.points) high = std::max(high, point.most);
        if (!(high > 0)) high = 1;
        const double left = textWidthMm(QStringLiteral("0000"), small()) + 2.4 + 1.4 * em_;
        const double legendMm = options_.legend ? 4.5 * em_ : 0;
        const double height =
            options_.heightMm > 0 ? options_.heightMm - 3.4 * em_ - legendMm : usualHeight * options_.widthMm;
        frame_ = QRectF(left, em_, options_.widthMm - left - 0.8 * em_, std::max(height - em_, 4 * em_));
        upright_ = {0, 1.05 * high, frame_.bottom(), frame_.top()};
        if (!lines_) return;
        double from = INFINITY, to = -INFINITY, ratio = INFINITY;
        for (std::size_t i = 0; i < axis_->values.size(); ++i) {
            from = std::min(from, axis_->values[i].number);
            to = std::max(to, axis_->values[i].number);
            if (i) ratio = std::min(ratio, axis_->values[i].number / axis_->values[i - 1].number);
        }
        // Values that grow by factors stand at equal distances.
        logarithmic_ = from > 0 && ratio >= 1.4 && axis_->values.size() > 2;
        if (logarithmic_) from = std::log(from), to = std::log(to);
        const double air = 0.04 * (to - from);
        across_ = {from - air, to + air, frame_.left(), frame_.right()};
    }

    AxisTicks uprightTicks() const {
        const int rows = std::max(2, static_cast<int>(frame_.height() / (2.4 * em_)));
        if (metric_->unit == "s") return timeTicks(0, upright_.to, rows);
        if (metric_->unit == "B") return byteTicks(upright_.to, rows);
        return numberTicks(0, upright_.to, rows);
    }

    void drawUpright() {
        const Stroke grid{look_.grid, 0.1, {}};
        const AxisTicks ticks = uprightTicks();
        for (const double value : ticks.values) {
            const double y = upright_.at(value);
            figure().add(FigureLine{{frame_.left(), y}, {frame_.right(), y}, grid, false, "grid"});
            text({frame_.left() - 1, y}, ticks.label(value), TextAnchor::end, TextRise::middle);
        }
        QString title = QString::fromStdString(metric_->title).toLower();
        const QString unit =
            ticks.unitName.isEmpty() ? QString::fromStdString(metric_->unit) : ticks.unitName;
        if (!unit.isEmpty()) title += QStringLiteral(" (%1)").arg(unit);
        text({0.7 * em_, frame_.center().y()}, title, TextAnchor::middle, TextRise::middle, -90);
    }

    double xOf(std::size_t value) const {
        if (lines_) {
            const double number = axis_->values[value].number;
            return across_.at(logarithmic_ ? std::log(number) : number);
        }
        const double count = axis_ ? static_cast<double>(axis_->values.size()) : 1;
        return frame_.left() + frame_.width() * (static_cast<double>(value) + 0.5) / count;
    }

    void drawAcross() {
        const Stroke axis{look_.muted, 0.2, {}};
        figure().add(FigurePolygon{
            {frame_.topLeft(), frame_.bottomLeft(), frame_.bottomRight()}, false, {}, axis, "axis"});
        if (!axis_) return;
        const std::size_t count = axis_->values.size();
        const double room = frame_.width() / static_cast<double>(count);
        double lastEnd = -INFINITY;
        for (std::size_t value = 0; value < count; ++value) {
            QString label = QString::fromStdString(axis_->values[value].label);
            if (!lines_) label = cutToWidth(label, 0.96 * room, small());
            const double x = xOf(value), half = textWidthMm(label, small()) / 2;
            figure().add(FigureLine{{x, frame_.bottom()}, {x, frame_.bottom() + 0.6}, axis, false, "axis"});
            if (x - half < lastEnd + 0.4 * em_) continue;
            lastEnd = x + half;
            text({x, frame_.bottom() + 0.7 * em_}, label, TextAnchor::middle, TextRise::top);
        }
        QString title = QString::fromStdString(axis_->name);
        if (!axis_->unit.empty()) title += QStringLiteral(" (%1)").arg(QString::fromStdString(axis_->unit));
        text({frame_.center().x(), frame_.bottom() + 2.1 * em_}, title, TextAnchor::middle, TextRise::top);
    }

    void drawBand(std::size_t planner) {
        drawing_.pointsMm.emplace_back();
        std::vector<QPointF> above, below;
        for (const ResultsPoint& point : series_[planner].points) {
            const double x = xOf(point.value);
            above.emplace_back(x, upright_.at(point.most));
            below.emplace_back(x, upright_.at(point.least));
            drawing_.pointsMm.back().emplace_back(x, upright_.at(point.mean));
        }
        if (above.size() < 2) return;
        above.insert(above.end(), below.rbegin(), below.rend());
        figure().add(FigurePolygon{above,
                                   true,
                                   Fill{mixed(colour(planner), look_.surface, bandShare)},
                                   {},
                                   role(planner) + " spread"});
    }

    void drawSign(std::size_t planner, const QPointF& at) {
        figure().add(FigurePolygon{sign(planner, at), true, Fill{colour(planner)},
                                   Stroke{look_.surface, 0.12, {}}, role(planner)});
    }

    void drawLine(std::size_t planner) {
        const std::vector<QPointF>& points = drawing_.pointsMm[planner];
        if (points.size() > 1)
            figure().add(
                FigurePolygon{points, false, {}, Stroke{colour(planner), lineMm, {}}, role(planner)});
        for (const QPointF& at : points) drawSign(planner, at);
    }

    Fill barFill(std::size_t planner) const {
        constexpr Hatch hatches[] = {Hatch::none,  Hatch::rising,     Hatch::falling,
                                     Hatch::cross, Hatch::horizontal, Hatch::vertical};
        return {colour(planner), hatches[planner % std::size(hatches)], look_.surface};
    }

    void drawBars(std::size_t planner) {
        drawing_.pointsMm.emplace_back();
        const double count = axis_ ? static_cast<double>(axis_->values.size()) : 1;
        const double width = barShare * frame_.width() / count / static_cast<double>(series_.size());
        const Stroke whisker{look_.ink, 0.2, {}};
        for (const ResultsPoint& point : series_[planner].points) {
            const double left = xOf(point.value) + width * (static_cast<double>(planner) -
                                                            static_cast<double>(series_.size()) / 2);
            const double top = upright_.at(point.mean), middle = left + width / 2;
            figure().add(FigureRectangle{
                QRectF(left, top, 0.92 * width, frame_.bottom() - top), barFill(planner), {}, role(planner)});
            if (point.most > point.least)
                figure().add(FigureLine{{middle, upright_.at(point.least)},
                                        {middle, upright_.at(point.most)},
                                        whisker,
                                        false,
                                        "spread"});
            drawing_.pointsMm.back().emplace_back(middle, top);
        }
    }

    double drawLegend(double top) {
        std::vector<LegendEntry> entries;
        for (std::size_t planner = 0; planner < series_.size(); ++planner) {
            LegendEntry entry{series_[planner].title, barFill(planner), {}, false, role(planner), {}};
            if (lines_) {
                entry.line = true;
                entry.stroke = {colour(planner), lineMm, {}};
                entry.sign = [this, planner](Figure&, const QRectF& box) {
                    const double y = box.center().y();
                    figure().add(FigureLine{{box.left(), y},
                                            {box.right(), y},
                                            Stroke{colour(planner), lineMm, {}},
                                            false,
                                            role(planner)});
                    drawSign(planner, {box.center().x(), y});
                };
            }
            entries.push_back(std::move(entry));
        }
        const std::size_t first = figure().items.size();
        const double height =
            addLegend(figure(), entries, frame_.left(), options_.widthMm, top, options_.fontPt);
        for (std::size_t i = first; i < figure().items.size(); ++i)
            if (auto* one = std::get_if<FigureText>(&figure().items[i])) one->colour = look_.ink;
        return top + height;
    }

    const std::vector<ResultsSeries>& series_;
    const ResultsFigureOptions& options_;
    const ResultsLook& look_;
    const double em_;
    const MetricDescription* metric_;
    const Axis* axis_ = nullptr;
    bool lines_ = false, logarithmic_ = false;
    QRectF frame_;
    FigureScale across_, upright_;
    ResultsDrawing drawing_;
};

}  // namespace

QColor seriesColour(std::size_t planner, bool dark) {
    const QColor colours[] = {dark ? QColor(0x56, 0xB4, 0xE9) : QColor(0x00, 0x72, 0xB2),
                              QColor(0xD5, 0x5E, 0x00),
                              QColor(0x00, 0x9E, 0x73),
                              QColor(0xE6, 0x9F, 0x00),
                              QColor(0xCC, 0x79, 0xA7),
                              dark ? QColor(0x00, 0x72, 0xB2) : QColor(0x56, 0xB4, 0xE9),
                              dark ? QColor(0xF0, 0xE4, 0x42) : QColor(0x40, 0x40, 0x40)};
    return colours[planner % std::size(colours)];
}

ResultsDrawing drawResults(const Grid& grid, const std::vector<ResultsSeries>& series,
                           const ChartChoice& choice, const ResultsFigureOptions& options,
                           const ResultsLook& look) {
    return ResultsPainter(grid, series, choice, options, look).draw();
}

Figure resultsFigure(const Grid& grid, const std::vector<CellResult>& cells, const ChartChoice& choice,
                     const ResultsFigureOptions& options) {
    const std::vector<ResultsSeries> series = seriesOf(grid, cells, choice);
    if (std::all_of(series.begin(), series.end(),
                    [](const ResultsSeries& each) { return each.points.empty(); }))
        throw std::invalid_argument("there is no result to draw");
    const ResultsLook paper{QColor(0, 0, 0), QColor(0x40, 0x40, 0x40), QColor(0xD8, 0xD8, 0xD8),
                            QColor(0xFF, 0xFF, 0xFF), false};
    Figure figure = drawResults(grid, series, choice, options, paper).figure;
    return options.grey ? inGrey(std::move(figure)) : figure;
}

}  // namespace stagecraft
