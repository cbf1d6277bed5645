#include "views/figures/memory_figure.h"

#include "views/common/device_names.h"
#include "views/common/lane_list.h"
#include "views/figures/memory_panel.h"
#include "views/figures/schedule_lanes.h"
#include "views/figures/step_bands.h"

#include <algorithm>
#include <stdexcept>

namespace stagecraft::views {
namespace {

/// The devices that work on the lanes, on any without lanes, or `memoryDevice` if it is 0 or more; in the
/// order of the lanes.
std::vector<int> memoryDevices(const PlanRun& run, const ScheduleFigureOptions& options) {
    const int count = static_cast<int>(run.evaluation->memory.size()), only = options.memoryDevice;
    if (only >= 0) return only < count ? std::vector<int>{only} : std::vector<int>{};
    const std::vector<int>& lanes = options.lanes;
    std::vector<int> devices;
    for (const ListedLane& listed : listedLanes(run, false, LaneMedium::print)) {
        const bool wanted =
            lanes.empty() || std::find(lanes.begin(), lanes.end(), listed.lane) != lanes.end();
        if (!listed.computes || !wanted) continue;
        for (const int device : run.evaluation->timeline.lanes[static_cast<std::size_t>(listed.lane)].devices)
            if (device < count && std::find(devices.begin(), devices.end(), device) == devices.end())
                devices.push_back(device);
    }
    if (options.firstStageBelow) std::reverse(devices.begin(), devices.end());
    return devices;
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

TimeDrawing drawMemory(const PlanRun& run, const ScheduleFigureOptions& options) {
    requireDrawable(run, options);
    const std::vector<int> devices = memoryDevices(run, options);
    if (devices.empty()) throw std::invalid_argument("none of the devices asked for has memory to draw");
    const Timeline& timeline = run.evaluation->timeline;
    const double em = mmOfPoints(options.fontPt);
    const std::vector<std::vector<int>> panels = panelsOf(run, devices);
    const LaneNaming naming(options.laneNames, options.firstNumber);
    const auto name = [&](const std::vector<int>& panel) {
        return markedMemoryName(run, devicesName(run, naming, panel));
    };
    double labelMm = 0;
    for (const auto& panel : panels) labelMm = std::max(labelMm, memoryLabelMm(name(panel), options.fontPt));
    const auto [from, to] =
        options.timeRangeS.value_or(std::pair(timeline.firstStartS(), timeline.lastEndS()));
    if (!(to > from)) throw std::invalid_argument("the figure's time range is empty");
    FigureScale time{from, to, std::max(std::min(labelMm, 0.4 * options.widthMm) + 1.6, options.leastStartMm),
                     0};
    time.endMm = timeEndMm(time, timeAxisOf(run, options), options.widthMm);
    const double panelMm =
        options.laneMm > 0 ? options.laneMm : (static_cast<int>(panels.size()) > fewPanels ? 4 : 6) * em;

    Figure figure{options.widthMm, 0, QString::fromStdString(run.title()), {}};
    std::vector<LegendEntry> entries;
    const std::vector<SavedMemory> saved =
        savedMemory(*run.costs, run.result.plan, timeline, run.evaluation->memory);
    double topBytes = options.leastTopBytes;
    for (const std::vector<int>& panel : panels) {
        const auto device = static_cast<std::size_t>(panel.front());
        topBytes = std::max(topBytes, memoryTopBytes(run.evaluation->memory[device], &saved[device]));
    }
    const double gapMm = 1.2 * em;  // between the highest number of one axis and the 0 of the one above
    double y = 0.5 * em;
    for (const std::vector<int>& panel : panels) {
        std::vector<LegendEntry> own;
        addMemoryPanel(figure, run.evaluation->memory[static_cast<std::size_t>(panel.front())], name(panel),
                       QRectF(time.startMm, y, time.endMm - time.startMm, panelMm), time, options.fontPt, own,
                       topBytes, &saved[static_cast<std::size_t>(panel.front())]);
        addMissing(entries, own);
        y += panelMm + gapMm;
    }
    figure.heightMm = addTimeAxis(figure, time, timeAxisOf(run, options), y - gapMm, 0.5 * em, 0) + 0.5 * em;
    renameEntries(entries, options.legendNames);
    return {std::move(figure), time, topBytes, {{}, std::move(entries)}};
}

Figure memoryFigure(const PlanRun& run, const ScheduleFigureOptions& options) {
    Figure figure = finished(drawMemory(run, options), options.legend, options.fontPt);
    return options.grey ? inGrey(std::move(figure)) : figure;
}

}  // namespace stagecraft::views
