#include "views/topology/topology_painter.h"

#include <algorithm>
#include <set>

namespace stagecraft {

namespace {

QColor withAlpha(QColor colour, double alpha) {
    colour.setAlphaF(static_cast<float>(alpha));
    return colour;
}

}  // namespace

void TopologyPainter::paintSelection(const TopologyFocus& focus) {
    for (const int server : focus.selectedServers)
        paintOutline(viewport_.toScreen(scene_.layout().servers[static_cast<std::size_t>(server)].box), 2.5);
    if (focus.selection.size() == 1) {
        for (const int index : focus.selection.switches)
            paintOutline(viewport_.toScreen(scene_.layout().switches[static_cast<std::size_t>(index)]), 3);
        return;
    }
    const auto paint = [&](const QRectF& rect) {
        const QRectF box = viewport_.toScreen(rect);
        if (visible(box)) paintOutline(box, box.width() < 20 ? 1 : 2);
    };
    for (const int device : focus.selection.devices)
        paint(scene_.layout().devices[static_cast<std::size_t>(device)]);
    for (const int index : focus.selection.switches)
        paint(scene_.layout().switches[static_cast<std::size_t>(index)]);
}

/// Along the lines that stand for them; those that have none, straight.
void TopologyPainter::paintSelectedLinks(const std::vector<int>& links) {
    if (links.empty()) return;
    constexpr std::size_t mostStraight = 500;
    const auto isChosen = [&links](int link) { return std::binary_search(links.begin(), links.end(), link); };
    std::set<int> drawn;
    for (const InnerLink& inner : scene_.links().inner) {
        if (!isChosen(inner.link)) continue;
        paintRoute(inner.route, theme_.accent, 3.5);
        drawn.insert(inner.link);
    }
    for (const LinkBundle& bundle : scene_.links().bundles) {
        if (bundle.route.isEmpty()) continue;
        const auto chosen = std::count_if(bundle.summary.links.begin(), bundle.summary.links.end(), isChosen);
        if (chosen == 0) continue;
        paintRoute(bundle.route, theme_.accent, 3.5);
        if (static_cast<std::size_t>(chosen) == bundle.summary.links.size() && chosen > 1)
            drawn.insert(bundle.summary.links.begin(), bundle.summary.links.end());
    }
    std::size_t straight = 0;
    for (const ClusterGraph::Edge& edge : scene_.graph().edges) {
        if (!isChosen(edge.link) || drawn.contains(edge.link)) continue;
        if (edge.a.kind != edge.b.kind || edge.a.kind != ClusterNode::Kind::device) continue;
        if (++straight > mostStraight) break;
        paintRoute(QPolygonF({scene_.layout().rect(edge.a).center(), scene_.layout().rect(edge.b).center()}),
                   withAlpha(theme_.accent, 0.8), 2);
    }
}

/// A mark at the corner of each thing that something is wrong with, and on each such line.
void TopologyPainter::paintMistakes() {
    constexpr double radius = 7;
    constexpr std::size_t most = 400;
    std::size_t count = 0;
    for (const ClusterMistake& mistake : scene_.mistakes()) {
        if (++count > most) return;
        const auto index = static_cast<std::size_t>(mistake.index);
        QPointF at;
        if (mistake.place == ClusterMistake::Place::device) {
            at = scene_.layout().devices[index].topLeft();
        } else if (mistake.place == ClusterMistake::Place::switchNode) {
            at = scene_.layout().switches[index].topLeft();
        } else {
            at = scene_.middleOfLink(mistake.index);
        }
        const QPointF centre = viewport_.toScreen(at);
        if (!visible(QRectF(centre, centre).adjusted(-radius, -radius, radius, radius))) continue;
        painter_.setPen(QPen(theme_.surface, 1.5));
        painter_.setBrush(theme_.error);
        painter_.drawEllipse(centre, radius, radius);
        font_.setPixelSize(11);
        font_.setBold(true);
        painter_.setFont(font_);
        painter_.setPen(readableOn(theme_.error));
        painter_.drawText(QRectF(centre, centre).adjusted(-radius, -radius, radius, radius), Qt::AlignCenter,
                          QStringLiteral("!"));
    }
}

}  // namespace stagecraft
