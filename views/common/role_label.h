#pragma once

#include "core/base/rooms.h"

#include <QString>

class QLabel;
class QWidget;

namespace stagecraft::views {

/// A line in one of the theme's roles: "heading", "muted", "error", …
QLabel* newLine(const QString& text, const char* role);
/// Plain text that is broken into lines.
QLabel* newParagraph(const QString& text, const char* role);
/// Another role of a widget that may have been drawn in its old one.
void setRole(QWidget& widget, const char* role);

}  // namespace stagecraft::views
