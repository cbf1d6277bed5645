#include "views/figures/memory_lines.h"

#include "core/base/units.h"
#include "views/figures/colour_map.h"
#include "views/figures/step_bands.h"

#include <algorithm>
#include <array>
#include <set>

namespace stagecraft::views::figures {
namespace {

constexpr double memoryLineMm = 0.35;
constexpr double lightestLine = 0.8;  // of the scale, which ends in a yellow that paper does not show
const Stroke framing{QColor(0x40, 0x40, 0x40), 0.15, {}}, limiting{QColor(0xC0, 0x20, 0x10), 0.3, {1.2, 0.6}};
const QString lineTitle = QStringLiteral("memory");

struct LevelStep {
    double fromMm;
    std::array<double, 1> top;
};

Stroke strokeOfLine(std::size_t line, std::size_t lines) {
    static const std::array<std::vector<double>, 4> dashes = {
        {{}, {1.5, 0.6}, {0.5, 0.5}, {1.5, 0.5, 0.4, 0.5}}};
    const double place = lines > 1 ? static_cast<double>(line) / static_cast<double>(lines - 1) : 0;
    return {sequentialColour(lightestLine * place), memoryLineMm, dashes[line % dashes.size()]};
}

std::string roleOfLine(const MemoryLine& line) { return "memory of " + line.name.toStdString(); }

std::vector<QPointF> cornersOf(const MemoryLine& line, const FigureScale& time, const FigureScale& bytes) {
    const auto steps = visibleSteps(*line.curve->steps, time, [&line](std::size_t step, double atMm) {
        return LevelStep{atMm, {line.curve->totalAt(step)}};
    });
    std::vector<QPointF> corners;
    for (const LevelStep& step : steps) {
        const double y = bytes.at(step.top.back());
        if (!corners.empty()) corners.emplace_back(step.fromMm, corners.back().y());
        corners.emplace_back(step.fromMm, y);
    }
    if (!corners.empty()) corners.emplace_back(time.at(time.to), corners.back().y());
    return corners;
}

/// Those above the axis in words, the others as lines.
void addLimits(Figure& figure, const std::vector<MemoryLine>& lines, const QRectF& frame,
               const FigureScale& bytes, double fontPt, std::vector<LegendEntry>& legend) {
    std::set<double> limits, above;
    for (const MemoryLine& line : lines)
        if (const double limit = line.curve->limitBytes; limit > 0)
            (limit <= bytes.to ? limits : above).insert(limit);
    for (const double limit : limits)
        figure.add(FigureLine{{frame.left(), bytes.at(limit)},
                              {frame.right(), bytes.at(limit)},
                              limiting,
                              false,
                              "memory limit"});
    if (!limits.empty()) legend.push_back({"memory limit", {}, limiting, true, "memory limit"});
    if (above.empty()) return;
    const QString least = QString::fromStdString(formatBytes(*above.begin()));
    const QString text =
        above.size() == 1 ? QStringLiteral("limit ") + least : QStringLiteral("limits from %1").arg(least);
    figure.add(FigureText{{frame.right(), frame.top()},
                          fittingWording({text + QStringLiteral(" (above)"), text}, frame.width(), fontPt),
                          fontPt,
                          TextAnchor::end,
                          TextRise::top,
                          0,
                          limiting.colour});
}

void addBytesAxis(Figure& figure, const QRectF& frame, const FigureScale& bytes, double fontPt) {
    constexpr double lineEm = 0.65, perTickEm = 3;
    const double em = mmOfPoints(fontPt);
    const AxisTicks ticks =
        byteTicks(bytes.to, std::max(3, static_cast<int>(frame.height() / (perTickEm * em))));
    figure.add(FigureLine{frame.topLeft(), frame.bottomLeft(), framing, false, "axis"});
    for (const double value : ticks.values) {
        const double y = bytes.at(value);
        figure.add(FigureLine{{frame.left() - 0.7, y}, {frame.left(), y}, framing, false, "axis"});
        figure.add(FigureText{
            {frame.left() - 1.1, y}, ticks.label(value), fontPt, TextAnchor::end, TextRise::middle});
    }
    for (const auto& [text, side] : {std::pair(lineTitle, -1), std::pair('(' + ticks.unitName + ')', 1)})
        figure.add(FigureText{{0.4, frame.center().y() + side * lineEm * em},
                              text,
                              fontPt,
                              TextAnchor::start,
                              TextRise::middle});
}

}  // namespace

double memoryLinesLabelMm(double fontPt) {
    return textWidthMm(lineTitle, fontPt) + textWidthMm(QStringLiteral("0000"), fontPt) + 1.4;
}

std::vector<LegendEntry> addMemoryLines(Figure& figure, const std::vector<MemoryLine>& lines,
                                        const QRectF& frame, const FigureScale& time, double fontPt,
                                        double topBytes) {
    const FigureScale bytes{0, topBytes, frame.bottom(), frame.top()};
    std::vector<LegendEntry> legend;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const Stroke stroke = strokeOfLine(i, lines.size());
        figure.add(FigurePolygon{cornersOf(lines[i], time, bytes), false, {}, stroke, roleOfLine(lines[i])});
        legend.push_back({lines[i].name, {}, stroke, true, roleOfLine(lines[i]), {}, static_cast<int>(i)});
    }
    addLimits(figure, lines, frame, bytes, fontPt, legend);
    addBytesAxis(figure, frame, bytes, fontPt);
    return legend;
}

}  // namespace stagecraft::views::figures
