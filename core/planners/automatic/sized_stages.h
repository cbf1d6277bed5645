#pragma once

#include "core/planners/automatic/auto_answer.h"
#include "core/planners/automatic/fitting_plan.h"

#include <functional>
#include <optional>
#include <vector>

namespace stagecraft::planners {

/// Plans whose stages have different numbers of devices, of which AutoSearch proves nothing but that all work
/// has to be done: SPP's and PipeDream's stages at each degree, those with the least work first, and on the
/// fastest of these every schedule family that the network can run. The same answer with any number of
/// threads.
class SizedStages {
public:
    /// The problem of a degree, of all devices; threads may ask at once.
    using CostsAt = std::function<CostModel(const Degree& degree, ZeroStage zero)>;

    /// @param problem its devices and layers count @param batch samples of an iteration
    /// @param degrees from the least
    SizedStages(const Problem& problem, int batch, std::vector<Degree> degrees, const AutoLimits& limits,
                const WorkContext& context);

    /// Nothing: none was found that fits and takes less, as far as the effort goes, or until asked for the
    /// best so far (WorkContext::enough). @param threads at least 1 @throws Cancelled
    std::optional<AutoPlan> fasterThan(double seconds, int threads, const CostsAt& costsAt);
    /// Of degrees, each with a stage of ZeRO, at which there may be plans that are faster, as far as work
    /// says: where stages were looked for, which is as far as the effort goes, and all.
    long long degreesTried() const { return tried_; }
    long long degreesOpen() const { return open_; }
    double passes() const { return passes_; }

private:
    /// A degree with a stage of ZeRO.
    struct Place {
        const Degree* degree = nullptr;
        ZeroStage zero = ZeroStage::off;
    };
    /// The faster of the planners' plans there.
    struct Found {
        Place place;
        std::optional<FittingPlan> plan;
        double passes = 0;
        double seconds() const { return plan ? plan->course.iterationS : infinity; }
    };
    std::vector<Place> placesWithin(double seconds);
    double costOfLooking(const Place& place) const;
    Found stagesAt(const Place& place, double seconds, const CostsAt& costsAt) const;
    std::optional<FittingPlan> underFamilies(const Found& found, const CostsAt& costsAt) const;
    std::optional<AutoPlan> planOf(const Found& found) const;

    const Problem& problem_;
    int batch_;
    std::vector<Degree> degrees_;
    const AutoLimits& limits_;
    const WorkContext& context_;
    long long tried_ = 0, open_ = 0;
    double passes_ = 0;
};

}  // namespace stagecraft::planners
