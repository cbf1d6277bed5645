#pragma once

#include "core/base/rooms.h"

#include <QString>

#include <string>

namespace stagecraft::views {

/// UTF-8 text of the core as the window's.
inline QString qtText(const std::string& text) { return QString::fromStdString(text); }

/// The same inside rich text: what would be markup shows as it is written.
inline QString htmlText(const std::string& text) { return qtText(text).toHtmlEscaped(); }

}  // namespace stagecraft::views
