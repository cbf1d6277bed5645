#include "views/experiments/results_painter.h"

#include <QObject>

#include <algorithm>
#include <cmath>

namespace stagecraft::views::experiments {

const Axis* ResultsPainter::axis() const {
    const std::vector<Axis>& axes = in.grid.experiment().axes;
    return in.choice.axis < axes.size() ? &axes[in.choice.axis] : nullptr;
}

PlotAxis ResultsPainter::measured(PlotAxis axis) const {
    if (std::all_of(in.series.begin(), in.series.end(),
                    [](const ResultsSeries& series) { return series.points.empty(); }))
        axis.ticks.clear();
    return axis;
}

QString ResultsPainter::metricTitle() const {
    const QString text = metricText(in.grid, in.choice);
    return text.left(1).toLower() + text.mid(1);
}

PlotScale ResultsPainter::shownAcross(const PlotScale& whole) const {
    return whole.part(in.options.part.left(), in.options.part.right());
}

PlotScale ResultsPainter::shownUpright(const PlotScale& whole) const {
    return whole.part(in.options.part.top(), in.options.part.bottom());
}

std::size_t ResultsPainter::tickStep(std::size_t values) const {
    constexpr double most = 100;
    const double shown = static_cast<double>(values) * in.options.part.width();
    return static_cast<std::size_t>(std::max(1.0, std::ceil(shown / most)));
}

std::vector<PlotTick> ResultsPainter::nameTicks(const Axis* axis, double roomMm) const {
    std::vector<PlotTick> ticks;
    const std::size_t step = axis ? tickStep(axis->values.size()) : 1;
    for (std::size_t value = 0; axis && value < axis->values.size(); value += step)
        ticks.push_back(
            {static_cast<double>(value),
             cutToWidth(QString::fromStdString(axis->values[value].label), roomMm, in.options.fontPt)});
    return ticks;
}

void ResultsPainter::drawPrinted(Figure& figure, const QPointF& at, const QColor& colour,
                                 const std::string& role, const std::optional<QColor>& fill,
                                 double halfMm) const {
    figure.add(FigurePolygon{{at + QPointF(0, -halfMm), at + QPointF(halfMm, 0), at + QPointF(0, halfMm),
                              at + QPointF(-halfMm, 0)},
                             true,
                             Fill{fill.value_or(in.look.surface)},
                             Stroke{colour, printedLineMm, {}},
                             role});
}

void ResultsPainter::addPrintedEntry(std::vector<LegendEntry>& entries) const {
    if (!anyPrinted(in.series)) return;
    LegendEntry entry{QObject::tr("printed in the paper"), {}, {}, false, "printed", {}};
    entry.sign = [this](Figure& figure, const QRectF& box) {
        drawPrinted(figure, box.center(), in.look.ink, "printed");
    };
    entries.push_back(std::move(entry));
}

const std::vector<WithoutKind>& withoutKinds() {
    static const std::vector<WithoutKind> kinds = {
        {{CellStatus::infeasible}, QObject::tr("no plan fits")},
        {{CellStatus::failed, CellStatus::invalid}, QObject::tr("failed")},
        {{CellStatus::ok}, QObject::tr("without this metric")}};
    return kinds;
}

void addPieces(Figure& figure, const std::vector<QPointF>& corners, const Stroke& stroke,
               const std::string& role) {
    constexpr std::size_t most = 32;
    for (std::size_t i = 0; i + 1 < corners.size(); i += most - 1) {
        const auto first = corners.begin() + static_cast<std::ptrdiff_t>(i);
        const auto last = corners.begin() + static_cast<std::ptrdiff_t>(std::min(i + most, corners.size()));
        figure.add(FigurePolygon{{first, last}, false, {}, stroke, role});
    }
}

}  // namespace stagecraft::views::experiments
