#include "core/base/column_units.h"

#include "core/base/units.h"

#include <charconv>
#include <cmath>
#include <iterator>

namespace stagecraft {

namespace {

constexpr int mostDecimals = 4;

/// `format` writes the largest, and with that its unit; a second of that unit is what "1" of it takes.
std::string beside(double value, double largest, double unit, std::string (*format)(double)) {
    const std::string shown = format(largest);
    const std::string symbol = shown.substr(shown.rfind(' ') + 1);
    if (value == 0) return "0 " + symbol;
    const double magnitude = std::fabs(value / unit);
    const int before = static_cast<int>(std::floor(std::log10(magnitude))) + 1;  // digits before the point
    const int decimals = magnitude < 0.995 ? std::max(2, 2 - before) : std::max(0, 3 - before);
    return decimals > mostDecimals ? format(value) : formatFixed(value / unit, decimals) + " " + symbol;
}

double unitOf(const std::string& shown, std::initializer_list<std::pair<const char*, double>> units) {
    const std::string symbol = shown.substr(shown.rfind(' ') + 1);
    for (const auto& [name, size] : units)
        if (symbol == name) return size;
    return 0;
}

}  // namespace

std::string formatSecondsBeside(double seconds, double largestS) {
    const double unit =
        unitOf(formatSeconds(largestS),
               {{"ns", 1e-9}, {"µs", 1e-6}, {"ms", 1e-3}, {"s", 1.0}, {"min", 60.0}, {"h", 3600.0}});
    if (!(unit > 0) || !std::isfinite(seconds) || largestS == 0) return formatSeconds(seconds);
    return beside(seconds, largestS, unit, formatSeconds);
}

std::string formatBytesBeside(double bytes, double largestBytes) {
    const double unit =
        unitOf(formatBytes(largestBytes), {{"KiB", kib}, {"MiB", mib}, {"GiB", gib}, {"TiB", kib * gib}});
    if (!(unit > 0) || !std::isfinite(bytes)) return formatBytes(bytes);
    return beside(bytes, largestBytes, unit, formatBytes);
}

}  // namespace stagecraft
