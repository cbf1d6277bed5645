#pragma once

#include "core/base/counted.h"

#include <QString>

namespace stagecraft::views {

/// counted() as the window's text.
inline QString countedText(long long count, const char* one, const char* many = "") {
    return QString::fromStdString(counted(count, one, many));
}

}  // namespace stagecraft::views
