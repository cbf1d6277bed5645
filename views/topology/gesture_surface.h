#pragma once

#include "views/topology/snapping.h"
#include "views/topology/topology_scene.h"
#include "views/common/viewport.h"

#include <optional>

namespace stagecraft::views {

class ClusterEditor;

/// What gestures see of the canvas on which they are made. Points are in widget coordinates.
class GestureSurface {
public:
    virtual ~GestureSurface() = default;

    virtual const TopologyScene& scene() const = 0;
    virtual const Viewport& viewport() const = 0;
    virtual void setViewport(const Viewport& viewport) = 0;
    virtual QRectF screen() const = 0;
    virtual ClusterEditor* editor() const = 0;  ///< null: nothing can be edited
    virtual const ClusterSelection& selection() const = 0;
    virtual SnapHabits snapHabits() const = 0;

    virtual std::optional<ClusterNode> nodeAt(QPointF at) const = 0;
    virtual void clickAt(QPointF at, Qt::KeyboardModifiers modifiers) = 0;
    virtual void centreByOverview(QPointF at) = 0;
    virtual void repaintGesture() = 0;
};

}  // namespace stagecraft::views
