#pragma once

#include "core/model/plan.h"
#include "core/model/problem.h"
#include "views/rooms.h"

#include <QRectF>

#include <functional>
#include <optional>
#include <vector>

namespace stagecraft::views::strip {

/// Where the parts of the partition strip of one pipeline are, in pixels. A layer is as wide as it takes
/// time, and whatever becomes of the stages it stays where it is, so that a boundary follows the pointer.
struct StripLayout {
    struct StageBox {
        int stage = 0;
        QRectF title;        ///< its name
        QRectF layers;       ///< its part of the ribbon
        QRectF gpus;         ///< room for its chips
        QRectF minus, plus;  ///< buttons in its title; empty where there is no room
    };
    struct Chip {
        int device = 0;
        int stage = -1;  ///< -1: free
        QRectF box;
    };

    std::vector<double> edges;  ///< x at which each layer begins; one more for the end of the last
    std::vector<StageBox> stages;
    std::vector<Chip> chips;
    QRectF freeTitle;  ///< empty: every device works
    QRectF ribbon;     ///< what shows of the layers; zoomed they reach beyond

    /// The stage before the boundary that can be grabbed there.
    std::optional<int> boundaryAt(QPointF position) const;
    const StageBox* stageAt(QPointF position) const;
    const StageBox* boxOf(int stage) const;
    const Chip* chipAt(QPointF position) const;
    /// -1 outside of the ribbon.
    int layerAt(QPointF position) const;
    /// The layer that begins nearest to x; the number of layers for the end.
    int edgeNear(double x) const;
};

/// The ribbon that many times as wide, of which as many pixels at the left are out of sight.
struct StripZoom {
    double scale = 1;
    double offset = 0;
};

/// @param pipeline of which the stages are shown
/// @param chipWidth what the name of a device takes, in pixels; chips get less where there are many
StripLayout layOutStrip(const Problem& problem, const Plan& plan, int pipeline, const QRectF& area,
                        const std::function<double(int device)>& chipWidth, const StripZoom& zoom = {});

/// Height that the strip's parts take.
double stripHeight();

}  // namespace stagecraft::views::strip
