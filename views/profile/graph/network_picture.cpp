#include "views/profile/graph/network_picture.h"

#include "core/base/indices.h"
#include "core/base/units.h"
#include "core/graph/grouping.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::views::profile {

namespace {

/// The first of the rectangles that holds the point, or -1.
int holding(const std::vector<QRectF>& rects, QPointF point) {
    const auto found = std::find_if(rects.begin(), rects.end(),
                                    [point](const QRectF& rect) { return rect.contains(point); });
    return found == rects.end() ? -1 : static_cast<int>(found - rects.begin());
}

}  // namespace

const Layer& NetworkPicture::numbersOf(int node) const {
    return hasGroups() ? profile.operators.nodes[at(node)] : profile.layers[at(node)];
}

int NetworkPicture::layerOf(int node) const { return hasGroups() ? outline.groupOf[at(node)] : node; }

const QRectF& NetworkPicture::rectOfLayer(int layer) const {
    return hasGroups() ? layout.groups[at(layer)] : layout.nodes[at(layer)];
}

double NetworkPicture::longestS() const {
    double longest = 0;
    for (int node = 0; node < outline.nodes; ++node)
        longest = std::max(longest, numbersOf(node).forwardS + numbersOf(node).backwardS);
    return longest;
}

int NetworkPicture::nodeAt(QPointF point) const { return holding(layout.nodes, point); }

int NetworkPicture::groupAt(QPointF point) const { return holding(layout.groups, point); }

int NetworkPicture::nodeNearest(QPointF point) const {
    int nearest = 0;
    double least = INFINITY;
    for (int node = 0; node < outline.nodes; ++node) {
        const double distance = (layout.nodes[at(node)].center() - point).manhattanLength();
        if (distance < least) least = distance, nearest = node;
    }
    return nearest;
}

QString NetworkPicture::describe(int node) const {
    const Layer& own = numbersOf(node);
    const auto row = [](const QString& name, const std::string& value) {
        return "<tr><td>" + name + "&nbsp;&nbsp;</td><td align=right>" + QString::fromStdString(value) +
               "</td></tr>";
    };
    QString html =
        "<b>" + QString::fromStdString(own.name).toHtmlEscaped() + "</b><table cellspacing=0 cellpadding=1>";
    html += row("forward", formatSeconds(own.forwardS)) + row("backward", formatSeconds(own.backwardS)) +
            row("parameters", formatBytes(own.parameterBytes)) + row("output", formatBytes(own.outputBytes)) +
            row("stored", formatBytes(own.storedActivationBytes)) + "</table>";
    if (!hasGroups()) return html;
    const int layer = layerOf(node);
    if (layer < 0) return html + "<p>Part of no layer: it was left out.</p>";
    return html + QString("<p><b>Layer %1.</b> ").arg(layer) +
           QString::fromStdString(whyOneLayer(profile, layer)).toHtmlEscaped() + "</p>";
}

}  // namespace stagecraft::views::profile
