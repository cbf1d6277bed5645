#pragma once

#include "views/rooms.h"

#include <QString>

#include <functional>
#include <utility>
#include <vector>

namespace stagecraft::views::figures {

/// A stretch of text of one size and slant. Lengths are in the text's own size.
struct TextRun {
    QString text;
    double size = 1;
    double raiseEm = 0;  ///< of its baseline
    bool italic = false;
    double atEm = 0;  ///< where it begins
};

/// Between what is above and what is below a fraction.
struct FractionBar {
    double fromEm = 0, toEm = 0;
    double raiseEm = 0;  ///< above the baseline
};

/// Text with math as letters and bars about a baseline.
struct SetText {
    std::vector<TextRun> runs;
    std::vector<FractionBar> bars;
    double widthEm = 0;
};

/// What stands between dollars, "$T_f$", "$p-1$", is math; a dollar before a blank, or one that closes after
/// a blank or before a digit, is a price's, and "\\$" always is. Each part with whether it is math, without
/// its dollars; math that cannot be read is none.
std::vector<std::pair<QString, bool>> mathParts(const QString& text);
/// Whether the text is set otherwise than letter by letter as it stands.
bool hasMath(const QString& text);
/// @throws std::invalid_argument that says what is wrong with the first formula of the text that cannot be
/// read
void requireReadableMath(const QString& text);
/// The text on one line without dollars, fractions with a slash.
QString mathAsText(const QString& text);
/// The text in place: variables italic, scripts small and off the baseline, fractions above each other as TeX
/// sets them within a line. @param widthEm of a run, with its size, in the text's own
SetText setText(const QString& text, const std::function<double(const TextRun&)>& widthEm);

}  // namespace stagecraft::views::figures
