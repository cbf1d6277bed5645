#include "core/base/nice_steps.h"

#include <cmath>

namespace stagecraft::base {

namespace {

constexpr double rounding = 1e-9;

}  // namespace

double niceStep(double least) {
    const double decade = std::pow(10, std::floor(std::log10(least)));
    for (const double multiple : {1.0, 2.0, 5.0})
        if (multiple * decade >= least * (1 - rounding)) return multiple * decade;
    return 10 * decade;
}

std::vector<double> logarithmicSteps(double from, double to, int about) {
    std::vector<double> found;
    for (const std::vector<double>& multiples : {std::vector<double>{1, 2, 5}, {1, 3}, {1}}) {
        found.clear();
        for (double power = std::floor(std::log10(from)); power <= std::log10(to); ++power)
            for (const double multiple : multiples) {
                const double value = multiple * std::pow(10, power);
                if (value >= from * (1 - rounding) && value <= to * (1 + rounding)) found.push_back(value);
            }
        if (!found.empty() && static_cast<int>(found.size()) <= about) break;
    }
    return found;
}

}  // namespace stagecraft::base
