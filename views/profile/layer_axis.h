#pragma once

#include "views/rooms.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::views::profile {

/// Layers along the x axis of a chart: which of them are in view and where. Layer i spans [i, i + 1).
struct LayerAxis {
    int layers = 0;
    double first = 0;  ///< the layer coordinate at the left edge
    double shown = 1;  ///< how many layers are in view
    double left = 0;   ///< pixels
    double width = 1;

    double pixelsPerLayer() const { return width / shown; }
    double toPixel(double layer) const { return left + (layer - first) * pixelsPerLayer(); }
    double toLayer(double pixel) const { return first + (pixel - left) / pixelsPerLayer(); }
    /// The layer under a pixel, or -1.
    int layerAt(double pixel) const {
        if (pixel < left || pixel >= left + width) return -1;
        const double layer = std::floor(toLayer(pixel));
        return layer >= 0 && layer < layers ? static_cast<int>(layer) : -1;
    }

    void showAll() {
        first = 0;
        shown = std::max(1, layers);
    }
    /// The layer coordinate under `pixel` stays there as far as the ends allow.
    void zoomAt(double pixel, double factor) {
        const double held = toLayer(pixel);
        shown = std::clamp(shown / factor, std::min(4.0, std::max(1.0, double(layers))),
                           std::max(1.0, double(layers)));
        first = held - (pixel - left) / pixelsPerLayer();
        stayInside();
    }
    void pan(double pixels) {
        first -= pixels / pixelsPerLayer();
        stayInside();
    }
    void makeVisible(int layer) {
        if (layer < first) first = layer;
        if (layer + 1 > first + shown) first = layer + 1 - shown;
        stayInside();
    }
    bool operator==(const LayerAxis&) const = default;

private:
    void stayInside() { first = std::clamp(first, 0.0, std::max(0.0, layers - shown)); }
};

}  // namespace stagecraft::views::profile
