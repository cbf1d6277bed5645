#pragma once

#include "core/base/units.h"
#include "views/common/qt_text.h"

namespace stagecraft::views {

/// formatBytes() and formatSeconds() as the window's text.
inline QString bytesText(double bytes) { return qtText(formatBytes(bytes)); }
inline QString secondsText(double seconds) { return qtText(formatSeconds(seconds)); }

}  // namespace stagecraft::views
