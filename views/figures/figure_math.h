#pragma once

#include "core/base/rooms.h"

#include <QString>

#include <utility>
#include <vector>

namespace stagecraft::views {

/// A stretch of text of one size and slant.
struct TextRun {
    QString text;
    double size = 1;     ///< of the text's own
    double raiseEm = 0;  ///< of its baseline, in the text's size
    bool italic = false;
};

/// The stretches between dollars, "$T_f$", are math if they hold a script, a command or a single letter, and
/// can be read; a price is not. Each part with whether it is math, without its dollars.
std::vector<std::pair<QString, bool>> mathParts(const QString& text);
bool hasMath(const QString& text);
/// The text as letters on a line: variables italic, scripts small and off the baseline, fractions with a
/// slash.
std::vector<TextRun> textRuns(const QString& text);

}  // namespace stagecraft::views
