#pragma once

#include "core/base/unit_table.h"

#include <string>

namespace stagecraft::base {

/// Reads a number with its unit. The point is the decimal sign, spaces do not matter, prefixes may be in
/// either case. What is not written in bits is bytes:
/// - bandwidth: "100 Gbit/s", "100 Gbps", "100 Gb/s" (bits); "12 GB/s", "12 GBps", "11.2 GiB/s" (bytes)
/// - seconds: "5 us", "1.5 µs", "20 ms", "1 s", "2 min", "1 h"
/// - bytes: "16 GiB" (2^30 each), "16 GB" (10^9 each), "512 B"
/// - plain: "1.5"
/// Zero needs no unit.
/// @throws std::invalid_argument that says what was expected, if the text is something else, negative or not
/// finite
double parseQuantity(Quantity quantity, const std::string& text);

/// The shortest text from which parseQuantity reads exactly this number: "12.5 GB/s", "16 GiB", "1.5 µs".
std::string exactText(Quantity quantity, double value);

/// Rounded to three digits, as the rest of the window shows it (units.h).
std::string roundedText(Quantity quantity, double value);

}  // namespace stagecraft::base
