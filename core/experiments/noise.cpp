#include "core/experiments/noise.h"

#include "core/experiments/cell_result.h"
#include "core/training/data_sets.h"
#include "core/training/training_settings.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace stagecraft::experiments {

namespace {

constexpr char seedPointer[] = "/training/seed";
constexpr std::uint64_t pointsOfSpirals = 0;  // how many there are does not depend on it

bool isAccuracy(const std::string& metric) {
    return metric == "validation_accuracy" || metric == "best_validation_accuracy";
}

/// One seed's part in a claim.
struct OfSeed {
    double sum = 0, resolution = 0;
    int count = 0;

    void add(double number, double step) {
        sum += number;
        resolution += step;
        ++count;
    }
};

/// What is averaged over seeds, and by how much one sample moves it.
void addTo(OfSeed& seed, const Claim& claim, const ClaimNumber& one) {
    if (claim.aggregate == ClaimAggregate::geometricMean)
        seed.add(std::log(one.number), one.resolution / one.number);
    else if (claim.aggregate == ClaimAggregate::share)
        seed.add(one.number <= claim.shareAtMost ? 1 : 0, 0);
    else
        seed.add(one.number, one.resolution);
}

bool decidesAlone(const Claim& claim) {
    return claim.aggregate == ClaimAggregate::every || claim.aggregate == ClaimAggregate::some ||
           claim.aggregate == ClaimAggregate::largest || claim.aggregate == ClaimAggregate::least;
}

double deviation(const std::vector<double>& numbers) {
    double mean = 0, squares = 0;
    for (const double number : numbers) mean += number / static_cast<double>(numbers.size());
    for (const double number : numbers) squares += (number - mean) * (number - mean);
    return std::sqrt(squares / static_cast<double>(numbers.size() - 1));
}

}  // namespace

bool isOfTraining(const std::string& metric) {
    static const std::set<std::string> all = {
        "validation_loss",          "validation_accuracy", "training_loss", "least_validation_loss",
        "best_validation_accuracy", "epochs_to_target",    timeToTarget};
    return all.contains(metric);
}

bool isOfSeeds(const Axis& axis) {
    return axis.seeds || std::all_of(axis.values.begin(), axis.values.end(), [](const AxisValue& value) {
               return value.changes.size() == 1 && value.changes.front().pointer == seedPointer;
           });
}

double resolutionOf(const Grid& grid, const std::string& metric) {
    if (metric == "epochs_to_target") return 1;
    if (!isAccuracy(metric) || grid.pointCount() == 0) return 0;
    const Study study = grid.study(0);
    if (!study.training) return 0;
    const auto settings = training::trainingChoice(study.training->values, 1).settings;
    const training::Samples& samples = settings.data == training::DataKind::spirals
                                           ? training::spirals(pointsOfSpirals).validation
                                           : training::digits().validation;
    return 1.0 / samples.count();
}

std::optional<Noise> noiseOf(const Grid& grid, const Claim& claim, const std::vector<ClaimNumber>& numbers,
                             const ClaimNumber* decides) {
    if (!isOfTraining(claim.metric) && !isOfTraining(claim.overMetric)) return std::nullopt;
    const auto splitAt = [&](std::size_t point) {  // the seed, and what else makes the point
        const std::vector<std::size_t> at = grid.coordinates(point);
        std::pair<std::vector<std::size_t>, std::vector<std::size_t>> parts;
        for (std::size_t axis = 0; axis < at.size(); ++axis)
            (isOfSeeds(grid.experiment().axes[axis]) ? parts.first : parts.second).push_back(at[axis]);
        return parts;
    };
    std::map<std::vector<std::size_t>, OfSeed> seeds;
    for (const ClaimNumber& one : numbers) {
        const auto [seed, place] = splitAt(one.point);
        if (decidesAlone(claim) && place != splitAt(decides->point).second) continue;
        addTo(seeds[seed], claim, one);
    }
    Noise noise{static_cast<int>(seeds.size()), 0};
    if (noise.seeds < 2) return noise;
    std::vector<double> means;
    double resolution = 0;
    for (const auto& [seed, own] : seeds) {
        means.push_back(own.sum / own.count);
        resolution += claim.aggregate == ClaimAggregate::share ? 1.0 / own.count : own.resolution / own.count;
    }
    const double ofOne = std::max(deviation(means), resolution / noise.seeds);
    noise.standardError = decidesAlone(claim) ? ofOne : ofOne / std::sqrt(noise.seeds);
    return noise;
}

}  // namespace stagecraft::experiments
