#include "core/training/curves.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::training {

namespace {

double valueOf(const EpochResult& epoch, Measure measure) {
    switch (measure) {
        case Measure::validationLoss:
            return epoch.validationLoss;
        case Measure::validationAccuracy:
            return epoch.validationAccuracy;
        case Measure::trainingLoss:
        case Measure::batchLoss:
            return epoch.trainingLoss;
        case Measure::trainingAccuracy:
            return epoch.trainingAccuracy;
    }
    return 0;
}

/// Means of `group` mini-batches each; the last may be of fewer.
std::vector<double> grouped(const std::vector<double>& losses, int group) {
    std::vector<double> means;
    const auto size = static_cast<std::size_t>(group);
    for (std::size_t start = 0; start < losses.size(); start += size) {
        const std::size_t end = std::min(start + size, losses.size());
        double sum = 0;
        for (std::size_t i = start; i < end; ++i) sum += losses[i];
        means.push_back(sum / static_cast<double>(end - start));
    }
    return means;
}

std::vector<double> valuesOf(const TrainingRun& run, Measure measure, int group) {
    if (measure == Measure::batchLoss) return grouped(run.batchLosses, group);
    std::vector<double> values;
    for (const EpochResult& epoch : run.epochs) values.push_back(valueOf(epoch, measure));
    return values;
}

CurvePoint pointOf(double at, const std::vector<double>& values) {
    std::vector<double> finite;
    for (const double value : values)
        if (std::isfinite(value)) finite.push_back(value);
    CurvePoint point{at, spreadOf(finite), 0, 0, static_cast<int>(values.size() - finite.size())};
    if (finite.empty()) return point;
    const auto [least, most] = std::minmax_element(finite.begin(), finite.end());
    point.least = *least;
    point.most = *most;
    return point;
}

}  // namespace

std::vector<CurvePoint> curveOf(const PolicyRuns& runs, Measure measure, int group) {
    std::vector<std::vector<double>> bySeed;
    std::size_t longest = 0;
    for (const TrainingRun& run : runs.runs) {
        bySeed.push_back(valuesOf(run, measure, group));
        longest = std::max(longest, bySeed.back().size());
    }
    std::vector<CurvePoint> points;
    for (std::size_t i = 0; i < longest; ++i) {
        std::vector<double> values;
        for (const std::vector<double>& seed : bySeed)
            if (i < seed.size()) values.push_back(seed[i]);
        const double done = static_cast<double>(i + 1);
        points.push_back(pointOf(measure == Measure::batchLoss ? done * group : done, values));
    }
    return points;
}

int batchesOf(const std::vector<PolicyRuns>& runs) {
    std::size_t most = 0;
    for (const PolicyRuns& policy : runs)
        for (const TrainingRun& run : policy.runs) most = std::max(most, run.batchLosses.size());
    return static_cast<int>(most);
}

}  // namespace stagecraft::training
