#pragma once

#include <string>

namespace stagecraft::base {

/// Binary units of memory, in bytes.
inline constexpr double kib = 1024, mib = 1024 * kib, gib = 1024 * mib;
inline constexpr double gigabyte = 1e9;  ///< in bytes, of rates and links

/// With a point as decimal sign whatever the locale: (1.5, 2) is "1.50".
std::string formatFixed(double value, int decimals);

/// Numbers as people read them, three significant digits, point as decimal sign whatever the locale.
std::string formatSeconds(double seconds);           ///< "531 ms", "1.80 s", "12.0 µs"
std::string formatBytes(double bytes);               ///< "9.40 GiB", "512 B"
std::string formatBandwidth(double bytesPerSecond);  ///< "12.5 GB/s"
std::string formatPercent(double fraction);          ///< "27.1 %"
std::string formatNumber(double value);              ///< up to three significant digits, shortest

/// Numbers of one column, all in the unit of the largest of them, so that they can be compared at a glance:
/// "0.98 ms" beside "12.0 ms", not "980 µs". What is too small for that keeps its own unit.
std::string formatSecondsBeside(double seconds, double largestS);
std::string formatBytesBeside(double bytes, double largestBytes);

}  // namespace stagecraft::base
