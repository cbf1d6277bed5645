#include "core/base/column_units.h"

#include "core/base/unit_table.h"
#include "core/base/units.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::base {

namespace {

constexpr int mostDecimals = 4;

std::string beside(double value, const Unit& unit, std::string (*format)(double)) {
    if (value == 0) return std::string("0 ") + unit.symbol;
    const double magnitude = std::fabs(value / unit.size);
    const int before = static_cast<int>(std::floor(std::log10(magnitude))) + 1;  // digits before the point
    const int decimals = magnitude < 0.995 ? std::max(2, 2 - before) : std::max(0, 3 - before);
    return decimals > mostDecimals ? format(value)
                                   : formatFixed(value / unit.size, decimals) + " " + unit.symbol;
}

}  // namespace

std::string formatSecondsBeside(double seconds, double largestS) {
    const bool hasUnit = std::isfinite(largestS) && formatSeconds(largestS) != formatSeconds(0);
    if (!hasUnit || !std::isfinite(seconds)) return formatSeconds(seconds);
    return beside(seconds, shownUnit(Quantity::seconds, largestS), formatSeconds);
}

std::string formatBytesBeside(double bytes, double largestBytes) {
    if (!std::isfinite(largestBytes) || !std::isfinite(bytes)) return formatBytes(bytes);
    const Unit& unit = shownUnit(Quantity::bytes, largestBytes);
    return unit.size > 1 ? beside(bytes, unit, formatBytes) : formatBytes(bytes);  // below 1 KiB whole bytes
}

}  // namespace stagecraft::base
