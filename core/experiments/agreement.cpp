#include "core/experiments/agreement.h"

#include "core/experiments/noise.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace stagecraft::experiments {

namespace {

/// Rounding of the tolerance itself.
constexpr double toleranceSlack = 1 + 1e-9;

class Comparison {
public:
    explicit Comparison(const Grid& grid) : grid_(grid) {}

    bool isNear(const CellResult& found, const CellResult& before) {
        if (found.status != before.status || found.reason != before.reason) return false;
        const auto nearMetric = [&](const auto& own, const auto& other) {
            if (own.first != other.first) return false;
            if (own.second == other.second) return true;
            const double allowed = own.first == timeToTarget
                                       ? trainingTolerance.epochs * before.metric(epochSeconds).value_or(0)
                                       : tolerance(own.first, own.second, other.second);
            return std::abs(own.second - other.second) <= allowed * toleranceSlack;
        };
        return std::equal(found.metrics.begin(), found.metrics.end(), before.metrics.begin(),
                          before.metrics.end(), nearMetric);
    }

private:
    double tolerance(const std::string& metric, double found, double before) {
        if (!isOfTraining(metric)) return 0;
        const auto [known, isNew] = steps_.try_emplace(metric, 0);
        if (isNew) known->second = resolutionOf(grid_, metric);
        if (metric == "epochs_to_target") return trainingTolerance.epochs * known->second;
        if (known->second > 0) return trainingTolerance.samples * known->second;
        return trainingTolerance.ofLoss * std::max(std::abs(found), std::abs(before));
    }

    const Grid& grid_;
    std::map<std::string, double> steps_;  ///< resolutionOf(), by metric
};

}  // namespace

Agreement agreementOf(const ExperimentResults& found, const ExperimentResults& before) {
    if (writeExperiment(found.experiment) != writeExperiment(before.experiment)) return Agreement::other;
    if (found.cells == before.cells) return Agreement::same;
    const Grid grid(found.experiment);
    Comparison comparison(grid);
    const bool near = std::equal(
        found.cells.begin(), found.cells.end(), before.cells.begin(), before.cells.end(),
        [&](const CellResult& own, const CellResult& other) { return comparison.isNear(own, other); });
    return near ? Agreement::withinTolerance : Agreement::other;
}

}  // namespace stagecraft::experiments
