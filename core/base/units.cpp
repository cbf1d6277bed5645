#include "core/base/units.h"

#include <charconv>
#include <cmath>
#include <iterator>
#include <span>

namespace stagecraft {

namespace {

struct ShownUnit {
    double from;  ///< the least magnitude that is shown in this unit
    double size;
    const char* symbol;
};

constexpr ShownUnit shownTimes[] = {{0, 1e-9, "ns"}, {1e-6, 1e-6, "µs"}, {1e-3, 1e-3, "ms"},
                                    {1, 1, "s"},     {600, 60, "min"},   {7200, 3600, "h"}};
constexpr ShownUnit shownBytes[] = {
    {0, 1, "B"}, {kib, kib, "KiB"}, {mib, mib, "MiB"}, {gib, gib, "GiB"}, {kib * gib, kib* gib, "TiB"}};
constexpr ShownUnit shownBandwidths[] = {
    {0, 1, "B/s"}, {1e3, 1e3, "kB/s"}, {1e6, 1e6, "MB/s"}, {1e9, 1e9, "GB/s"}, {1e12, 1e12, "TB/s"}};

/// Three significant digits; from 1000 on all digits before the point, below 1 two decimals.
std::string threeDigits(double value) {
    const double magnitude = std::fabs(value);
    if (magnitude < 9.995) return formatFixed(value, 2);
    if (magnitude < 99.95) return formatFixed(value, 1);
    return formatFixed(value, 0);
}

std::string notFinite(double value) { return std::isnan(value) ? "?" : value > 0 ? "∞" : "−∞"; }

/// The largest unit of which the value, rounded to three digits, still reaches the least magnitude: 0.9999 s
/// is 1.00 s and not 1000 ms.
std::string withUnit(double value, std::span<const ShownUnit> units, std::size_t unitOfZero) {
    constexpr double roundsUp = 0.9995;
    if (!std::isfinite(value)) return notFinite(value);
    if (value == 0) return std::string("0 ") + units[unitOfZero].symbol;
    std::size_t chosen = 0;
    while (chosen + 1 < units.size() && std::fabs(value) >= units[chosen + 1].from * roundsUp) ++chosen;
    const std::string digits = threeDigits(value / units[chosen].size);
    // What rounding left over is nothing.
    if (digits == "0.00" || digits == "-0.00") return std::string("0 ") + units[unitOfZero].symbol;
    return digits + " " + units[chosen].symbol;
}

}  // namespace

std::string formatFixed(double value, int decimals) {
    char buffer[400];
    const auto end =
        std::to_chars(std::begin(buffer), std::end(buffer), value, std::chars_format::fixed, decimals);
    return {buffer, end.ptr};
}

std::string formatSeconds(double seconds) {
    constexpr std::size_t second = 3;
    return withUnit(seconds, shownTimes, second);
}

std::string formatBytes(double bytes) {
    const bool whole = std::fabs(bytes) < kib && bytes == std::floor(bytes);
    return whole ? formatFixed(bytes, 0) + " B" : withUnit(bytes, shownBytes, 0);
}

std::string formatBandwidth(double bytesPerSecond) { return withUnit(bytesPerSecond, shownBandwidths, 0); }

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

}  // namespace stagecraft
