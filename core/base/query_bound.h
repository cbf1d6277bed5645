#pragma once

#include "core/base/quantity.h"

#include <span>
#include <string>
#include <string_view>

namespace stagecraft::base {

// Terms of a query that bound a number: time<0.5, stages>=2, memory=16GiB.

/// The signs of such a term, for QueryGrammar.
std::span<const std::string_view> boundSigns();
/// Whether the value stands to the bound as the sign, one of boundSigns(), says; never for NaN.
bool isWithinBound(double value, std::string_view sign, double bound);
/// "0.5" in base units, or "500 ms" of something in seconds; NaN if it is neither.
double boundNumber(Quantity quantity, const std::string& text);

}  // namespace stagecraft::base
