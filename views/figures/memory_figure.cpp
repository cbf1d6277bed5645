#include "views/figures/memory_figure.h"

#include "views/common/device_names.h"
#include "views/figures/memory_panel.h"
#include "views/figures/step_bands.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

namespace stagecraft::views {
namespace {

bool knows(const std::vector<LegendEntry>& entries, const LegendEntry& entry) {
    return std::any_of(entries.begin(), entries.end(),
                       [&](const LegendEntry& known) { return known.text == entry.text; });
}

/// The devices that work on the lanes, on any without lanes, or `only` if it is 0 or more; ascending.
std::vector<int> memoryDevices(const PlanRun& run, const std::vector<int>& lanes, int only) {
    const Timeline& timeline = run.evaluation->timeline;
    const int count = static_cast<int>(run.evaluation->memory.size());
    if (only >= 0) return only < count ? std::vector<int>{only} : std::vector<int>{};
    std::set<int> devices;
    for (int i = 0; i < static_cast<int>(timeline.lanes.size()); ++i) {
        const Lane& lane = timeline.lanes[static_cast<std::size_t>(i)];
        const bool wanted = lanes.empty() || std::find(lanes.begin(), lanes.end(), i) != lanes.end();
        if (lane.kind == LaneKind::compute && wanted)
            devices.insert(lane.devices.begin(), lane.devices.end());
    }
    std::erase_if(devices, [count](int device) { return device >= count; });
    return {devices.begin(), devices.end()};
}

bool alike(const MemoryCurve& a, const MemoryCurve& b) {
    return a.limitBytes == b.limitBytes && a.timeS == b.timeS && a.bytes == b.bytes;
}

/// Neighbours of one curve share a panel, as the replicas of a stage do.
std::vector<std::vector<int>> panelsOf(const PlanRun& run, const std::vector<int>& devices) {
    const std::vector<MemoryCurve>& curves = run.evaluation->memory;
    std::vector<std::vector<int>> panels;
    for (const int device : devices) {
        const MemoryCurve& own = curves[static_cast<std::size_t>(device)];
        if (panels.empty() || !alike(curves[static_cast<std::size_t>(panels.back().front())], own))
            panels.emplace_back();
        panels.back().push_back(device);
    }
    return panels;
}

}  // namespace

Figure memoryFigure(const PlanRun& run, const ScheduleFigureOptions& options) {
    requireDrawable(run, options);
    const std::vector<int> devices = memoryDevices(run, options.lanes, options.memoryDevice);
    if (devices.empty()) throw std::invalid_argument("none of the devices asked for has memory to draw");
    const Timeline& timeline = run.evaluation->timeline;
    const double em = mmOfPoints(options.fontPt);
    const std::vector<std::vector<int>> panels = panelsOf(run, devices);
    const auto name = [&](const std::vector<int>& panel) {
        return deviceRange(run.costs->problem().cluster, panel, true);
    };
    double labelMm = 0;
    for (const auto& panel : panels) labelMm = std::max(labelMm, memoryLabelMm(name(panel), options.fontPt));
    const auto [from, to] =
        options.timeRangeS.value_or(std::pair(timeline.firstStartS(), timeline.lastEndS()));
    if (!(to > from)) throw std::invalid_argument("the figure's time range is empty");
    const FigureScale time{from, to, std::min(labelMm, 0.4 * options.widthMm) + 1.6,
                           options.widthMm - 0.4 - textWidthMm("00", options.fontPt) / 2};
    const double panelMm =
        options.laneMm > 0 ? options.laneMm : (static_cast<int>(panels.size()) > fewPanels ? 4 : 6) * em;

    Figure figure{options.widthMm, 0, QString::fromStdString(run.title()), {}};
    std::vector<LegendEntry> entries;
    const std::vector<SavedMemory> saved =
        savedMemory(*run.costs, run.result.plan, timeline, run.evaluation->memory);
    double y = 0.5 * em;
    for (const std::vector<int>& panel : panels) {
        std::vector<LegendEntry> own;
        addMemoryPanel(figure, run.evaluation->memory[static_cast<std::size_t>(panel.front())], name(panel),
                       QRectF(time.startMm, y, time.endMm - time.startMm, panelMm), time, options.fontPt, own,
                       &saved[static_cast<std::size_t>(panel.front())]);
        for (LegendEntry& entry : own)
            if (!knows(entries, entry)) entries.push_back(std::move(entry));
        y += panelMm + 0.8 * em;
    }
    const DrawnTimeAxis axis{options.axis, options.axis == FigureAxis::blocks ? forwardBlockS(timeline) : 0,
                             options.fontPt};
    y = addTimeAxis(figure, time, axis, y - 0.8 * em, 0.5 * em, 0) + 0.5 * em;
    if (options.legend) y += addLegend(figure, entries, 0.4, options.widthMm, y, options.fontPt);
    figure.heightMm = std::ceil(y * 10) / 10;
    return options.grey ? inGrey(std::move(figure)) : figure;
}

}  // namespace stagecraft::views
