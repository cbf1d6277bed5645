#include "core/training/comparison.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

namespace stagecraft::training {

namespace {

using Epochs = std::span<const EpochResult>;

/// Infinite if no epoch has a finite one.
double leastLoss(Epochs epochs) {
    double least = std::numeric_limits<double>::infinity();
    for (const EpochResult& epoch : epochs)
        if (epoch.validationLoss < least) least = epoch.validationLoss;
    return least;
}

double bestAccuracy(Epochs epochs) {
    double best = 0;
    for (const EpochResult& epoch : epochs) best = std::max(best, epoch.validationAccuracy);
    return best;
}

std::vector<double> finite(std::vector<double> values) {
    std::erase_if(values, [](double value) { return !std::isfinite(value); });
    return values;
}

template <typename Value>
std::vector<double> ofEach(const std::vector<TrainingRun>& runs, Value value) {
    std::vector<double> values;
    for (const TrainingRun& run : runs)
        if (!run.epochs.empty()) values.push_back(value(run.epochs));
    return values;
}

void append(std::string& text, double number) {
    char digits[32];
    text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

}  // namespace

Spread spreadOf(const std::vector<double>& values) {
    Spread spread{std::numeric_limits<double>::quiet_NaN(), 0, static_cast<int>(values.size())};
    if (values.empty()) return spread;
    spread.mean = std::accumulate(values.begin(), values.end(), 0.0) / spread.count;
    if (spread.count < 2) return spread;
    double squares = 0;
    for (const double value : values) squares += (value - spread.mean) * (value - spread.mean);
    spread.deviation = std::sqrt(squares / (spread.count - 1));
    return spread;
}

PolicySummary summaryOf(const PolicyRuns& runs) {
    const auto lastLoss = [](Epochs epochs) { return epochs.back().validationLoss; };
    PolicySummary summary{runs.policy};
    summary.leastLoss = spreadOf(finite(ofEach(runs.runs, leastLoss)));
    summary.bestAccuracy = spreadOf(ofEach(runs.runs, bestAccuracy));
    const std::vector<double> last = ofEach(runs.runs, lastLoss);
    summary.lastLoss = spreadOf(finite(last));
    summary.lastAccuracy =
        spreadOf(ofEach(runs.runs, [](Epochs epochs) { return epochs.back().validationAccuracy; }));
    summary.diverged = static_cast<int>(last.size()) - summary.lastLoss.count;
    return summary;
}

PairedDifference differenceOf(const PolicyRuns& runs, const PolicyRuns& baseline) {
    std::vector<double> losses, accuracies;
    for (std::size_t seed = 0; seed < std::min(runs.runs.size(), baseline.runs.size()); ++seed) {
        const Epochs own = runs.runs[seed].epochs, other = baseline.runs[seed].epochs;
        const std::size_t common = std::min(own.size(), other.size());
        if (common == 0) continue;
        losses.push_back(leastLoss(own.first(common)) - leastLoss(other.first(common)));
        accuracies.push_back(bestAccuracy(own.first(common)) - bestAccuracy(other.first(common)));
    }
    return {spreadOf(finite(losses)), spreadOf(accuracies)};
}

std::string curvesCsv(const std::vector<PolicyRuns>& runs) {
    std::string text =
        "policy,seed,epochs_done,training_loss,training_accuracy,validation_loss,validation_accuracy\n";
    for (const PolicyRuns& policy : runs)
        for (std::size_t seed = 0; seed < policy.runs.size(); ++seed)
            for (const EpochResult& epoch : policy.runs[seed].epochs) {
                text += describe(policy.policy).id + "," + std::to_string(seed) + "," +
                        std::to_string(epoch.epochsDone);
                for (const double number : {epoch.trainingLoss, epoch.trainingAccuracy, epoch.validationLoss,
                                            epoch.validationAccuracy}) {
                    text += ',';
                    append(text, number);
                }
                text += '\n';
            }
    return text;
}

}  // namespace stagecraft::training
