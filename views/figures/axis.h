#pragma once

#include "views/figures/figure.h"

#include <string>
#include <utility>
#include <vector>

namespace stagecraft::views::figures {

/// Maps an interval of values to an interval of millimetres.
struct FigureScale {
    double from = 0;
    double to = 1;
    double startMm = 0;
    double endMm = 1;

    double at(double value) const { return startMm + (value - from) / (to - from) * (endMm - startMm); }
};

/// Round values for the ticks of an axis: 1, 2 or 5 times a power of ten of a unit that people read.
struct AxisTicks {
    std::vector<double> values;
    double unit = 1;   ///< values are written in multiples of this
    QString unitName;  ///< "ms", "GiB"
    int decimals = 0;

    QString label(double value) const;
};
/// The unit of a number that is a share of something, which is read in percent.
inline constexpr const char* shareUnit = "share";
/// The unit in which numbers up to `most` are read, as a multiple of `unit` ("s", "B", shareUnit, or any that
/// is not converted), and its name.
std::pair<double, QString> readUnit(double most, const std::string& unit);
/// Seconds. `about` is the largest number of ticks wanted.
AxisTicks timeTicks(double from, double to, int about);
AxisTicks byteTicks(double to, int about);
/// Of a number without a unit, or of `unit`s each.
AxisTicks numberTicks(double from, double to, int about, double unit = 1, const QString& unitName = {});

}  // namespace stagecraft::views::figures
