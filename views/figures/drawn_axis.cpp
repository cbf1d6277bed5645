#include "views/figures/drawn_axis.h"

#include <algorithm>

namespace stagecraft::views::figures {
namespace {

AxisTicks secondTicks(const FigureScale& time, int about, TimeUnit unit) {
    switch (unit) {
        case TimeUnit::seconds:
            return numberTicks(time.from, time.to, about, 1, QStringLiteral("s"));
        case TimeUnit::milliseconds:
            return numberTicks(time.from, time.to, about, 1e-3, QStringLiteral("ms"));
        case TimeUnit::microseconds:
            return numberTicks(time.from, time.to, about, 1e-6, QString(QChar(0x00B5)) + 's');
        case TimeUnit::automatic:
            break;
    }
    return timeTicks(time.from, time.to, about);
}

AxisTicks ticksOf(const FigureScale& time, const DrawnTimeAxis& axis) {
    const double em = mmOfPoints(axis.fontPt);
    const int about = std::max(2, static_cast<int>((time.endMm - time.startMm) / (3.5 * em)));
    return axis.countsBlocks() ? numberTicks(time.from, time.to, about, axis.blockS)
                               : secondTicks(time, about, axis.unit);
}

}  // namespace

double timeEndMm(FigureScale time, const DrawnTimeAxis& axis, double widthMm) {
    constexpr double edgeMm = 0.4;
    time.endMm = widthMm - edgeMm - textWidthMm("00", axis.fontPt) / 2;
    if (axis.counts == FigureAxis::none) return time.endMm;
    const AxisTicks ticks = ticksOf(time, axis);
    if (ticks.values.empty()) return time.endMm;
    const double last = ticks.values.back(), half = textWidthMm(ticks.label(last), axis.fontPt) / 2;
    const double share = (last - time.from) / (time.to - time.from);
    const double mostMm = time.startMm + (widthMm - edgeMm / 2 - half - time.startMm) / std::max(share, 0.5);
    return std::min(time.endMm, mostMm);
}

double forwardBlockS(const Timeline& timeline) {
    std::vector<double> durations;
    for (std::uint32_t block = 0; block < timeline.blockCount(); ++block)
        if (timeline.kind[block] == BlockKind::forward && timeline.durationS(block) > 0)
            durations.push_back(timeline.durationS(block));
    if (durations.empty()) return 0;
    const auto middle = durations.begin() + static_cast<std::ptrdiff_t>(durations.size() / 2);
    std::nth_element(durations.begin(), middle, durations.end());
    return *middle;
}

double addTimeAxis(Figure& figure, const FigureScale& time, const DrawnTimeAxis& axis, double yMm,
                   double gridTopMm, std::size_t gridPosition) {
    if (axis.counts == FigureAxis::none) return yMm;
    const Stroke line{QColor(0x40, 0x40, 0x40), 0.15, {}}, gridLine{QColor(0xDD, 0xDD, 0xDD), 0.1, {}};
    const double em = mmOfPoints(axis.fontPt);
    const bool blocks = axis.countsBlocks();
    const AxisTicks ticks = ticksOf(time, axis);
    std::vector<FigureItem> grid;
    for (const double value : ticks.values)
        if (value <= axis.gridToS)
            grid.push_back(
                FigureLine{{time.at(value), gridTopMm}, {time.at(value), yMm}, gridLine, false, "grid"});
    figure.items.insert(figure.items.begin() + static_cast<std::ptrdiff_t>(gridPosition), grid.begin(),
                        grid.end());
    if (axis.hidden) return yMm;
    figure.add(FigureLine{{time.startMm, yMm}, {time.endMm, yMm}, line, false, "axis"});
    for (const double value : ticks.values) {
        const double x = time.at(value);
        figure.add(FigureLine{{x, yMm}, {x, yMm + 0.7}, line, false, "axis"});
        figure.add(
            FigureText{{x, yMm + 1.1}, ticks.label(value), axis.fontPt, TextAnchor::middle, TextRise::top});
    }
    const double titleY = yMm + 1.1 + 1.3 * em;
    figure.add(FigureText{
        {(time.startMm + time.endMm) / 2, titleY},
        QString(axis.title.isEmpty() ? QStringLiteral("time ({unit})") : axis.title)
            .replace(QStringLiteral("{unit}"), blocks ? QStringLiteral("forward passes") : ticks.unitName),
        axis.fontPt,
        TextAnchor::middle,
        TextRise::top});
    return titleY + 1.1 * em;
}

}  // namespace stagecraft::views::figures
