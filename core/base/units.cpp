#include "core/base/units.h"

#include "core/base/number_style.h"
#include "core/base/unit_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

namespace stagecraft::base {

namespace {

/// As many significant digits as numberStyle() says; all digits before the point, below 1 one decimal less
/// than there are figures.
std::string significantDigits(double value) {
    const double magnitude = std::fabs(value);
    int decimals = numberStyle().figures - 1;
    for (double limit = 10; decimals > 0; --decimals, limit *= 10)
        if (magnitude < limit - 0.5 * std::pow(10, -decimals)) break;
    return formatFixed(value, decimals);
}

/// Whether rounding left nothing over.
bool isZero(const std::string& digits) { return digits.find_first_of("123456789") == std::string::npos; }

std::string notFinite(double value) { return std::isnan(value) ? "?" : value > 0 ? "∞" : "−∞"; }

std::string withUnit(Quantity quantity, double value, const char* symbolOfZero) {
    if (!std::isfinite(value)) return notFinite(value);
    const std::string zero = std::string("0 ") + symbolOfZero;
    if (value == 0) return zero;
    const Unit& unit = shownUnit(quantity, value);
    const std::string digits = significantDigits(value / unit.size);
    if (isZero(digits)) return zero;
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
    const bool whole =
        std::fabs(bytes) < (numberStyle().decimalBytes ? 1e3 : kib) && bytes == std::floor(bytes);
    return whole ? formatFixed(bytes, 0) + " B" : withUnit(Quantity::bytes, bytes, "B");
}

std::string formatBandwidth(double bytesPerSecond) {
    return withUnit(Quantity::bandwidth, bytesPerSecond, "B/s");
}

std::string formatPercent(double fraction) {
    if (!std::isfinite(fraction)) return notFinite(fraction);
    return fraction == 0 ? "0 %" : significantDigits(fraction * 100) + " %";
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

/// Of three figures; more of them have more.
constexpr int mostDecimals = 4;

std::string beside(double value, const Unit& unit, std::string (*format)(double)) {
    if (value == 0) return std::string("0 ") + unit.symbol;
    const double magnitude = std::fabs(value / unit.size);
    const int before = static_cast<int>(std::floor(std::log10(magnitude))) + 1;  // digits before the point
    const int figures = numberStyle().figures, more = figures - NumberStyle{}.figures;
    const int decimals =
        magnitude < 0.995 ? std::max(figures - 1, figures - 1 - before) : std::max(0, figures - before);
    return decimals > mostDecimals + more ? format(value)
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
