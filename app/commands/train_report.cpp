#include "app/commands/train_report.h"

#include "app/commands/text_table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace stagecraft::app {

using training::Policy;
using training::PolicyRuns;
using training::PolicySummary;
using training::SeedSpread;

namespace {

std::string fixed(double number, int decimals) {
    if (!std::isfinite(number)) return "–";
    char digits[64];
    std::snprintf(digits, sizeof digits, "%.*f", decimals, number);
    return digits;
}

/// One seed has no spread.
std::string text(const SeedSpread& spread, int decimals) {
    const std::string mean = fixed(spread.mean, decimals);
    return spread.count < 2 ? mean : mean + " ± " + fixed(spread.deviation, decimals);
}

std::string lossText(const SeedSpread& loss) { return text(loss, 4); }

std::string percentText(const SeedSpread& accuracy) {
    return text({100 * accuracy.mean, 100 * accuracy.deviation, accuracy.count}, 2);
}

std::string signedPercentText(const SeedSpread& difference) {
    return (difference.mean >= 0 ? "+" : "") + percentText(difference);
}

}  // namespace

void printTrainingSummary(const std::vector<PolicyRuns>& runs, std::ostream& out) {
    const auto baseline = std::find_if(runs.begin(), runs.end(), [](const PolicyRuns& each) {
        return each.policy == Policy::synchronous && !each.runs.empty();
    });
    const bool compares = baseline != runs.end() && runs.size() > 1;
    std::vector<std::string> headings = {"policy",    "least loss",        "best accuracy (%)",
                                         "last loss", "last accuracy (%)", "diverged"};
    if (compares) headings.push_back("best against synchronous (points)");
    TextTable table(headings);
    for (const PolicyRuns& each : runs) {
        if (each.runs.empty()) continue;
        const PolicySummary summary = summaryOf(each);
        std::vector<std::string> cells = {
            describe(each.policy).id,   lossText(summary.leastLoss),       percentText(summary.bestAccuracy),
            lossText(summary.lastLoss), percentText(summary.lastAccuracy), std::to_string(summary.diverged)};
        if (compares)
            cells.push_back(
                &each == &*baseline ? "" : signedPercentText(differenceOf(each, *baseline).bestAccuracy));
        table.add(cells);
    }
    table.print(out);
    out << "\nOn the validation data: mean ± standard deviation over the seeds; least and best over the "
           "epochs.\n";
}

}  // namespace stagecraft::app
