#pragma once

#include "core/base/rooms.h"

namespace stagecraft::base {

/// How units.h writes quantities for people, those with a unit or in percent. Files have numbers as they are,
/// whatever this says.
struct NumberStyle {
    bool decimalBytes = false;  ///< "9.40 GB" of 10⁹ bytes instead of "8.75 GiB" of 2³⁰
    int figures = 3;            ///< significant digits, leastFigures to mostFigures
    bool operator==(const NumberStyle&) const = default;
};
inline constexpr int leastFigures = 3, mostFigures = 6;

/// Of the whole program, from now on. May be called from any thread.
void setNumberStyle(const NumberStyle& style);
/// The one in force in this thread now.
NumberStyle numberStyle();

/// While it lives, this thread writes numbers in the style that the program starts with: what others are to
/// get alike, as figures, does not follow a person's taste.
class StandardNumbers {
public:
    StandardNumbers();
    ~StandardNumbers();
    StandardNumbers(const StandardNumbers&) = delete;
    StandardNumbers& operator=(const StandardNumbers&) = delete;
};

}  // namespace stagecraft::base
