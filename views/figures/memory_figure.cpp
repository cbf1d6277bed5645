#include "views/figures/memory_figure.h"

#include "views/common/text.h"
#include "views/common/lane_list.h"
#include "views/figures/memory_lines.h"
#include "views/figures/memory_panel.h"
#include "views/figures/schedule_lanes.h"
#include "views/figures/step_bands.h"

#include <algorithm>
#include <stdexcept>

namespace stagecraft::views::figures {
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
    return a.limitBytes == b.limitBytes && a.holdsTheSame(b);
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

class MemoryDrawing {
public:
    MemoryDrawing(const PlanRun& run, const ScheduleFigureOptions& options)
        : run_(run),
          options_(options),
          curves_(run.evaluation->memory),
          naming_(options.laneNames, options.firstNumber),
          em_(mmOfPoints(options.fontPt)) {
        const std::vector<int> devices = memoryDevices(run, options);
        if (devices.empty()) throw std::invalid_argument("none of the devices asked for has memory to draw");
        panels_ = panelsOf(run, devices);
        place();
    }

    TimeDrawing draw() {
        figure_ = Figure{options_.widthMm, 0, QString::fromStdString(run_.title()), {}};
        const double bottom = options_.memoryLines ? drawLines() : drawPanels();
        figure_.heightMm =
            addTimeAxis(figure_, time_, timeAxisOf(run_, options_), bottom, topMm(), 0) + 0.5 * em_;
        renameEntries(entries_, options_.legendNames);
        return {std::move(figure_), time_, topBytes_, 0, {{}, std::move(entries_)}};
    }

private:
    double topMm() const { return 0.5 * em_; }
    const MemoryCurve& curveOf(const std::vector<int>& panel) const {
        return curves_[static_cast<std::size_t>(panel.front())];
    }
    QString nameOf(const std::vector<int>& panel) const {
        return markedMemoryName(run_, devicesName(run_, naming_, panel));
    }

    void place() {
        double labelMm = options_.memoryLines ? memoryLinesLabelMm(options_.fontPt) : 0;
        if (!options_.memoryLines)
            for (const auto& panel : panels_)
                labelMm = std::max(labelMm, memoryLabelMm(nameOf(panel), options_.fontPt));
        const Timeline& timeline = run_.evaluation->timeline;
        const auto [from, to] =
            options_.timeRangeS.value_or(std::pair(timeline.firstStartS(), timeline.lastEndS()));
        if (!(to > from)) throw std::invalid_argument("the figure's time range is empty");
        time_ = {from, to, std::max(std::min(labelMm, 0.4 * options_.widthMm) + 1.6, options_.leastStartMm),
                 0};
        time_.endMm = timeEndMm(time_, timeAxisOf(run_, options_), options_.widthMm);
        topBytes_ = options_.leastTopBytes;
        if (!options_.memoryLines)
            saved_ = savedMemory(*run_.costs, run_.result.plan, run_.evaluation->lowered().edges, timeline,
                                 curves_);
        for (const std::vector<int>& panel : panels_)
            topBytes_ = std::max(topBytes_, memoryTopBytes(curveOf(panel), savedOf(panel)));
    }

    const SavedMemory* savedOf(const std::vector<int>& panel) const {
        return saved_.empty() ? nullptr : saved_[static_cast<std::size_t>(panel.front())].get();
    }

    QRectF frameFrom(double yMm, double usualEm) const {
        return {time_.startMm, yMm, time_.endMm - time_.startMm,
                options_.laneMm > 0 ? options_.laneMm : usualEm * em_};
    }

    /// @return where the last one ends
    double drawPanels() {
        constexpr double lowEm = 4, highEm = 6;
        const double gapMm = 1.2 * em_;  // between the highest number of one axis and the 0 of the one above
        const double usualEm = static_cast<int>(panels_.size()) > fewPanels ? lowEm : highEm;
        double y = topMm();
        for (const std::vector<int>& panel : panels_) {
            std::vector<LegendEntry> own;
            const QRectF frame = frameFrom(y, usualEm);
            const bool first = &panel == &panels_.front();
            addMemoryPanel(figure_, curveOf(panel), nameOf(panel), frame, time_, options_.fontPt, own,
                           topBytes_, savedOf(panel),
                           first || curveOf(panel).limitBytes != curveOf(panels_.front()).limitBytes);
            addMissing(entries_, own);
            y = frame.bottom() + gapMm;
        }
        return y - gapMm;
    }

    double drawLines() {
        constexpr double linesEm = 12;
        const QRectF frame = frameFrom(topMm(), linesEm);
        std::vector<MemoryLine> lines;
        for (const std::vector<int>& panel : panels_) lines.push_back({&curveOf(panel), nameOf(panel)});
        entries_ = addMemoryLines(figure_, lines, frame, time_, options_.fontPt, topBytes_);
        return frame.bottom();
    }

    const PlanRun& run_;
    const ScheduleFigureOptions& options_;
    const std::vector<MemoryCurve>& curves_;
    const LaneNaming naming_;
    const double em_;
    std::vector<std::vector<int>> panels_;  ///< or lines: devices that share one
    SavedMemories saved_;                   ///< by device; of panels
    FigureScale time_;
    double topBytes_ = 0;
    std::vector<LegendEntry> entries_;
    Figure figure_;
};

}  // namespace

TimeDrawing drawMemory(const PlanRun& run, const ScheduleFigureOptions& options) {
    requireDrawable(run, options);
    return MemoryDrawing(run, options).draw();
}

Figure memoryFigure(const PlanRun& run, const ScheduleFigureOptions& options) {
    Figure figure = finished(drawMemory(run, options), options.legend, options.fontPt);
    return options.grey ? inGrey(std::move(figure)) : figure;
}

}  // namespace stagecraft::views::figures
