#pragma once

#include "core/model/layer_profile.h"
#include "views/rooms.h"

#include <QPainterPath>
#include <QRectF>

#include <vector>

namespace stagecraft::views::profile {

/// What a layout needs to know of a network: nodes in a topological order and the groups, the layers of its
/// linearisation, that they are part of.
struct NetworkOutline {
    int nodes = 0;
    std::vector<LayerEdge> edges;
    std::vector<int> groupOf;  ///< by node; -1: of none; empty: no groups at all
    int groups = 0;
    bool operator==(const NetworkOutline&) const = default;
};

/// The nodes that the layers were made of, if the profile knows them, else the layers themselves.
NetworkOutline outlineOf(const LayerProfile& profile);

/// Where everything is, in pixels at the scale of 1, from left to right.
struct NetworkLayout {
    std::vector<QRectF> nodes;
    std::vector<QPainterPath> edges;  ///< as in the outline
    std::vector<QRectF> groups;       ///< around their nodes
    QRectF bounds;
};

constexpr double nodeWidth = 132, nodeHeight = 34;

/// Works out groups and bounds from the nodes.
void encloseGroups(NetworkLayout& layout, const NetworkOutline& outline);

/// A layout without ado, in time proportional to the graph: columns by the longest way to each node, each
/// group after the one before it, nodes of a column in the order of what they read.
NetworkLayout layeredLayout(const NetworkOutline& outline);

}  // namespace stagecraft::views::profile
