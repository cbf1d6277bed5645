#include "views/figures/memory_panel.h"

#include "core/base/units.h"
#include "core/runs/cautions.h"
#include "views/figures/figure_fills.h"
#include "views/figures/step_bands.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace stagecraft::views::figures {
namespace {

constexpr double offScale = 2.5;     // of the peak: a limit further above would flatten the curve
constexpr double leastBandMm = 0.1;  // what nobody can see has no place in the legend
const QString panelTitle = "memory of", shortTitle = "memory";

using Levels = std::array<double, memoryKindCount>;  ///< cumulated from the bottom

struct Step {
    double fromMm;
    Levels top;
};

/// What a device would hold with all activations kept: on top of what it holds what swap, then what recompute
/// keeps out of memory.
constexpr std::size_t savedLevels = 3;
struct SavedStep {
    double fromMm;
    std::array<double, savedLevels> top;
};

SavedStep savedAt(const SavedMemory& saved, std::size_t step, double atMm) {
    const double withSwap = saved.held[step] + std::max(0.0, saved.bySwap[step]);
    return {atMm, {saved.held[step], withSwap, std::max(withSwap, saved.keptAt(step))}};
}

Levels levelsAt(const MemoryCurve& curve, std::size_t step) {
    Levels levels{};
    double sum = 0;
    for (std::size_t kind = 0; kind < levels.size(); ++kind) levels[kind] = sum += curve.bytes()[kind][step];
    return levels;
}

/// Hatched without a ground, so that they do not pass for something held.
Fill savedFill(BlockKind by) {
    Fill fill = blockFill(by);
    return {QColor(0xFF, 0xFF, 0xFF), by == BlockKind::swapOut ? Hatch::rising : Hatch::falling, fill.colour};
}

void addSaved(Figure& figure, const SavedMemory& saved, const FigureScale& time, const FigureScale& bytes,
              std::vector<LegendEntry>& legend) {
    const std::vector<SavedStep> steps =
        visibleSteps(saved, time, [&saved](std::size_t i, double atMm) { return savedAt(saved, i, atMm); });
    const auto add = [&](std::size_t level, BlockKind by, const QString& text) {
        if (std::none_of(steps.begin(), steps.end(),
                         [level](const SavedStep& step) { return step.top[level] > step.top[level - 1]; }))
            return;
        const Stroke edge{blockFill(by).colour, 0.15, {}};
        const std::string role = "memory " + text.toStdString();
        figure.add(
            FigurePolygon{stepBand(steps, level, time.at(time.to), bytes), true, savedFill(by), edge, role});
        legend.push_back({text, savedFill(by), edge, false, role});
    };
    add(1, BlockKind::swapOut, "saved by swap");
    add(2, BlockKind::recompute, "saved by recompute");
}

/// A band for each kind that the device holds something of.
void addKinds(Figure& figure, const MemoryCurve& curve, const FigureScale& time, const FigureScale& bytes,
              std::vector<LegendEntry>& legend) {
    const std::vector<Step> steps = visibleSteps(*curve.steps, time, [&curve](std::size_t i, double atMm) {
        return Step{atMm, levelsAt(curve, i)};
    });
    const double endMm = time.at(time.to);
    for (std::size_t kind = 0; kind < memoryKindCount; ++kind) {
        double highestMm = 0;
        for (const Step& step : steps)
            highestMm =
                std::max(highestMm, bytes.at(kind == 0 ? 0 : step.top[kind - 1]) - bytes.at(step.top[kind]));
        if (highestMm < leastBandMm) continue;
        const MemoryKind which = static_cast<MemoryKind>(kind);
        const std::string role = std::string("memory ") + memoryKindName(which);
        figure.add(FigurePolygon{stepBand(steps, kind, endMm, bytes), true, memoryFill(which), {}, role});
        legend.push_back({QString(memoryKindName(which)), memoryFill(which), {}, false, role});
    }
}

}  // namespace

int peakDevice(const std::vector<MemoryCurve>& curves) {
    int best = -1;
    double highest = -1;
    for (std::size_t i = 0; i < curves.size(); ++i) {
        const double limit = curves[i].limitBytes;
        const double share = limit > 0 ? curves[i].peakBytes() / limit : curves[i].peakBytes();
        if (share > highest) {
            highest = share;
            best = static_cast<int>(i);
        }
    }
    return best;
}

double memoryTopBytes(const MemoryCurve& curve, const SavedMemory* saved) {
    const double peak = curve.peakBytes(), limit = curve.limitBytes;
    const double savedTop = saved ? saved->keptPeakBytes() * 1.05 : 0;
    const bool drawLimit = limit > 0 && limit <= std::max(offScale * peak, savedTop);
    return std::max({drawLimit ? limit * 1.08 : 0, peak * (drawLimit ? 1.12 : 1.35), savedTop, 1.0});
}

QString markedMemoryName(const PlanRun& run, const QString& deviceName) {
    const bool hasWord = std::any_of(deviceName.begin(), deviceName.end(),
                                     [](QChar each) { return each.isLetter() || each == '$'; });
    const QString name = hasWord ? deviceName : QStringLiteral("GPU ") + deviceName;
    const std::string mark = runs::memoryMark(run);
    return mark.empty() ? name : name + QStringLiteral(", ") + QString::fromStdString(mark);
}

double memoryLabelMm(const QString& deviceName, double fontPt) {
    const double name = std::max(textWidthMm(panelTitle, fontPt), textWidthMm(deviceName + " (GiB)", fontPt));
    return name + textWidthMm("0000", fontPt) + 1.4;
}

void addMemoryPanel(Figure& figure, const MemoryCurve& curve, const QString& deviceName, const QRectF& frame,
                    const FigureScale& time, double fontPt, std::vector<LegendEntry>& legend, double topBytes,
                    const SavedMemory* saved, bool saysLimit) {
    const Stroke axis{QColor(0x40, 0x40, 0x40), 0.15, {}};
    const double limit = curve.limitBytes;
    const bool drawLimit = limit > 0 && limit <= topBytes;
    const FigureScale bytes{0, topBytes, frame.bottom(), frame.top()};
    const AxisTicks ticks = byteTicks(topBytes, 3);

    const double titleMm = frame.left() - 1.5 - textWidthMm("0000", fontPt);

    addKinds(figure, curve, time, bytes, legend);
    if (saved && !saved->timeS.empty()) addSaved(figure, *saved, time, bytes, legend);
    figure.add(FigureLine{frame.topLeft(), frame.bottomLeft(), axis, false, "axis"});
    for (const double value : ticks.values) {
        const double y = bytes.at(value);
        figure.add(FigureLine{{frame.left() - 0.7, y}, {frame.left(), y}, axis, false, "axis"});
        figure.add(FigureText{
            {frame.left() - 1.1, y}, ticks.label(value), fontPt, TextAnchor::end, TextRise::middle});
    }
    figure.add(FigureText{{0.4, frame.center().y() - 0.65 * mmOfPoints(fontPt)},
                          fittingWording({panelTitle, shortTitle}, titleMm, fontPt),
                          fontPt,
                          TextAnchor::start,
                          TextRise::middle});
    figure.add(FigureText{
        {0.4, frame.center().y() + 0.65 * mmOfPoints(fontPt)},
        fittingWording({QString("%1 (%2)").arg(deviceName, ticks.unitName), ticks.unitName}, titleMm, fontPt),
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
    } else if (limit > 0 && saysLimit) {
        const QString limitText = QString::fromStdString(formatBytes(limit));
        figure.add(FigureText{
            {frame.right(), frame.top()},
            fittingWording({QString("limit %1 (above)").arg(limitText), QString("limit %1").arg(limitText)},
                           frame.width(), fontPt),
            fontPt,
            TextAnchor::end,
            TextRise::top,
            0,
            dashed.colour});
    }
}

}  // namespace stagecraft::views::figures
