#include "views/timeline/time_axis.h"

#include "core/base/nice_steps.h"
#include "core/base/unit_table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace stagecraft::views::timeline {

TimeAxis TimeAxis::zoomedAt(double x, double factor) const {
    TimeAxis zoomed = *this;
    const double fixed = toTime(x);
    zoomed.t0 = fixed - (fixed - t0) / factor;
    zoomed.t1 = fixed + (t1 - fixed) / factor;
    return zoomed;
}

TimeAxis TimeAxis::panned(double pixels) const {
    TimeAxis moved = *this;
    const double shift = pixels * secondsPerPixel();
    moved.t0 -= shift;
    moved.t1 -= shift;
    return moved;
}

TimeAxis TimeAxis::following(double timeS, double endS) const {
    constexpr double leadPart = 0.35;   // of the view, behind the instant when it has been moved into view
    constexpr double closePart = 0.12;  // of the view, that stays free before the right edge
    const double room = endS <= t1 ? 0 : closePart * spanS();
    if (timeS >= t0 && timeS <= t1 - room) return *this;
    return {timeS - leadPart * spanS(), timeS + (1 - leadPart) * spanS(), x0, width};
}

TimeAxis TimeAxis::clampedTo(double beginS, double endS, double leastSpanS) const {
    TimeAxis inside = *this;
    const double most = endS - beginS;
    const double span = std::clamp(spanS(), std::min(leastSpanS, most), most);
    const double centre = (t0 + t1) / 2;
    inside.t0 = std::clamp(span == spanS() ? t0 : centre - span / 2, beginS, std::max(beginS, endS - span));
    inside.t1 = inside.t0 + span;
    return inside;
}

namespace {

constexpr int mostDecimals = 4;

int decimalsFor(double step, const Unit& unit) {
    return std::max(0, static_cast<int>(std::ceil(-std::log10(step / unit.size) - 1e-9)));
}

/// The largest unit, seconds at most, in which `magnitude` is at least one and steps need few decimals.
const Unit& unitFor(double magnitude, double step) {
    const std::span<const Unit> units = unitsOf(Quantity::seconds);
    const Unit* chosen = &units.front();
    for (const Unit& unit : units)
        if (unit.size <= 1 && magnitude >= unit.size * (1 - 1e-9) && decimalsFor(step, unit) <= mostDecimals)
            chosen = &unit;
    return *chosen;
}

std::string inUnit(double timeS, const Unit& unit, int decimals) {
    char text[64];
    const double value = timeS / unit.size;
    std::snprintf(text, sizeof text, "%.*f %s", decimals, value == 0 ? 0.0 : value, unit.symbol);
    std::string plain = text;
    std::replace(plain.begin(), plain.end(), ',', '.');  // a point whatever the locale
    return plain;
}

}  // namespace

std::vector<TimeTick> timeTicks(const TimeAxis& axis, double spacingPx) {
    std::vector<TimeTick> ticks;
    if (!(axis.spanS() > 0) || !(axis.width > 0)) return ticks;
    const double step = niceStep(std::max(axis.secondsPerPixel() * spacingPx, 1e-15));
    const Unit& unit = unitFor(std::max({std::abs(axis.t0), std::abs(axis.t1), step}), step);
    const int decimals = decimalsFor(step, unit);
    const auto first = static_cast<long long>(std::ceil(axis.t0 / step - 1e-9));
    const auto last = static_cast<long long>(std::floor(axis.t1 / step + 1e-9));
    for (long long i = first; i <= last; ++i) {
        const double timeS = static_cast<double>(i) * step;
        ticks.push_back({timeS, inUnit(timeS, unit, decimals)});
    }
    return ticks;
}

std::string formatInstant(double timeS, double resolutionS) {
    const double step = std::max(resolutionS, 1e-15);
    const Unit& unit = unitFor(std::max(std::abs(timeS), step), step);
    return inUnit(timeS, unit, std::min(decimalsFor(step, unit), 6));
}

}  // namespace stagecraft::views::timeline
