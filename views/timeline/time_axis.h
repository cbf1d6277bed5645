#pragma once

#include "views/rooms.h"

#include <string>
#include <vector>

namespace stagecraft::views::timeline {

/// The mapping between seconds and pixels of a chart whose horizontal axis is time. A value: every change
/// makes a new one, so that zooming and panning can be tested without a window.
struct TimeAxis {
    double t0 = 0;     ///< seconds at the left edge
    double t1 = 1;     ///< seconds at the right edge, > t0
    double x0 = 0;     ///< pixel of the left edge
    double width = 1;  ///< pixels, > 0

    double spanS() const { return t1 - t0; }
    double secondsPerPixel() const { return spanS() / width; }
    double toX(double timeS) const { return x0 + (timeS - t0) / spanS() * width; }
    double toTime(double x) const { return t0 + (x - x0) / width * spanS(); }

    /// `factor` > 1 zooms in; the instant at pixel `x` stays where it is.
    TimeAxis zoomedAt(double x, double factor) const;
    /// What is shown moves to the right by `pixels`.
    TimeAxis panned(double pixels) const;
    /// The nearest axis that shows between `leastSpanS` and all of [beginS, endS] and nothing outside of it.
    TimeAxis clampedTo(double beginS, double endS, double leastSpanS) const;
    /// The same if `timeS` is in view with room to go on, else moved so that it is: for an instant that runs
    /// to `endS`.
    TimeAxis following(double timeS, double endS) const;
};

/// Pixels between ticks, at least, in all charts that are on one axis.
inline constexpr double timeTickSpacing = 110;
/// Pixels outside the chart.
inline constexpr int axisTickLength = 4;
/// The type with which that spacing goes, in pixels; larger type needs more of it.
inline constexpr double plainTypePixels = 13;

struct TimeTick {
    double timeS = 0;
    std::string label;  ///< with unit: "120 ms"
};

/// Round instants at least `spacingPx` apart; all labels of one axis have the same unit and number of
/// decimals.
std::vector<TimeTick> timeTicks(const TimeAxis& axis, double spacingPx);

/// `timeS` in the unit that suits it, with as many decimals as are needed to tell instants `resolutionS`
/// apart.
std::string formatInstant(double timeS, double resolutionS);

}  // namespace stagecraft::views::timeline
