#include "core/base/units.h"
#include "views/common/theme.h"
#include "views/experiments/results_painter.h"
#include "views/figures/colour_map.h"

#include <QObject>

#include <algorithm>
#include <cmath>

namespace stagecraft::views::experiments {

namespace {

constexpr double barMm = 3;
constexpr int barSteps = 64;
/// Neighbours overlap by this much, so that no viewer shows a seam between them.
constexpr double overlapMm = 0.08;
constexpr std::size_t mostNumbers = 400;
constexpr double printedShare = 0.2;  ///< half the width of a diamond, of its cell

/// A metric over two axes, as colours with a scale beside them. What is divided by another planner's has its
/// middle at 1, and the same distance for twice as for half as much.
class HeatPainter : public ResultsPainter {
public:
    explicit HeatPainter(const Input& input) : ResultsPainter(input) {
        double low = INFINITY, high = -INFINITY;
        for (const ResultsSeries& row : in.series)
            for (const ResultsPoint& point : row.points) {
                if (point.printed) low = std::min(low, *point.printed), high = std::max(high, *point.printed);
                if (point.spread.count == 0) continue;
                low = std::min(low, point.spread.mean);
                high = std::max(high, point.spread.mean);
            }
        empty_ = !(low <= high);
        if (empty_) low = 0, high = 1;
        ratio_ = in.choice.relativeTo.has_value() && low > 0;
        if (ratio_) {
            high = std::max({high, 1 / low, 1.01});
            low = 1 / high;
        }
        const bool logarithmic = ratio_ || (in.choice.logarithmicMetric && low > 0);
        if (!(high > low)) high = logarithmic ? 2 * low : low + std::max(1.0, std::abs(low));
        colours_ = PlotScale(low, high, logarithmic);
        colours_.place(0, 1);
        readUnit_ = readUnit(high, unit());
    }

    PlotAxis across(double widthMm) const override { return names(axis(), widthMm, true); }
    PlotAxis upright(double heightMm) const override { return names(&uprightAxis(), heightMm, false); }

    void draw(ResultsDrawing& out, const QRectF& frame, const PlotScale& across, const PlotScale& upright,
              std::size_t first, std::size_t last) override {
        out.cellMm = QSizeF(across.at(1) - across.at(0), upright.at(0) - upright.at(1));
        const QRectF cell(QPointF(0, 0), out.cellMm);
        const bool numbered = (last - first) * in.series[first].points.size() <= mostNumbers;
        for (std::size_t i = first; i < last; ++i)
            for (const ResultsPoint& point : in.series[i].points) {
                const QPointF middle(across.at(static_cast<double>(point.value)),
                                     upright.at(static_cast<double>(in.series[i].row)));
                out.pointsMm[i].push_back(middle);
                QRectF box = cell.translated(middle - cell.center());
                if (!box.intersects(frame)) continue;
                drawCell(out.figure, box, point, numbered);
                if (point.printed) drawPrintedIn(out.figure, box, point);
            }
    }

    std::vector<LegendEntry> legend() const override {
        std::vector<LegendEntry> entries;
        for (const auto& [statuses, text] : withoutKinds())
            if (hasAny(statuses))
                entries.push_back(
                    {text, without(statuses.front()), {in.look.muted, 0.1, {}}, false, "no plan", {}});
        addPrintedEntry(entries);
        return entries;
    }

    double rightMm() const override {
        if (empty_) return 0;
        double widest = 0;
        for (const PlotTick& tick : scaleAxis(30).ticks)
            widest = std::max(widest, textWidthMm(tick.label, in.options.fontPt));
        return 2 + barMm + 1 + widest + 1.6 * em();
    }

    void drawRight(Figure& figure, const QRectF& room) const override {
        if (empty_) return;
        PlotAxis axis = scaleAxis(room.height());
        axis.scale.place(room.bottom(), room.top());
        const double left = room.left() + 2, step = room.height() / barSteps;
        for (int i = 0; i < barSteps; ++i)
            figure.add(FigureRectangle{// Up to the end, so that the next one leaves no seam.
                                       QRectF(left, room.top(), barMm, room.height() - i * step),
                                       {mapped((i + 0.5) / barSteps)},
                                       {},
                                       "scale"});
        const Stroke line{in.look.muted, 0.2, {}};
        figure.add(FigureRectangle{QRectF(left, room.top(), barMm, room.height()), {}, line, "axis"});
        double widest = 0;
        for (const PlotTick& tick : axis.ticks) {
            const double y = axis.scale.at(tick.value);
            figure.add(FigureLine{{left + barMm, y}, {left + barMm + 0.6, y}, line, false, "axis"});
            figure.add(FigureText{{left + barMm + 1, y},
                                  tick.label,
                                  in.options.fontPt,
                                  TextAnchor::start,
                                  TextRise::middle,
                                  0,
                                  in.look.muted});
            widest = std::max(widest, textWidthMm(tick.label, in.options.fontPt));
        }
        figure.add(FigureText{{left + barMm + 1 + widest + 0.9 * em(), room.center().y()},
                              cutToWidth(axis.title, room.height(), in.options.fontPt),
                              in.options.fontPt,
                              TextAnchor::middle,
                              TextRise::middle,
                              -90,
                              in.look.muted});
    }

private:
    void drawCell(Figure& figure, const QRectF& box, const ResultsPoint& point, bool numbered) const {
        if (point.status == CellStatus::open) return;
        const bool known = point.spread.count > 0;
        figure.add(FigureRectangle{box.adjusted(0, 0, overlapMm, overlapMm),
                                   known ? Fill{colourOf(point.spread.mean)} : without(point.status),
                                   {},
                                   known ? "cell" : "no plan"});
        if (known && numbered) writeNumber(figure, box.size(), box.center(), point.spread.mean);
    }

    /// In the corner, in the colour that the cell would have with the source's number.
    void drawPrintedIn(Figure& figure, const QRectF& box, const ResultsPoint& point) const {
        const double half = std::min(2 * printedSignMm, printedShare * std::min(box.width(), box.height()));
        const QColor outline = point.spread.count > 0 ? readableOn(colourOf(point.spread.mean)) : in.look.ink;
        drawPrinted(figure, box.topRight() + QPointF(-1.3 * half, 1.3 * half), outline, "cell printed",
                    colourOf(*point.printed), half);
    }

    const Axis& uprightAxis() const { return in.grid.experiment().axes[in.choice.upright]; }

    PlotAxis names(const Axis* axis, double roomMm, bool level) const {
        const auto count = static_cast<double>(axis->values.size());
        const PlotScale whole(-0.5, count - 0.5, false);
        const double labelMm =
            level ? std::max(0.96 * roomMm / count / in.options.part.width(), 6 * em()) : 12 * em();
        return {level ? shownAcross(whole) : shownUpright(whole), nameTicks(axis, labelMm), axisText(*axis),
                false};
    }

    PlotAxis scaleAxis(double heightMm) const {
        QString title = metricTitle();
        if (const std::size_t seeds = seedsOf(in.series); seeds > 1)
            title += QObject::tr(", mean of %1 seeds").arg(seeds);
        return numberAxis(colours_, unit(), title, std::max(2, static_cast<int>(heightMm / (2.4 * em()))));
    }

    QColor mapped(double position) const {
        return ratio_ ? divergingColour(position) : sequentialColour(position);
    }
    QColor colourOf(double value) const { return mapped(colours_.at(value)); }
    Fill without(CellStatus status) const {
        const Hatch hatch = status == CellStatus::infeasible ? Hatch::rising
                            : status == CellStatus::ok       ? Hatch::horizontal
                                                             : Hatch::cross;
        return {in.look.surface, hatch, in.look.muted};
    }

    bool hasAny(const std::vector<CellStatus>& statuses) const {
        for (const ResultsSeries& row : in.series)
            for (const ResultsPoint& point : row.points)
                if (point.spread.count == 0 &&
                    std::find(statuses.begin(), statuses.end(), point.status) != statuses.end())
                    return true;
        return false;
    }

    void writeNumber(Figure& figure, const QSizeF& cell, const QPointF& middle, double value) const {
        const QString text = QString::fromStdString(formatNumber(value / readUnit_.first));
        const double size = in.options.fontPt;
        if (textWidthMm(text, size) > 0.9 * cell.width() || 1.3 * capHeightMm(size) > cell.height()) return;
        figure.add(FigureText{middle, text, size, TextAnchor::middle, TextRise::middle, 0,
                              readableOn(colourOf(value))});
    }

    PlotScale colours_;
    std::pair<double, QString> readUnit_;  ///< in which numbers are in the cells, as on the scale
    bool ratio_ = false;
    bool empty_ = false;  ///< nothing has a colour yet
};

}  // namespace

std::unique_ptr<ResultsPainter> heatPainter(const ResultsPainter::Input& input) {
    return std::make_unique<HeatPainter>(input);
}

}  // namespace stagecraft::views::experiments
