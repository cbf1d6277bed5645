#include "core/base/counted.h"

namespace stagecraft::base {

std::string grouped(long long count) {
    std::string digits = std::to_string(count);
    const std::size_t first = count < 0 ? 1 : 0;
    for (std::size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, 1, ',');
    return digits;
}

std::string_view oneOrMany(long long count, std::string_view one, std::string_view many) {
    return count == 1 ? one : many;
}

std::string counted(long long count, std::string_view one, std::string_view many) {
    std::string text = grouped(count) + ' ';
    if (count == 1) return text.append(one);
    return many.empty() ? text.append(one) + 's' : text.append(many);
}

}  // namespace stagecraft::base
