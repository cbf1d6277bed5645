#include "views/strip/strip_layout.h"

#include "core/editing/plan_edit.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::views::strip {

namespace {

constexpr double titleHeight = 16, ribbonHeight = 20, gap = 3, chipHeight = 18;
constexpr double leastLayer = 3;  // so that a layer without time can be pointed at
constexpr double reach = 6;       // how far beside a boundary it can be grabbed
constexpr double chipGap = 2, inset = 3;
constexpr double button = 16;
constexpr double roomForButtons = 108;  // a title with both
constexpr double freePart = 0.2;        // of the width, at most, for devices that no stage uses
constexpr double apart = 10;

double ribbonTop(const QRectF& area) { return area.top() + titleHeight; }
double chipTop(const QRectF& area) { return ribbonTop(area) + ribbonHeight + gap; }

std::vector<double> layerEdges(const LayerProfile& profile, const QRectF& area, const StripZoom& zoom) {
    const auto count = static_cast<double>(profile.layers.size());
    const double least = std::min(leastLayer, area.width() / 2 / std::max(1.0, count));
    double whole = 0;
    for (const Layer& layer : profile.layers) whole += layer.forwardS + layer.backwardS;
    std::vector<double> edges{area.left()};
    for (const Layer& layer : profile.layers) {
        const double share = whole > 0 ? (layer.forwardS + layer.backwardS) / whole : 1 / count;
        edges.push_back(edges.back() + least + share * (area.width() - count * least));
    }
    for (double& edge : edges) edge = area.left() - zoom.offset + zoom.scale * (edge - area.left());
    return edges;
}

/// Chips side by side, all of them narrower where there is not room for their names.
void addChips(StripLayout& layout, const std::vector<int>& devices, int stage, const QRectF& room,
              const std::function<double(int)>& chipWidth) {
    if (devices.empty()) return;
    const auto count = static_cast<double>(devices.size());
    double wanted = 0;
    for (const int device : devices) wanted = std::max(wanted, chipWidth(device));
    const double between = room.width() > 4 * chipGap * count ? chipGap : 0;
    const double width = std::min(wanted, (room.width() - between * (count - 1)) / count);
    double x = room.left();
    for (const int device : devices) {
        layout.chips.push_back({device, stage, {x, room.top(), std::max(1.0, width), room.height()}});
        x += width + between;
    }
}

StripLayout::StageBox stageBox(const std::vector<double>& edges, const Stage& stage, int index,
                               const QRectF& area) {  // what shows of the ribbon
    const double left = edges[static_cast<std::size_t>(stage.firstLayer)];
    const double right = edges[static_cast<std::size_t>(stage.lastLayer) + 1];
    StripLayout::StageBox box;
    box.stage = index;
    box.layers = {left, ribbonTop(area), right - left, ribbonHeight};
    const double shownLeft = std::clamp(left, area.left(), area.right());
    const double shownRight = std::clamp(right, area.left(), area.right()), shown = shownRight - shownLeft;
    box.title = {shownLeft, area.top(), shown, titleHeight};
    const double in = std::min(inset, shown / 6);
    box.gpus = {shownLeft + in, chipTop(area), shown - 2 * in, chipHeight};
    if (shown >= roomForButtons) {
        box.plus = {shownRight - button - inset, area.top(), button, titleHeight};
        box.minus = box.plus.translated(-button, 0);
    }
    return box;
}

}  // namespace

double stripHeight() { return titleHeight + ribbonHeight + gap + chipHeight; }

StripLayout layOutStrip(const Problem& problem, const Plan& plan, int pipeline, const QRectF& area,
                        const std::function<double(int)>& chipWidth, const StripZoom& zoom) {
    StripLayout layout;
    if (problem.profile.layers.empty()) return layout;
    const std::vector<int> free = freeDevices(plan, problem.cluster.deviceCount());
    double widest = 0;
    for (const int device : free) widest = std::max(widest, chipWidth(device));
    const double tray =
        std::min(static_cast<double>(free.size()) * (widest + chipGap), freePart * area.width());
    const QRectF ribbon = area.adjusted(0, 0, free.empty() ? 0 : -tray - apart, 0);
    layout.ribbon = {ribbon.left(), ribbonTop(area), ribbon.width(), ribbonHeight};
    layout.edges = layerEdges(problem.profile, ribbon, zoom);
    for (int s = 0; s < plan.stageCount(); ++s) {
        const Stage& stage = plan.stages[static_cast<std::size_t>(s)];
        if (stage.pipeline != pipeline || stage.lastLayer >= problem.profile.layerCount()) continue;
        layout.stages.push_back(stageBox(layout.edges, stage, s, ribbon));
        if (layout.stages.back().title.isEmpty()) continue;  // out of sight
        addChips(layout, stage.devices, s, layout.stages.back().gpus, chipWidth);
    }
    if (!free.empty()) {
        const double left = ribbon.right() + apart;
        layout.freeTitle = {left, ribbonTop(area), tray, ribbonHeight};
        addChips(layout, free, -1, {left, chipTop(area), tray, chipHeight}, chipWidth);
    }
    return layout;
}

std::optional<int> StripLayout::boundaryAt(QPointF position) const {
    std::optional<int> found;
    if (position.x() < ribbon.left() - reach || position.x() > ribbon.right() + reach) return found;
    double nearest = reach;
    for (std::size_t i = 0; i + 1 < stages.size(); ++i) {
        const QRectF& box = stages[i].layers;
        const double distance = std::abs(box.right() - position.x());
        if (distance > nearest || position.y() < stages[i].title.top() || position.y() > box.bottom())
            continue;
        found = stages[i].stage;
        nearest = distance;
    }
    return found;
}

const StripLayout::StageBox* StripLayout::stageAt(QPointF position) const {
    for (const StageBox& box : stages)
        if (box.title.united(box.layers & ribbon).united(box.gpus).contains(position)) return &box;
    return nullptr;
}

const StripLayout::StageBox* StripLayout::boxOf(int stage) const {
    const auto found = std::find_if(stages.begin(), stages.end(),
                                    [stage](const StageBox& box) { return box.stage == stage; });
    return found == stages.end() ? nullptr : &*found;
}

const StripLayout::Chip* StripLayout::chipAt(QPointF position) const {
    const auto found = std::find_if(chips.begin(), chips.end(),
                                    [&](const Chip& chip) { return chip.box.contains(position); });
    return found == chips.end() ? nullptr : &*found;
}

int StripLayout::layerAt(QPointF position) const {
    if (stages.empty() || position.y() < stages.front().layers.top() ||
        position.y() > stages.front().layers.bottom() || position.x() < ribbon.left() ||
        position.x() > ribbon.right())
        return -1;
    const auto after = std::upper_bound(edges.begin(), edges.end(), position.x());
    const auto index = static_cast<int>(after - edges.begin()) - 1;
    return index < 0 || index + 1 >= static_cast<int>(edges.size()) ? -1 : index;
}

int StripLayout::edgeNear(double x) const {
    const auto nearest = std::min_element(
        edges.begin(), edges.end(), [x](double a, double b) { return std::abs(a - x) < std::abs(b - x); });
    return static_cast<int>(nearest - edges.begin());
}

}  // namespace stagecraft::views::strip
