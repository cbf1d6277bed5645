#include "views/experiments/results_painter.h"

#include <QObject>

#include <algorithm>
#include <cmath>

namespace stagecraft::views::experiments {

namespace {

constexpr double seriesSignMm = 0.8;
constexpr double signsApartMm = 2.2;
constexpr double seriesLineMm = 0.35;
constexpr double crossMm = 0.6;  ///< half as wide as the mark of what has no plan
constexpr double stretchMm = 0.8;
/// Painters take long for an outline of many corners.
constexpr std::size_t mostInOutline = 200;
constexpr double hatchedMm = 1, boxedMm = 0.6, spreadMm = 0.25;  ///< how wide a bar has to be for that
constexpr double barShare = 0.8;                                 // of a group's room
constexpr double extremesShare = 0.18, quartilesShare = 0.4;     // of the series' colour over the surface
constexpr double longestNameShare = 0.3;  // of the figure's width, for a name below the axis
constexpr double logarithmicRoom = 1.15;  // above and below all values

/// A metric along an axis; what lines and bars have in common.
class AlongPainter : public ResultsPainter {
public:
    using ResultsPainter::ResultsPainter;

    PlotAxis upright(double heightMm) const override {
        double low = INFINITY, high = 0;
        const auto add = [&](double least, double most) {
            high = std::max(high, most);
            if (least > 0) low = std::min(low, least);
        };
        for (const ResultsSeries& each : in.series)
            for (const auto* points : {&each.points, &each.without})
                for (const ResultsPoint& point : *points) {
                    if (point.spread.count > 0) add(point.spread.least, point.spread.most);
                    if (point.printed) add(*point.printed, *point.printed);
                }
        if (!(high > 0)) high = 1;
        const bool logarithmic = in.choice.logarithmicMetric && low < INFINITY;
        const PlotScale whole = logarithmic ? PlotScale(low / logarithmicRoom, high * logarithmicRoom, true)
                                            : PlotScale(0, 1.05 * high, false);
        return measured(numberAxis(shownUpright(whole), unit(), metricTitle(),
                                   std::max(2, static_cast<int>(heightMm / (2.4 * em())))));
    }

protected:
    /// As far as the logarithm goes.
    static double heightAt(const PlotScale& upright, double value) {
        return upright.at(upright.logarithmic ? std::max(value, upright.from()) : value);
    }
    /// The number of values, at least one.
    double valueCount() const { return axis() ? static_cast<double>(axis()->values.size()) : 1; }
    PlotAxis namesAcross(double widthMm) const {
        const PlotScale whole(-0.5, valueCount() - 0.5, false);
        const double shown = valueCount() * in.options.part.width();
        const double room =
            widthMm / shown * static_cast<double>(tickStep(axis() ? axis()->values.size() : 1));
        return namedAxis(
            {shownAcross(whole), nameTicks(axis(), std::max(room, longestNameShare * in.options.widthMm)),
             axis() ? axisText(*axis()) : QString(), false},
            room, in.options.fontPt);
    }
    /// Each planner once, though it may have a series in each panel.
    template <typename Add>
    std::vector<LegendEntry> plannerEntries(const Add& add) const {
        std::vector<LegendEntry> entries;
        for (const ResultsSeries& series : in.series) {
            if (series.panel != in.series.front().panel) break;
            entries.push_back(add(series));
        }
        return entries;
    }
};

/// The points between which something of the frame's width is drawn.
std::vector<QPointF> inView(const std::vector<QPointF>& points, const QRectF& frame) {
    std::vector<QPointF> kept;
    const auto meets = [&](std::size_t k) {
        const auto [low, high] = std::minmax({points[k].x(), points[k + 1].x()});
        return high >= frame.left() - stretchMm && low <= frame.right() + stretchMm;
    };
    for (std::size_t k = 0; k < points.size(); ++k)
        if (points.size() == 1 || (k > 0 && meets(k - 1)) || (k + 1 < points.size() && meets(k)))
            kept.push_back(points[k]);
    return kept;
}

class LinesPainter : public AlongPainter {
public:
    explicit LinesPainter(const Input& input)
        : AlongPainter(input), byNumber_(axis() && axis()->numeric() && axis()->values.size() > 1) {}

    PlotAxis across(double widthMm) const override {
        if (!byNumber_) return namesAcross(widthMm);
        double from = INFINITY, to = -INFINITY;
        for (const AxisValue& value : axis()->values) {
            from = std::min(from, value.number);
            to = std::max(to, value.number);
        }
        const bool logarithmic = in.choice.logarithmicAcross && from > 0;
        PlotScale whole(from, to, logarithmic);
        const double air = 0.04 * (whole.mm.to - whole.mm.from);
        whole.mm.from -= air;
        whole.mm.to += air;
        PlotAxis shown{shownAcross(whole), {}, axisText(*axis()), false};
        const std::size_t step = tickStep(axis()->values.size());
        for (std::size_t i = 0; i < axis()->values.size(); i += step)
            shown.ticks.push_back(
                {axis()->values[i].number, QString::fromStdString(axis()->values[i].label)});
        return shown;
    }

    void draw(ResultsDrawing& out, const QRectF& frame, const PlotScale& across, const PlotScale& upright,
              std::size_t first, std::size_t last) override {
        frame_ = frame;
        for (std::size_t i = first; i < last; ++i) {
            drawBand(out.figure, in.series[i], across, upright, &Spread::least, &Spread::most, extremesShare);
            drawBand(out.figure, in.series[i], across, upright, &Spread::lower, &Spread::upper,
                     quartilesShare);
        }
        std::size_t row = 0;
        for (std::size_t i = first; i < last; ++i) {
            for (const ResultsPoint& point : in.series[i].points)
                out.pointsMm[i].emplace_back(xOf(point, across), heightAt(upright, point.spread.mean));
            drawLine(out.figure, in.series[i], inView(out.pointsMm[i], frame));
            drawAllPrinted(out.figure, in.series[i], across, upright);
            if (!in.series[i].without.empty()) drawWithout(out.figure, in.series[i], across, row++);
        }
    }

    std::vector<LegendEntry> legend() const override {
        std::vector<LegendEntry> entries = plannerEntries([this](const ResultsSeries& series) {
            LegendEntry entry{series.title, {}, strokeOf(series), true, role(series), {}};
            entry.sign = [this, &series](Figure& figure, const QRectF& box) {
                const double y = box.center().y();
                figure.add(
                    FigureLine{{box.left(), y}, {box.right(), y}, strokeOf(series), false, role(series)});
                drawSign(figure, series, box.center());
            };
            return entry;
        });
        if (const std::size_t seeds = seedsOf(in.series); seeds > 1) {
            LegendEntry entry{QObject::tr("mean, quartiles and extremes of %1 seeds").arg(seeds),
                              {},
                              {},
                              false,
                              "spread",
                              {}};
            entry.sign = [this](Figure& figure, const QRectF& box) {
                const double quarter = box.height() / 4;
                figure.add(FigureRectangle{box, faded(in.look.muted, extremesShare), {}, "spread"});
                figure.add(FigureRectangle{box.adjusted(0, quarter, 0, -quarter),
                                           faded(in.look.muted, quartilesShare),
                                           {},
                                           "quartiles"});
                figure.add(FigureLine{{box.left(), box.center().y()},
                                      {box.right(), box.center().y()},
                                      {in.look.muted, seriesLineMm, {}},
                                      false,
                                      "mean"});
            };
            entries.push_back(std::move(entry));
        }
        addPrintedEntry(entries);
        if (const QString text = withoutText(); !text.isEmpty()) {
            LegendEntry entry{text, {}, {}, false, "no plan", {}};
            entry.sign = [this](Figure& figure, const QRectF& box) {
                addCross(figure, box.center(), in.look.muted, "no plan");
            };
            entries.push_back(std::move(entry));
        }
        return entries;
    }

private:
    /// All reasons for which a point has no number.
    QString withoutText() const {
        QStringList reasons;
        for (const auto& [statuses, text] : withoutKinds()) {
            const auto isOne = [&statuses = statuses](const ResultsPoint& point) {
                return std::find(statuses.begin(), statuses.end(), point.status) != statuses.end();
            };
            if (std::any_of(in.series.begin(), in.series.end(), [&](const ResultsSeries& series) {
                    return std::any_of(series.without.begin(), series.without.end(), isOne);
                }))
                reasons << text;
        }
        return reasons.join(QStringLiteral(", "));
    }

    static void addCross(Figure& figure, const QPointF& at, const QColor& colour, const std::string& role) {
        const Stroke stroke{colour, seriesLineMm, {}};
        const QPointF rising(crossMm, -crossMm), falling(crossMm, crossMm);
        figure.add(FigureLine{at - rising, at + rising, stroke, false, role});
        figure.add(FigureLine{at - falling, at + falling, stroke, false, role});
    }

    /// A cross above the level axis, for each series that needs any in a row of its own.
    void drawWithout(Figure& figure, const ResultsSeries& series, const PlotScale& across,
                     std::size_t row) const {
        const double y = frame_.bottom() - crossMm * (1.5 + 3 * static_cast<double>(row));
        double drawn = -INFINITY;
        for (const ResultsPoint& point : series.without) {
            if (point.status == CellStatus::open) continue;  // there for what is printed
            const double x = xOf(point, across);
            if (x < frame_.left() - crossMm || x > frame_.right() + crossMm ||
                std::abs(x - drawn) < 3 * crossMm)
                continue;
            drawn = x;
            addCross(figure, {x, y}, colour(series.planner), role(series) + " no plan");
        }
    }

    /// The lines of series that have the same numbers lie on each other: those above leave gaps for those
    /// below.
    Stroke strokeOf(const ResultsSeries& series) const {
        static const std::vector<double> gaps[] = {{}, {2.4, 2.4}, {1.2, 3.6}, {0.6, 4.2}};
        return {colour(series.planner), seriesLineMm, gaps[std::min(below(series), std::size(gaps) - 1)]};
    }
    /// How many series before this one have the same numbers.
    std::size_t below(const ResultsSeries& series) const {
        const auto isSamePoint = [](const ResultsPoint& a, const ResultsPoint& b) {
            return a.value == b.value && a.spread.mean == b.spread.mean;
        };
        std::size_t count = 0;
        for (const ResultsSeries& other : in.series) {
            if (&other == &series) break;
            count += other.panel == series.panel && !series.points.empty() &&
                     std::equal(series.points.begin(), series.points.end(), other.points.begin(),
                                other.points.end(), isSamePoint);
        }
        return count;
    }
    Fill faded(const QColor& colour, double share) const {
        return {mixedColour(colour, in.look.surface, share)};
    }

    double xOf(const ResultsPoint& point, const PlotScale& across) const {
        return across.at(byNumber_ ? axis()->values[point.value].number : static_cast<double>(point.value));
    }

    void drawBand(Figure& figure, const ResultsSeries& series, const PlotScale& across,
                  const PlotScale& upright, double Spread::*low, double Spread::*high, double share) const {
        std::vector<QPointF> above, below;
        bool wide = false;
        for (const ResultsPoint& point : series.points) {
            const double x = xOf(point, across);
            above.emplace_back(x, heightAt(upright, point.spread.*high));
            below.emplace_back(x, heightAt(upright, point.spread.*low));
            wide = wide || point.spread.*high > point.spread.*low;
        }
        if (!wide) return;
        above = inView(above, frame_);
        below = inView(below, frame_);
        if (above.size() < 2) return;
        if (above.size() > mostInOutline) return drawColumns(figure, series, above, below, share);
        above.insert(above.end(), below.rbegin(), below.rend());
        figure.add(
            FigurePolygon{above, true, faded(colour(series.planner), share), {}, role(series) + " spread"});
    }

    /// Whether several points share a place.
    static bool isDense(const std::vector<QPointF>& points) {
        return points.size() > mostInOutline && std::abs(points.back().x() - points.front().x()) <
                                                    stretchMm * static_cast<double>(points.size());
    }

    /// A band, or a line, of many points: a column for each stretch, as high as it is there.
    void drawColumns(Figure& figure, const ResultsSeries& series, const std::vector<QPointF>& above,
                     const std::vector<QPointF>& below, double share) const {
        for (std::size_t i = 0; i < above.size();) {
            QRectF column(above[i], below[i]);
            std::size_t end = i + 1;
            for (; end < above.size() && above[end].x() - above[i].x() < stretchMm; ++end) {
                column.setTop(std::min(column.top(), above[end].y()));
                column.setBottom(std::max(column.bottom(), below[end].y()));
            }
            // It reaches to the next one, as the line or the outline would.
            if (end < above.size()) {
                column.setTop(std::min(column.top(), above[end].y()));
                column.setBottom(std::max(column.bottom(), below[end].y()));
            }
            column.setRight(end < above.size() ? above[end].x() : above[end - 1].x());
            if (column.height() < seriesLineMm) column.adjust(0, -seriesLineMm / 2, 0, seriesLineMm / 2);
            figure.add(FigureRectangle{column,
                                       faded(colour(series.planner), share),
                                       {},
                                       share < 1 ? role(series) + " spread" : role(series)});
            i = end;
        }
    }

    /// In the series' colour, joined by dashes in the order of the axis.
    void drawAllPrinted(Figure& figure, const ResultsSeries& series, const PlotScale& across,
                        const PlotScale& upright) const {
        std::vector<std::pair<std::size_t, QPointF>> places;
        for (const auto* points : {&series.points, &series.without})
            for (const ResultsPoint& point : *points)
                if (point.printed)
                    places.emplace_back(point.value,
                                        QPointF(xOf(point, across), heightAt(upright, *point.printed)));
        std::sort(places.begin(), places.end(),
                  [](const auto& a, const auto& b) { return a.first < b.first; });
        std::vector<QPointF> way;
        for (const auto& [value, at] : places) way.push_back(at);
        const std::string name = role(series) + " printed";
        addPieces(figure, way, {colour(series.planner), printedLineMm, {0.8, 0.8}}, name);
        for (const QPointF& at : way) drawPrinted(figure, at, colour(series.planner), name);
    }

    void drawSign(Figure& figure, const ResultsSeries& series, const QPointF& at) const {
        figure.add(FigurePolygon{plotSign(series.planner, at, seriesSignMm), true,
                                 Fill{colour(series.planner)}, Stroke{in.look.surface, 0.12, {}},
                                 role(series)});
    }

    void drawLine(Figure& figure, const ResultsSeries& series, const std::vector<QPointF>& points) const {
        if (isDense(points))
            drawColumns(figure, series, points, points, 1);
        else
            addPieces(figure, points, strokeOf(series), role(series));
        double drawn = -INFINITY;
        for (const QPointF& at : points) {
            if (points.size() > 40 && std::abs(at.x() - drawn) < signsApartMm) continue;
            drawn = at.x();
            drawSign(figure, series, at);
        }
    }

    const bool byNumber_;  ///< points are where their numbers are, not at equal distances
    QRectF frame_;         ///< of the panel that is being drawn
};

class BarsPainter : public AlongPainter {
public:
    using AlongPainter::AlongPainter;

    PlotAxis across(double widthMm) const override { return namesAcross(widthMm); }

    void draw(ResultsDrawing& out, const QRectF& frame, const PlotScale& across, const PlotScale& upright,
              std::size_t first, std::size_t last) override {
        const double width = barShare * (across.at(1) - across.at(0)) / static_cast<double>(last - first);
        const double base = upright.logarithmic ? frame.bottom() : heightAt(upright, 0);
        for (std::size_t i = first; i < last; ++i) {
            double drawnAt = -INFINITY, drawnTop = 0;
            const double shift =
                width * (static_cast<double>(i - first) - static_cast<double>(last - first) / 2);
            for (const ResultsPoint& point : in.series[i].points) {
                const double left = across.at(static_cast<double>(point.value)) + shift;
                const double top = heightAt(upright, point.spread.mean), middle = left + width / 2;
                out.pointsMm[i].emplace_back(middle, top);
                if (left > frame.right() || left + width < frame.left()) continue;
                // Of bars that share a place the highest is seen.
                if (width < spreadMm && left - drawnAt < spreadMm && top >= drawnTop) continue;
                drawnAt = left;
                drawnTop = top;
                Fill fill = fillOf(in.series[i]);
                if (width < hatchedMm) fill.hatch = Hatch::none;
                out.figure.add(FigureRectangle{
                    QRectF(left, top, 0.92 * width, base - top), fill, {}, role(in.series[i])});
                if (point.spread.most > point.spread.least && width > spreadMm)
                    drawSpread(out.figure, point.spread, left + 0.46 * width, 0.2 * width, upright);
            }
            drawAllPrinted(out.figure, in.series[i], across, upright, shift + 0.46 * width);
        }
    }

    std::vector<LegendEntry> legend() const override {
        std::vector<LegendEntry> entries = plannerEntries([this](const ResultsSeries& series) {
            return LegendEntry{series.title, fillOf(series), {}, false, role(series), {}};
        });
        if (const std::size_t seeds = seedsOf(in.series); seeds > 1) {
            LegendEntry entry{
                QObject::tr("quartiles and extremes of %1 seeds").arg(seeds), {}, {}, false, "spread", {}};
            entry.sign = [this](Figure& figure, const QRectF& box) {
                PlotScale upright(0, 4, false);
                upright.place(box.bottom(), box.top());
                drawSpread(figure, {2, 0, 4, 1, 3, 1}, box.center().x(), 0.5, upright);
            };
            entries.push_back(std::move(entry));
        }
        addPrintedEntry(entries);
        return entries;
    }

private:
    /// In the middle of each bar's place, also where there is no bar.
    void drawAllPrinted(Figure& figure, const ResultsSeries& series, const PlotScale& across,
                        const PlotScale& upright, double shift) const {
        for (const auto* points : {&series.points, &series.without})
            for (const ResultsPoint& point : *points)
                if (point.printed)
                    drawPrinted(figure,
                                {across.at(static_cast<double>(point.value)) + shift,
                                 heightAt(upright, *point.printed)},
                                in.look.ink, role(series) + " printed");
    }

    Fill fillOf(const ResultsSeries& series) const {
        constexpr Hatch hatches[] = {Hatch::none,  Hatch::rising,     Hatch::falling,
                                     Hatch::cross, Hatch::horizontal, Hatch::vertical};
        return {colour(series.planner), hatches[series.planner % std::size(hatches)], in.look.surface};
    }

    /// A whisker from least to most, a box from quartile to quartile.
    void drawSpread(Figure& figure, const Spread& spread, double x, double halfMm,
                    const PlotScale& upright) const {
        const Stroke thin{in.look.ink, 0.2, {}};
        const double low = heightAt(upright, spread.lower), high = heightAt(upright, spread.upper);
        figure.add(FigureLine{{x, heightAt(upright, spread.least)},
                              {x, heightAt(upright, spread.most)},
                              thin,
                              false,
                              "spread"});
        if (halfMm < 0.2 * boxedMm) return;
        figure.add(FigureRectangle{
            QRectF(x - halfMm, high, 2 * halfMm, low - high), {in.look.surface}, thin, "quartiles"});
    }
};

}  // namespace

std::unique_ptr<ResultsPainter> linesPainter(const ResultsPainter::Input& input) {
    return std::make_unique<LinesPainter>(input);
}

std::unique_ptr<ResultsPainter> barsPainter(const ResultsPainter::Input& input) {
    return std::make_unique<BarsPainter>(input);
}

}  // namespace stagecraft::views::experiments
