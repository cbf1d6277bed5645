#include "core/analysis/plan_difference.h"

#include "core/base/units.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace stagecraft::analysis {

namespace {

constexpr double sameTime = 1e-9;  // of the longer one: sums of many durations round

/// Whole percents, unless that would say 0: "18 %", "0.40 %".
std::string percent(double part) {
    const double rounded = std::round(100 * part);
    return rounded >= 1 ? formatNumber(rounded) + " %" : formatPercent(part);
}

std::string timeInWords(const PlanOutcome& plan, const PlanOutcome& other) {
    const double difference = plan.iterationTimeS - other.iterationTimeS;
    if (std::abs(difference) <= sameTime * std::max(plan.iterationTimeS, other.iterationTimeS))
        return plan.name + " is as fast as " + other.name;
    std::string share;
    if (other.iterationTimeS > 0) share = " (" + percent(std::abs(difference) / other.iterationTimeS) + ")";
    return plan.name + " is " + formatSeconds(std::abs(difference)) + share +
           (difference < 0 ? " faster" : " slower") + " than " + other.name;
}

}  // namespace

std::string differenceInWords(const PlanOutcome& plan, const PlanOutcome& other) {
    std::vector<std::string> more;
    const auto compare = [&more](const char* what, const std::string& own, const std::string& theirs) {
        if (own != theirs) more.push_back(what + (" " + own) + " instead of " + theirs);
    };
    compare("bubbles", formatPercent(plan.bubbleFraction), formatPercent(other.bubbleFraction));
    compare("peak memory", formatBytes(plan.peakBytes), formatBytes(other.peakBytes));
    std::string words = timeInWords(plan, other);
    for (std::size_t i = 0; i < more.size(); ++i) words += (i == 0 ? ": " : ", ") + more[i];
    return words + (plan.fits ? "." : ". It does not fit into memory.");
}

}  // namespace stagecraft::analysis
