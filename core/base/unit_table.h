#pragma once

#include "core/base/rooms.h"

#include <span>

namespace stagecraft::base {

/// What a number measures, and so in which units people write it. The number itself is always in the base
/// unit: bytes per second, seconds, bytes.
enum class Quantity { plain, bandwidth, seconds, bytes };

/// A unit is 10^exponent * factor base units. Reading shifts the decimal point of what was written by the
/// exponent and multiplies by the factor; neither rounds, as factors are powers of two, except those of
/// minutes and hours.
struct Unit {
    const char* symbol;
    int exponent;
    double factor;
    double size;       ///< in base units
    double shownFrom;  ///< the least magnitude that is shown in this unit; negative: it is only read
};

/// All units in which the quantity is written, in ascending order.
std::span<const Unit> unitsOf(Quantity quantity);

/// The largest unit whose `shownFrom` the finite value reaches when rounded to three digits (0.9999 s is
/// 1.00 s and not 1000 ms), of a quantity with units; of bytes a decimal one if numberStyle() says so.
const Unit& shownUnit(Quantity quantity, double value);

}  // namespace stagecraft::base
