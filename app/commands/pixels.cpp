#include "app/commands/pixels.h"

#include <algorithm>
#include <charconv>

namespace stagecraft::app {

std::optional<QSize> pixelsFrom(const std::string& text, int least, int most) {
    int width = 0, height = 0;
    const char* end = text.data() + text.size();
    const auto first = std::from_chars(text.data(), end, width);
    if (first.ec != std::errc{} || first.ptr == end || *first.ptr != 'x') return std::nullopt;
    const auto second = std::from_chars(first.ptr + 1, end, height);
    if (second.ec != std::errc{} || second.ptr != end) return std::nullopt;
    if (std::min(width, height) < least || std::max(width, height) > most) return std::nullopt;
    return QSize(width, height);
}

}  // namespace stagecraft::app
