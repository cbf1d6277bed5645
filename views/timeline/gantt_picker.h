#pragma once

#include "views/timeline/gantt_scene.h"

#include <QPointF>

namespace stagecraft::views::timeline {

/// What is at a position of a Gantt chart, in the pixels of its plot.
class GanttPicker {
public:
    /// @param scene must outlive it
    GanttPicker(const GanttScene& scene, const QRect& area, const TimeAxis& axis)
        : scene_(scene), area_(area), axis_(axis) {}

    int rowAt(double y) const;  ///< index or -1
    /// The block or noBlock; short blocks can be missed by two pixels.
    std::uint32_t blockAt(QPointF position) const;
    /// Its instant, in seconds: that of the edge of a block of its row, if one is near.
    double snapped(QPointF position) const;

private:
    std::uint32_t updateAt(int lane, double x) const;

    const GanttScene& scene_;
    QRect area_;
    TimeAxis axis_;
};

}  // namespace stagecraft::views::timeline
