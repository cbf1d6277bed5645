#pragma once

#include "core/model/layer_profile.h"
#include "core/model/plan.h"
#include "views/profile/graph/network_layout.h"

#include <QString>

#include <optional>

namespace stagecraft::views::profile {

/// A network as it is shown: its nodes with their numbers, where they are, and the stages that hold them.
struct NetworkPicture {
    LayerProfile profile;
    NetworkOutline outline;
    NetworkLayout layout;
    std::optional<Plan> plan;

    bool hasGroups() const { return !outline.groupOf.empty(); }
    const Layer& numbersOf(int node) const;
    int layerOf(int node) const;  ///< -1: of none
    /// Where a layer is drawn: its group, or the node that it is.
    const QRectF& rectOfLayer(int layer) const;
    /// Forward and backward of the longest node, seconds.
    double longestS() const;

    // What is at a point of the layout; -1: none.
    int nodeAt(QPointF point) const;
    int groupAt(QPointF point) const;
    /// The node whose middle is nearest; there must be one.
    int nodeNearest(QPointF point) const;

    /// What the pointer reads off a node, as rich text.
    QString describe(int node) const;
};

}  // namespace stagecraft::views::profile
