#pragma once

#include "core/base/rooms.h"

#include <QSize>

#include <optional>
#include <string>

namespace stagecraft::app {

/// "1280x720": a width and a height in pixels, each from `least` to `most`; nothing for anything else.
std::optional<QSize> pixelsFrom(const std::string& text, int least, int most);

}  // namespace stagecraft::app
