#include "views/profile/graph/network_layout.h"

#include "core/base/indices.h"
#include "core/graph/grouping.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stagecraft::views::profile {

namespace {

constexpr double columnStep = nodeWidth + 44, rowStep = nodeHeight + 22, groupGap = 26;
constexpr double groupMargin = 11;
constexpr double mostBow = 150;

/// The column of each node and where each column begins.
struct Columns {
    std::vector<int> of;
    std::vector<double> x;
};

Columns columnsOf(const NetworkOutline& outline, const std::vector<std::vector<int>>& read) {
    Columns columns;
    columns.of.assign(at(outline.nodes), 0);
    const bool grouped = !outline.groupOf.empty();
    int group = -1, first = 0, last = -1;
    std::vector<bool> beginsGroup;
    for (int node = 0; node < outline.nodes; ++node) {
        if (grouped && outline.groupOf[at(node)] > group) {
            group = outline.groupOf[at(node)];
            first = last + 1;
        }
        int column = first;
        for (const int input : read[at(node)]) column = std::max(column, columns.of[at(input)] + 1);
        columns.of[at(node)] = column;
        last = std::max(last, column);
        beginsGroup.resize(at(last) + 1, false);
        if (grouped) beginsGroup[at(first)] = true;
    }
    double x = 0;
    for (const bool begins : beginsGroup) {
        if (begins) x += groupGap;
        columns.x.push_back(x);
        x += columnStep;
    }
    return columns;
}

QPainterPath curve(const QRectF& from, const QRectF& to, int columns) {
    const QPointF start(from.right(), from.center().y()), end(to.left(), to.center().y());
    QPainterPath path(start);
    const double reach = std::max(16.0, (end.x() - start.x()) / 2);
    if (columns <= 1) {
        path.cubicTo(start + QPointF(reach, 0), end - QPointF(reach, 0), end);
        return path;
    }
    // Over what is between them.
    const double top = std::min(start.y(), end.y()) - std::min(mostBow, nodeHeight + 6.0 * columns);
    path.cubicTo(QPointF(start.x() + reach / 2, top), QPointF(end.x() - reach / 2, top), end);
    return path;
}

}  // namespace

NetworkOutline outlineOf(const LayerProfile& profile) {
    NetworkOutline outline;
    if (operatorsDescribeLayers(profile)) {
        outline.nodes = static_cast<int>(profile.operators.nodes.size());
        outline.edges = profile.operators.edges;
        outline.groupOf = profile.operators.layerOf;
        outline.groups = profile.layerCount();
    } else {
        outline.nodes = profile.layerCount();
        outline.edges = profile.dependencies();
    }
    return outline;
}

void encloseGroups(NetworkLayout& layout, const NetworkOutline& outline) {
    layout.groups.assign(at(outline.groups), {});
    for (std::size_t node = 0; node < layout.nodes.size(); ++node) {
        const QRectF& box = layout.nodes[node];
        layout.bounds = node ? layout.bounds.united(box) : box;
        if (outline.groupOf.empty() || outline.groupOf[node] < 0) continue;
        QRectF& group = layout.groups[at(outline.groupOf[node])];
        const QRectF wide = box.adjusted(-groupMargin, -groupMargin, groupMargin, groupMargin);
        group = group.isNull() ? wide : group.united(wide);
    }
    for (const QPainterPath& edge : layout.edges)
        layout.bounds = layout.bounds.united(edge.controlPointRect());
    for (const QRectF& group : layout.groups) layout.bounds = layout.bounds.united(group);
}

NetworkLayout layeredLayout(const NetworkOutline& outline) {
    std::vector<std::vector<int>> read(at(outline.nodes)), readers(at(outline.nodes));
    for (const LayerEdge& edge : outline.edges) {
        read[at(edge.to)].push_back(edge.from);
        readers[at(edge.from)].push_back(edge.to);
    }
    const Columns columns = columnsOf(outline, read);
    std::vector<std::vector<int>> inColumn(columns.x.size());
    for (int node = 0; node < outline.nodes; ++node) inColumn[at(columns.of[at(node)])].push_back(node);

    std::vector<double> y(at(outline.nodes), 0);
    const auto place = [&](std::vector<int>& column, const std::vector<std::vector<int>>& neighbours) {
        const auto mean = [&](int node) {
            const std::vector<int>& near = neighbours[at(node)];
            if (near.empty()) return y[at(node)];
            return std::accumulate(near.begin(), near.end(), 0.0,
                                   [&](double sum, int other) { return sum + y[at(other)]; }) /
                   static_cast<double>(near.size());
        };
        std::vector<std::pair<double, int>> order;
        for (const int node : column) order.emplace_back(mean(node), node);
        std::sort(order.begin(), order.end());
        const double top = -0.5 * static_cast<double>(order.size() - 1) * rowStep;
        for (std::size_t i = 0; i < order.size(); ++i) {
            column[i] = order[i].second;
            y[at(column[i])] = top + static_cast<double>(i) * rowStep;
        }
    };
    for (auto& column : inColumn) place(column, read);
    for (auto column = inColumn.rbegin(); column != inColumn.rend(); ++column) place(*column, readers);
    for (auto& column : inColumn) place(column, read);

    NetworkLayout layout;
    for (int node = 0; node < outline.nodes; ++node)
        layout.nodes.emplace_back(columns.x[at(columns.of[at(node)])], y[at(node)], nodeWidth, nodeHeight);
    for (const LayerEdge& edge : outline.edges)
        layout.edges.push_back(curve(layout.nodes[at(edge.from)], layout.nodes[at(edge.to)],
                                     columns.of[at(edge.to)] - columns.of[at(edge.from)]));
    encloseGroups(layout, outline);
    return layout;
}

}  // namespace stagecraft::views::profile
