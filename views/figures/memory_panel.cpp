#include "views/figures/memory_panel.h"

#include "core/model/units.h"
#include "views/figures/schedule_figure.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace stagecraft {
namespace {

constexpr double columnMm = 0.1;
constexpr double offScale = 2.5;
const QString panelTitle = "memory of";

using Levels = std::array<double, memoryKindCount>;  ///< cumulated from the bottom

struct Step {
    double fromMm;
    Levels top;
};

Levels levelsAt(const MemoryCurve& curve, std::size_t step) {
    Levels levels{};
    double sum = 0;
    for (std::size_t kind = 0; kind < levels.size(); ++kind) levels[kind] = sum += curve.bytes[kind][step];
    return levels;
}

/// The visible steps; of those that fall into one tenth of a millimetre the highest stands for all.
std::vector<Step> visibleSteps(const MemoryCurve& curve, const FigureScale& time) {
    std::vector<Step> steps;
    for (std::size_t i = curve.stepAt(time.from); i < curve.timeS.size() && curve.timeS[i] < time.to; ++i) {
        const Step step{time.at(std::max(curve.timeS[i], time.from)), levelsAt(curve, i)};
        if (steps.size() > 1 && step.fromMm - steps.back().fromMm < columnMm) {
            if (step.top.back() > steps.back().top.back()) steps.back().top = step.top;
        } else if (steps.empty() || step.top != steps.back().top) {
            steps.push_back(step);
        }
    }
    return steps;
}

/// The area between two cumulated levels; `kind` is the upper one.
std::vector<QPointF> band(const std::vector<Step>& steps, std::size_t kind, double endMm,
                          const FigureScale& bytes) {
    std::vector<QPointF> upper, lower;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const double to = i + 1 < steps.size() ? steps[i + 1].fromMm : endMm;
        const double top = bytes.at(steps[i].top[kind]);
        const double bottom = bytes.at(kind == 0 ? 0 : steps[i].top[kind - 1]);
        if (upper.empty() || upper.back().y() != top)
            upper.insert(upper.end(), {{steps[i].fromMm, top}, {to, top}});
        else
            upper.back().setX(to);
        if (lower.empty() || lower.back().y() != bottom)
            lower.insert(lower.end(), {{steps[i].fromMm, bottom}, {to, bottom}});
        else
            lower.back().setX(to);
    }
    upper.insert(upper.end(), lower.rbegin(), lower.rend());
    return upper;
}

}  // namespace

int fullestDevice(const std::vector<MemoryCurve>& curves) {
    int best = -1;
    double fullest = -1;
    for (std::size_t i = 0; i < curves.size(); ++i) {
        const double limit = curves[i].limitBytes;
        const double share = limit > 0 ? curves[i].peakBytes() / limit : curves[i].peakBytes();
        if (share > fullest) {
            fullest = share;
            best = static_cast<int>(i);
        }
    }
    return best;
}

double memoryLabelMm(const QString& deviceName, double fontPt) {
    const double name = std::max(textWidthMm(panelTitle, fontPt), textWidthMm(deviceName + " (GiB)", fontPt));
    return name + textWidthMm("00.0", fontPt - 1) + 1.4;
}

void addMemoryPanel(Figure& figure, const MemoryCurve& curve, const QString& deviceName, const QRectF& frame,
                    const FigureScale& time, double fontPt, std::vector<LegendEntry>& legend) {
    const Stroke axis{QColor(0x40, 0x40, 0x40), 0.15, {}};
    const double peak = curve.peakBytes(), limit = curve.limitBytes;
    const bool drawLimit = limit > 0 && limit <= offScale * peak;
    const double highest = std::max({drawLimit ? limit * 1.08 : 0, peak * (drawLimit ? 1.12 : 1.35), 1.0});
    const FigureScale bytes{0, highest, frame.bottom(), frame.top()};
    const AxisTicks ticks = byteTicks(highest, 3);

    const double titleMm = frame.left() - 1.5 - textWidthMm("00.0", fontPt - 1);

    const std::vector<Step> steps = visibleSteps(curve, time);
    const double endMm = time.at(time.to);
    for (std::size_t kind = 0; kind < memoryKindCount; ++kind) {
        const bool shown = std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
            return step.top[kind] > (kind == 0 ? 0 : step.top[kind - 1]);
        });
        if (!shown) continue;
        const MemoryKind which = static_cast<MemoryKind>(kind);
        const std::string role = std::string("memory ") + memoryKindName(which);
        figure.add(FigurePolygon{band(steps, kind, endMm, bytes), true, memoryFill(which), {}, role});
        legend.push_back({QString(memoryKindName(which)), memoryFill(which), {}, false, role});
    }
    figure.add(FigureLine{frame.topLeft(), frame.bottomLeft(), axis, false, "axis"});
    for (const double value : ticks.values) {
        const double y = bytes.at(value);
        figure.add(FigureLine{{frame.left() - 0.7, y}, {frame.left(), y}, axis, false, "axis"});
        figure.add(FigureText{
            {frame.left() - 1.1, y}, ticks.label(value), fontPt - 1, TextAnchor::end, TextRise::middle});
    }
    figure.add(FigureText{{0.4, frame.center().y() - 0.65 * mmOfPoints(fontPt)},
                          panelTitle,
                          fontPt,
                          TextAnchor::start,
                          TextRise::middle});
    figure.add(FigureText{{0.4, frame.center().y() + 0.65 * mmOfPoints(fontPt)},
                          cutToWidth(QString("%1 (%2)").arg(deviceName, ticks.unitName), titleMm, fontPt),
                          fontPt,
                          TextAnchor::start,
                          TextRise::middle});
    const Stroke dashed{QColor(0xC0, 0x20, 0x10), 0.3, {1.2, 0.6}};
    if (drawLimit) {
        figure.add(FigureLine{{frame.left(), bytes.at(limit)},
                              {frame.right(), bytes.at(limit)},
                              dashed,
                              false,
                              "memory limit"});
        legend.push_back({"memory limit", {}, dashed, true, "memory limit"});
    } else if (limit > 0) {
        figure.add(FigureText{{frame.right(), frame.top()},
                              "limit " + QString::fromStdString(formatBytes(limit)),
                              fontPt - 1,
                              TextAnchor::end,
                              TextRise::top,
                              0,
                              dashed.colour});
    }
}

}  // namespace stagecraft
