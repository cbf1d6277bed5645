#pragma once

#include "app/help/help_library.h"

namespace stagecraft::app::help {

/// The words of a text in lines of at most `width` letters, the first after `first`, the others after `rest`.
QString brokenText(const QString& text, int width, const QString& first, const QString& rest);

/// A page, or the section of it with that anchor and those below it, for a terminal: paragraphs broken at
/// `width` letters, tables in columns, formulas on one line, pictures as the command that draws them.
/// @throws InputError
QString helpAsText(const HelpPage& page, const QString& anchor, int width);

}  // namespace stagecraft::app::help
