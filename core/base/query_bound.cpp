#include "core/base/query_bound.h"

#include "core/base/text_parts.h"

#include <array>
#include <cmath>
#include <optional>
#include <stdexcept>

namespace stagecraft::base {

std::span<const std::string_view> boundSigns() {
    static constexpr std::array<std::string_view, 5> signs{"<=", ">=", "<", ">", "="};
    return signs;
}

bool isWithinBound(double value, std::string_view sign, double bound) {
    if (sign == "<") return value < bound;
    if (sign == "<=") return value <= bound;
    if (sign == ">") return value > bound;
    if (sign == ">=") return value >= bound;
    return value == bound;
}

double boundNumber(Quantity quantity, const std::string& text) {
    if (const std::optional<double> number = wholeNumber(text)) return *number;
    try {
        return parseQuantity(quantity, text);
    } catch (const std::invalid_argument&) {
        return std::nan("");
    }
}

}  // namespace stagecraft::base
