#pragma once

#include <functional>

class QKeyEvent;

namespace stagecraft {

/// By how much a notch of the wheel or a key zooms.
inline constexpr double zoomStep = 1.25;

/// How a canvas is moved by the keys that all of them share.
struct CanvasMoves {
    std::function<void()> fit;
    std::function<void(double factor)> zoom;
    std::function<void(double x, double y)> pan;  ///< what is shown, in steps to the right and down
    /// W and S go up and down; else there is nothing there, and they zoom as in a chart.
    bool upAndDown = false;
};

/// F, Home, +, -, W, A, S and D without a modifier. @return false for other keys
bool takeCanvasKey(const QKeyEvent& event, const CanvasMoves& moves);

}  // namespace stagecraft
