#include "views/topology/canvas_gestures.h"

#include "views/common/theme.h"
#include "views/topology/cluster_editor.h"

#include <QApplication>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <set>

namespace stagecraft::views::topology {

namespace {

struct Match {
    double by = 0;
    std::optional<double> line;
};

using Lines = std::array<double, 3>;

/// The shortest way on which one of the dragged lines meets one of the others within reach.
Match nearest(const Lines& dragged, const std::vector<Lines>& others, double reach) {
    Match best;
    double least = reach;
    for (const Lines& lines : others)
        for (const double other : lines)
            for (const double own : dragged)
                if (const double way = std::abs(other - own); way < least || (way == least && !best.line)) {
                    least = way;
                    best = {other - own, other};
                }
    return best;
}

Lines across(const QRectF& rect) { return {rect.left(), rect.center().x(), rect.right()}; }
Lines down(const QRectF& rect) { return {rect.top(), rect.center().y(), rect.bottom()}; }

double toGrid(double value) {
    return std::round(value / SnapSettings::gridStep) * SnapSettings::gridStep - value;
}

}  // namespace

Snapped snap(const QRectF& dragged, const std::vector<QRectF>& others, const SnapSettings& settings,
             double reach) {
    Snapped result;
    if (settings.grid) result.by = {toGrid(dragged.left()), toGrid(dragged.top())};
    if (!settings.guides) return result;
    std::vector<Lines> xs, ys;
    for (const QRectF& other : others) {
        xs.push_back(across(other));
        ys.push_back(down(other));
    }
    constexpr double agreed = 0.01;
    const QRectF placed = dragged.translated(result.by);
    const Match x = nearest(across(placed), xs, settings.grid ? agreed : reach);
    const Match y = nearest(down(placed), ys, settings.grid ? agreed : reach);
    result.guideX = x.line;
    result.guideY = y.line;
    if (!settings.grid) result.by = {x.by, y.by};
    return result;
}

namespace {

constexpr double snapReach = 6;         // pixels
constexpr std::size_t mostLines = 300;  // links that follow what is dragged

QPen accentPen(double width, Qt::PenStyle style = Qt::SolidLine) {
    return QPen(Theme::current().accent, width, style);
}

std::vector<int> merged(const std::vector<int>& a, const std::vector<int>& b) {
    std::vector<int> all;
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
    return all;
}

}  // namespace

void CanvasGesture::moveTo(QPointF at, Qt::KeyboardModifiers modifiers) {
    dragging_ = dragging_ || (at - pressedAt_).manhattanLength() >= QApplication::startDragDistance();
    if (!dragging_) return;
    drag(at, modifiers);
    canvas_.repaintGesture();
}

bool CanvasGesture::finish(QPointF at, Qt::KeyboardModifiers modifiers) {
    if (dragging_)
        drop(at, modifiers);
    else
        canvas_.clickAt(at, modifiers);
    return true;
}

PanGesture::PanGesture(GestureSurface& canvas, QPointF pressedAt)
    : CanvasGesture(canvas, pressedAt), before_(canvas.viewport()) {}

void PanGesture::drag(QPointF at, Qt::KeyboardModifiers) {
    Viewport now = before_;
    now.offset += at - pressedAt_;
    canvas_.setViewport(now);
}

void PanGesture::cancel() { canvas_.setViewport(before_); }

BandGesture::BandGesture(GestureSurface& canvas, QPointF pressedAt, bool adds)
    : CanvasGesture(canvas, pressedAt), before_(canvas.selection()), adds_(adds) {}

void BandGesture::drag(QPointF at, Qt::KeyboardModifiers) {
    band_ = QRectF(pressedAt_, at).normalized();
    ClusterSelection in = canvas_.scene().partIn(canvas_.viewport().toScene(band_));
    if (adds_)
        in = {merged(before_.devices, in.devices), merged(before_.switches, in.switches),
              merged(before_.links, in.links)};
    canvas_.editor()->select(std::move(in));
}

void BandGesture::cancel() { canvas_.editor()->select(before_); }

void BandGesture::paint(QPainter& painter) const {
    QColor fill = Theme::current().accent;
    fill.setAlpha(28);
    painter.setPen(accentPen(1));
    painter.setBrush(fill);
    painter.drawRect(band_);
}

MoveGesture::MoveGesture(GestureSurface& canvas, QPointF pressedAt) : CanvasGesture(canvas, pressedAt) {}

void MoveGesture::prepare() {
    const TopologyScene& scene = canvas_.scene();
    const ClusterSelection& chosen = canvas_.selection();
    const TopologyLayout& layout = scene.layout();
    const auto isChosen = [&chosen](ClusterNode node) {
        const std::vector<int>& list =
            node.kind == ClusterNode::Kind::device ? chosen.devices : chosen.switches;
        return std::binary_search(list.begin(), list.end(), node.index);
    };
    const QRectF seen = canvas_.viewport().toScene(canvas_.screen());
    const auto sort = [&](ClusterNode node) {
        const QRectF& rect = layout.rect(node);
        if (isChosen(node)) {
            ghosts_.push_back(rect);
            bounds_ |= rect;
        } else if (rect.intersects(seen)) {
            others_.push_back(rect);
        }
    };
    for (std::size_t i = 0; i < layout.devices.size(); ++i)
        sort({ClusterNode::Kind::device, static_cast<int>(i)});
    for (std::size_t i = 0; i < layout.switches.size(); ++i)
        sort({ClusterNode::Kind::switchNode, static_cast<int>(i)});
    const std::vector<int> servers = canvas_.editor()->chosenServers();
    wholeServers_ = !servers.empty();
    for (const int server : servers) {
        const QRectF& box = layout.servers[static_cast<std::size_t>(server)].box;
        ghosts_.push_back(box);
        bounds_ |= box;
    }
    if (wholeServers_) {
        // Servers line up with servers, not with what is in them.
        others_.clear();
        for (std::size_t i = 0; i < layout.servers.size(); ++i)
            if (!std::binary_search(servers.begin(), servers.end(), static_cast<int>(i)) &&
                layout.servers[i].box.intersects(seen))
                others_.push_back(layout.servers[i].box);
    }
    for (const ClusterGraph::Edge& edge : scene.graph().edges) {
        const bool a = isChosen(edge.a), b = isChosen(edge.b);
        if (inner_.size() + outer_.size() >= mostLines) break;
        const QPointF from = layout.rect(a ? edge.a : edge.b).center();
        const QPointF to = layout.rect(a ? edge.b : edge.a).center();
        if (a && b && !wholeServers_) inner_.emplace_back(from, to);
        if (a != b) outer_.emplace_back(from, to);
    }
}

void MoveGesture::drag(QPointF at, Qt::KeyboardModifiers modifiers) {
    if (ghosts_.empty()) prepare();
    const double scale = canvas_.viewport().scale;
    by_ = (at - pressedAt_) / scale;
    SnapSettings settings = canvas_.snapSettings();
    if (modifiers & Qt::ControlModifier) {
        // Snapping the other way round: none where there is some, guides where there is none.
        const bool any = settings.grid || settings.guides;
        settings.grid = false;
        settings.guides = !any;
    }
    snapped_ = snap(bounds_.translated(by_), others_, settings, snapReach / scale);
    by_ += snapped_.by;
    findHome();
}

void MoveGesture::findHome() {
    into_ = -1;
    from_.clear();
    const std::size_t nodes = canvas_.selection().devices.size() + canvas_.selection().switches.size();
    // A GPU that is all of its server may join another.
    if (nodes == 0 || (wholeServers_ && nodes > 1)) return;
    // Over a server that it does not belong to, it moves in.
    const int server = canvas_.scene().serverAt(bounds_.center() + by_);
    const TopologyLayout& layout = canvas_.scene().layout();
    const auto isForeign = [&](int home) { return home >= 0 && home != server; };
    const ClusterSelection& chosen = canvas_.selection();
    const bool foreign =
        std::any_of(chosen.devices.begin(), chosen.devices.end(),
                    [&](int i) { return isForeign(layout.serverOfDevice[static_cast<std::size_t>(i)]); }) ||
        std::any_of(chosen.switches.begin(), chosen.switches.end(),
                    [&](int i) { return isForeign(layout.serverOfSwitch[static_cast<std::size_t>(i)]); });
    if (server >= 0 && foreign) into_ = server;
    std::set<int> homes;
    for (const int i : chosen.devices) homes.insert(layout.serverOfDevice[static_cast<std::size_t>(i)]);
    for (const int i : chosen.switches) homes.insert(layout.serverOfSwitch[static_cast<std::size_t>(i)]);
    homes.erase(-1);
    // Beside their boxes, not over the edge of one: there it is only arranged.
    const auto isBeside = [&](int home) {
        return !layout.servers[static_cast<std::size_t>(home)].box.intersects(bounds_.translated(by_));
    };
    if (!wholeServers_ && server < 0 && std::all_of(homes.begin(), homes.end(), isBeside))
        from_.assign(homes.begin(), homes.end());
}

void MoveGesture::drop(QPointF at, Qt::KeyboardModifiers modifiers) {
    drag(at, modifiers);
    if (!by_.isNull()) canvas_.editor()->move(by_, into_, !from_.empty());
}

void MoveGesture::paint(QPainter& painter) const {
    if (!dragging_) return;
    const Viewport& viewport = canvas_.viewport();
    const auto toScreen = [&](QPointF point) { return viewport.toScreen(point); };
    painter.setPen(accentPen(1, Qt::DotLine));
    for (const QLineF& line : inner_) painter.drawLine(toScreen(line.p1() + by_), toScreen(line.p2() + by_));
    for (const QLineF& line : outer_) painter.drawLine(toScreen(line.p1() + by_), toScreen(line.p2()));
    QColor fill = Theme::current().accent;
    fill.setAlpha(40);
    painter.setBrush(fill);
    painter.setPen(accentPen(1.2));
    const double corner = 6 * viewport.scale;
    for (const QRectF& ghost : ghosts_) {
        const QRectF box = viewport.toScreen(ghost.translated(by_));
        if (corner < leastCorner) {
            painter.fillRect(box.toRect(), fill);
        } else {
            painter.drawRoundedRect(box, corner, corner);
        }
    }
    painter.setBrush(Qt::NoBrush);
    if (into_ >= 0) {
        painter.setPen(accentPen(2.5));
        painter.drawRoundedRect(
            viewport.toScreen(canvas_.scene().layout().servers[static_cast<std::size_t>(into_)].box), corner,
            corner);
    }
    painter.setPen(accentPen(1, Qt::DashLine));
    for (const int home : from_)
        painter.drawRoundedRect(
            viewport.toScreen(canvas_.scene().layout().servers[static_cast<std::size_t>(home)].box), corner,
            corner);
    if (snapped_.guideX) {
        const double x = toScreen({*snapped_.guideX, 0}).x();
        painter.drawLine(QPointF(x, 0), QPointF(x, canvas_.screen().height()));
    }
    if (snapped_.guideY) {
        const double y = toScreen({0, *snapped_.guideY}).y();
        painter.drawLine(QPointF(0, y), QPointF(canvas_.screen().width(), y));
    }
}

ConnectGesture::ConnectGesture(GestureSurface& canvas, QPointF pressedAt, ClusterNode from)
    : CanvasGesture(canvas, pressedAt), from_(from), at_(pressedAt) {}

void ConnectGesture::drag(QPointF at, Qt::KeyboardModifiers) {
    at_ = at;
    to_ = canvas_.nodeAt(at);
    if (to_ && *to_ == from_) to_.reset();
}

bool ConnectGesture::finish(QPointF at, Qt::KeyboardModifiers modifiers) {
    if (dragging_ || clicked_) drag(at, modifiers);
    if (to_) {
        canvas_.editor()->connectNodes(from_, *to_);
        return true;
    }
    // A click on the first of the two: the second is still to come.
    const bool onItself = canvas_.nodeAt(at) == from_;
    return std::exchange(clicked_, true) || !onItself;
}

void ConnectGesture::paint(QPainter& painter) const {
    const Viewport& viewport = canvas_.viewport();
    const TopologyLayout& layout = canvas_.scene().layout();
    const QRectF from = viewport.toScreen(layout.rect(from_));
    painter.setBrush(Qt::NoBrush);
    painter.setPen(accentPen(2));
    for (const ClusterNode node : {from_, to_.value_or(from_)})
        painter.drawRoundedRect(viewport.toScreen(layout.rect(node)).adjusted(-2, -2, 2, 2), 6, 6);
    painter.drawLine(from.center(), to_ ? viewport.toScreen(layout.rect(*to_)).center() : at_);
}

OverviewGesture::OverviewGesture(GestureSurface& canvas, QPointF pressedAt)
    : CanvasGesture(canvas, pressedAt) {
    canvas_.centreByOverview(pressedAt);
}

void OverviewGesture::drag(QPointF at, Qt::KeyboardModifiers) { canvas_.centreByOverview(at); }

bool OverviewGesture::finish(QPointF, Qt::KeyboardModifiers) { return true; }

}  // namespace stagecraft::views::topology
