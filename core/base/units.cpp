#include "core/base/units.h"

#include "core/base/unit_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

namespace stagecraft::base {

namespace {

/// Three significant digits; from 1000 on all digits before the point, below 1 two decimals.
std::string threeDigits(double value) {
    const double magnitude = std::fabs(value);
    if (magnitude < 9.995) return formatFixed(value, 2);
    if (magnitude < 99.95) return formatFixed(value, 1);
    return formatFixed(value, 0);
}

std::string notFinite(double value) { return std::isnan(value) ? "?" : value > 0 ? "∞" : "−∞"; }

std::string withUnit(Quantity quantity, double value, const char* symbolOfZero) {
    if (!std::isfinite(value)) return notFinite(value);
    const std::string zero = std::string("0 ") + symbolOfZero;
    if (value == 0) return zero;
    const Unit& unit = shownUnit(quantity, value);
    const std::string digits = threeDigits(value / unit.size);
    // What rounding left over is nothing.
    if (digits == "0.00" || digits == "-0.00") return zero;
    return digits + " " + unit.symbol;
}

}  // namespace

std::string formatFixed(double value, int decimals) {
    char buffer[400];
    const auto end =
        std::to_chars(std::begin(buffer), std::end(buffer), value, std::chars_format::fixed, decimals);
    return {buffer, end.ptr};
}

std::string formatSeconds(double seconds) { return withUnit(Quantity::seconds, seconds, "s"); }

std::string formatBytes(double bytes) {
    const bool whole = std::fabs(bytes) < kib && bytes == std::floor(bytes);
    return whole ? formatFixed(bytes, 0) + " B" : withUnit(Quantity::bytes, bytes, "B");
}

std::string formatBandwidth(double bytesPerSecond) {
    return withUnit(Quantity::bandwidth, bytesPerSecond, "B/s");
}

std::string formatPercent(double fraction) {
    if (!std::isfinite(fraction)) return notFinite(fraction);
    return fraction == 0 ? "0 %" : threeDigits(fraction * 100) + " %";
}

std::string formatNumber(double value) {
    if (!std::isfinite(value)) return notFinite(value);
    const double magnitude = std::fabs(value);
    if (magnitude >= 999.5 && magnitude < 1e6) return formatFixed(value, 0);
    char buffer[64];
    constexpr int significant = 3;
    const auto end =
        std::to_chars(std::begin(buffer), std::end(buffer), value, std::chars_format::general, significant);
    return {buffer, end.ptr};
}

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
