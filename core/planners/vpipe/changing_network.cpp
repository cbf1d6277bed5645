#include "core/planners/vpipe/changing_network.h"

#include "core/analysis/utilisation.h"
#include "core/base/units.h"
#include "core/model/profile_sizes.h"
#include "core/planners/planning_costs.h"
#include "core/planners/vpipe/migration_rates.h"
#include "core/simulation/simulator.h"

#include <algorithm>
#include <stdexcept>

namespace stagecraft::planners::vpipe {

namespace {

/// Layers move for a throughput that is this many times as high at least.
constexpr double worthMoving = 1.01;

/// The mini-batches of the upper system.
CostModel ownCosts(Problem problem, const Settings& settings) {
    if (settings.system == System::asynchronous) {
        problem.setup.mode = TrainingMode::asynchronous;
        problem.setup.microbatches = 1;
    } else {
        problem.setup.mode = TrainingMode::synchronous;
    }
    return CostModel(std::move(problem));
}

double throughputOf(const CostModel& costs, const Round& round) {
    return round.fits ? costs.problem().samplesPerIteration() / round.iterationTimeS : 0;
}

std::string describe(const NetworkEvent& event) {
    const std::string on = " stage " + std::to_string(event.stage);
    const std::string layers = std::to_string(event.layers) + (event.layers == 1 ? " layer" : " layers");
    switch (event.kind) {
        case NetworkEvent::Kind::addLayers:
            return layers + " added to" + on;
        case NetworkEvent::Kind::removeLayers:
            return layers + " removed from" + on;
        case NetworkEvent::Kind::scaleTimes:
            return "times of" + on + " scaled by " + formatNumber(event.factor);
    }
    return "";
}

class Course {
public:
    /// vPipe knows of a speed alone.
    Course(const Problem& problem, const Settings& settings, const WorkContext& context)
        : problem_(withAverageSpeeds(CostModel(problem)).problem()), settings_(settings), context_(context) {
        network_.profile = problem_.profile;
        network_.stages = startingStages(CostModel(problem_));
        vpipeStages_ = network_.stages;
    }

    std::vector<ThroughputPoint> run(const NetworkScript& script) {
        replan(0, "start", false);
        for (const NetworkEvent& event : script.events) {
            const LayerShift shift = applyEvent(network_, event);
            vpipeStages_ = shifted(std::move(vpipeStages_), shift, network_.profile.layerCount());
            replan(event.atS, describe(event), true);
            context_.report(static_cast<double>(&event - script.events.data() + 1) /
                            static_cast<double>(script.events.size()));
        }
        ThroughputPoint end = points_.back();
        end.atS = std::max(script.durationS, end.atS);
        end.what = "end";
        end.migrationS = end.stallS = end.stopAndCopyStallS = end.migrationPeakBps = 0;
        end.leastUtilisation = end.stopAndCopyLeastUtilisation = 1;
        points_.push_back(std::move(end));
        return std::move(points_);
    }

private:
    Problem problemNow() const {
        Problem problem = problem_;
        problem.profile = network_.profile;
        return problem;
    }

    Settings with(Parts parts) const {
        Settings settings = settings_;
        settings.parts = parts;
        return settings;
    }

    /// The upper system alone, at the largest microbatch that it can hold.
    void addStatic(ThroughputPoint& point) const {
        Problem problem = problemNow();
        const int whole = problem.profile.microbatchSize;
        for (int size = whole; size >= 1; size /= 2) {
            if (size != whole) problem.profile = profileAtSize(network_.profile, size);
            problem.setup.microbatches = problem_.setup.microbatches * (whole / size);
            const CostModel costs = ownCosts(problem, settings_);
            const Round round = fittedRound(costs, network_.stages, with(Parts::upperSystem), context_);
            if (!round.fits) continue;
            point.staticSystem = throughputOf(costs, round);
            point.staticMicrobatchSize = size;
            return;
        }
    }

    static std::vector<int> sizesOf(const std::vector<Stage>& stages) {
        std::vector<int> sizes;
        for (const Stage& stage : stages) sizes.push_back(stage.layerCount());
        return sizes;
    }

    void replan(double atS, std::string what, bool migrates) {
        const CostModel costs = ownCosts(problemNow(), settings_);
        ThroughputPoint point;
        point.atS = atS;
        point.what = std::move(what);
        point.ideal = idealThroughputSamplesPerS(costs, static_cast<int>(network_.stages.size()));
        point.swapRecompute =
            throughputOf(costs, fittedRound(costs, network_.stages, with(Parts::swapRecompute), context_));
        addStatic(point);
        const Round carried = fittedRound(costs, vpipeStages_, with(Parts::swapRecompute), context_);
        const std::vector<Round> all = rounds(costs, vpipeStages_, with(Parts::full), context_);
        const int best = bestRound(all);
        const bool moves = best >= 0 && all[static_cast<std::size_t>(best)].stages != vpipeStages_ &&
                           throughputOf(costs, all[static_cast<std::size_t>(best)]) >
                               worthMoving * throughputOf(costs, carried);
        point.full = throughputOf(costs, carried);
        point.layersOfStage = sizesOf(vpipeStages_);
        if (!moves || migrates) points_.push_back(point);
        if (!moves) return;
        const Round& chosen = all[static_cast<std::size_t>(best)];
        if (migrates && carried.fits) addMigration(costs, carried, chosen, point);
        if (migrates) point.what = "layers have migrated";
        point.atS += point.migrationS;
        point.full = throughputOf(costs, chosen);
        vpipeStages_ = chosen.stages;
        point.layersOfStage = sizesOf(vpipeStages_);
        points_.push_back(std::move(point));
    }

    void addMigration(const CostModel& costs, const Round& from, const Round& to,
                      ThroughputPoint& point) const {
        const Plan before = planOf(from.stages, from.memory, settings_);
        const Plan after = planOf(to.stages, to.memory, settings_);
        const int full = 4 * before.stageCount();  // microbatches until the pipeline is in its stride
        const Migration migration = simulateMigration(costs, before, after, {MigrationKind::live, full, 0});
        const Migration stopped =
            simulateMigration(costs, before, after, {MigrationKind::stopAndCopy, full, 0});
        point.stopAndCopyStallS = stopped.stallS();
        point.migrationPeakBps = peakMigrationBps(migration, peakWindowS);
        point.leastUtilisation = leastUtilisation(migration, utilisationWindowS);
        point.stopAndCopyLeastUtilisation = leastUtilisation(stopped, utilisationWindowS);
        double beginsS = 0, endsS = 0;
        for (const MigrationMove& move : migration.moves) {
            if (&move == &migration.moves.front()) beginsS = migration.timeline.startS[move.block];
            endsS = std::max(endsS, migration.timeline.endS[move.block]);
        }
        point.migrationS = endsS - beginsS;
        point.stallS = migration.stallS();
    }

    const Problem problem_;
    const Settings& settings_;
    const WorkContext& context_;
    StagedNetwork network_;
    std::vector<Stage> vpipeStages_;
    std::vector<ThroughputPoint> points_;
};

}  // namespace

std::vector<ThroughputPoint> changingNetwork(const Problem& problem, const NetworkScript& script,
                                             const Settings& settings, const WorkContext& context) {
    return Course(problem, settings, context).run(script);
}

}  // namespace stagecraft::planners::vpipe
