#include "app/vpipe/migration_end.h"

#include "core/model/profile_sizes.h"
#include "core/planners/planned_run.h"
#include "core/planners/planning_costs.h"
#include "core/planners/vpipe/memory_ladder.h"
#include "core/planners/vpipe/vpipe_planner.h"
#include "core/simulation/simulator.h"

#include <QObject>

#include <stdexcept>

namespace stagecraft::app::vpipe {

using planners::vpipe::System;

namespace {

/// The problem under the mini-batches of an upper system.
Problem ownProblem(Problem problem, const planners::vpipe::Settings& settings) {
    Plan skeleton = planners::vpipe::planOf({}, {}, settings);
    skeleton.miniBatch.barrier =
        settings.system == System::synchronous && problem.setup.mode == TrainingMode::asynchronous;
    problem.setup = setupOf(skeleton, problem.setup);
    return problem;
}

PlanRun runWith(const Problem& problem, ParameterValues values, const char* parts,
                const WorkContext& context) {
    values["parts"] = std::string(parts);
    return runAndEvaluate(*findPlanner("vpipe"), std::make_shared<const CostModel>(problem), values, context);
}

/// At the largest microbatch that it can hold, halving the profile's, as the paper measures it (Sec. 6).
UtilisationRow upperSystemAlone(const Problem& problem, const ParameterValues& values, const QString& name,
                                const WorkContext& context) {
    const int whole = problem.profile.microbatchSize;
    const CostModel reference(problem);
    UtilisationRow row = utilisationRow(runWith(problem, values, "none", context), &reference);
    row.title = name;
    for (int size = whole / 2; size >= 1 && !row.obstacle.isEmpty(); size /= 2) {
        Problem smaller = problem;
        smaller.profile = profileAtSize(problem.profile, size);
        smaller.setup.microbatches *= whole / size;
        UtilisationRow tried = utilisationRow(runWith(smaller, values, "none", context), &reference);
        if (!tried.obstacle.isEmpty()) continue;
        row = std::move(tried);
        row.title = QObject::tr("%1, microbatch %2 of %3").arg(name).arg(size).arg(whole);
    }
    return row;
}

MigrationCase migrationCase(const CostModel& costs, const Plan& from, const Plan& to,
                            const planners::vpipe::MigrationOptions& options) {
    MigrationCase result;
    for (const Stage& stage : from.stages) result.deviceOfStage.push_back(stage.devices.front());
    try {
        const CostModel seen = planners::withAverageSpeeds(costs);
        const auto migration = std::make_shared<planners::vpipe::Migration>(
            planners::vpipe::simulateMigration(seen, from, to, options));
        result.violations = planners::vpipe::checkMigration(seen.problem(), from, to, *migration);
        result.migration = migration;
    } catch (const SimulationError& error) {
        result.obstacle = QString::fromUtf8(error.what());
    }
    return result;
}

}  // namespace

ParameterValues vpipeValues(const std::optional<Plan>& plan) {
    const std::vector<Parameter>& parameters = findPlanner("vpipe")->description().parameters;
    ParameterValues values = defaultValues(parameters);
    if (!plan || plan->planner != "vpipe") return values;
    for (const auto& [name, value] : plan->parameters) {
        try {
            setParameter(parameters, values, name + "=" + value);
        } catch (const std::invalid_argument&) {
            // A plan of another version may know parameters that are gone.
        }
    }
    return values;
}

RoundsStudy studyRounds(const Problem& problem, const ParameterValues& values,
                        const std::optional<Plan>& plan, const WorkContext& context) {
    RoundsStudy study;
    study.settings = planners::vpipe::settingsOf(values, problem.setup.mode);
    if (study.settings.system == System::asynchronous && problem.setup.mode == TrainingMode::synchronous)
        throw std::invalid_argument(
            "vPipe over PipeDream trains without a barrier; the setup asks for synchronous training.");
    planners::vpipe::PlannedRounds planned = planners::vpipe::planOnLadder(
        CostModel(ownProblem(problem, study.settings)), study.settings, context);
    study.costs = std::make_shared<CostModel>(std::move(planned.costs));
    study.rounds = std::move(planned.rounds);
    study.chosen = planned.best;
    for (std::size_t i = 0; plan && i < study.rounds.size(); ++i)
        if (study.rounds[i].stages == plan->stages && study.rounds[i].memory.layers == plan->memory.layers)
            study.chosen = static_cast<int>(i);
    return study;
}

std::vector<UtilisationRow> utilisationWithParts(const Problem& problem, const ParameterValues& values,
                                                 const WorkContext& context) {
    const bool gpipe = planners::vpipe::settingsOf(values, problem.setup.mode).system == System::synchronous;
    const QString upper = gpipe ? QStringLiteral("GPipe") : QStringLiteral("PipeDream");
    std::vector<UtilisationRow> rows{upperSystemAlone(problem, values, upper, context)};
    const std::pair<const char*, QString> parts[] = {
        {"swap-recompute", QObject::tr("%1 + swap, recompute").arg(upper)},
        {"all", QObject::tr("%1 + vPipe").arg(upper)}};
    for (const auto& [part, title] : parts) {
        UtilisationRow row = utilisationRow(runWith(problem, values, part, context));
        row.title = title;
        rows.push_back(std::move(row));
    }
    // A smaller microbatch is no part of the ideal.
    rows.front().ideal = rows.back().ideal;
    return rows;
}

std::vector<MigrationCase> migrationCases(const Problem& problem, const MigrationEnd& from,
                                          const MigrationEnd& to, int after, const WorkContext& context) {
    std::vector<MigrationCase> cases;
    for (const System system : {System::asynchronous, System::synchronous}) {
        planners::vpipe::Settings settings;
        settings.system = system;
        Problem asked = problem;
        asked.setup.mode =
            system == System::asynchronous ? TrainingMode::asynchronous : TrainingMode::synchronous;
        const CostModel costs(ownProblem(std::move(asked), settings));
        const Plan before = planners::vpipe::planOf(from.stages, from.memory, settings);
        const Plan behind = planners::vpipe::planOf(to.stages, to.memory, settings);
        planners::vpipe::MigrationOptions options;
        options.afterMicrobatch = after < 0 ? 2 * before.stageCount() : after;
        for (const planners::vpipe::MigrationKind kind :
             {planners::vpipe::MigrationKind::live, planners::vpipe::MigrationKind::stopAndCopy}) {
            context.throwIfStopped();
            options.kind = kind;
            MigrationCase each = migrationCase(costs, before, behind, options);
            each.title = (kind == planners::vpipe::MigrationKind::live ? QObject::tr("Live")
                                                                       : QObject::tr("Stop and copy")) +
                         (system == System::asynchronous ? QObject::tr(", no barrier (ASP)")
                                                         : QObject::tr(", barrier (BSP)"));
            each.runsEmpty =
                kind == planners::vpipe::MigrationKind::stopAndCopy && system == System::asynchronous;
            // Both ways over as many microbatches.
            if (each.migration)
                options.microbatches = static_cast<int>(each.migration->forward.front().size());
            cases.push_back(std::move(each));
        }
    }
    return cases;
}

NetworkScript usualScript(const Problem& problem) {
    constexpr int mostLayers = 8;
    NetworkScript script;
    script.durationS = 1500;
    const std::vector<Stage> stages = planners::vpipe::startingStages(CostModel(problem));
    const int first = stages.front().layerCount();
    const int second = stages.size() > 1 ? stages[1].layerCount() : 1;
    // A third of a stage, so that it can still be swapped and recomputed into its memory after both.
    const int added = std::clamp(first / 3, 1, mostLayers),
              removed = std::clamp((second - 1) / 2, 0, mostLayers);
    const auto event = [&](double atS, NetworkEvent::Kind kind, int stage, int layers) {
        if (layers > 0) script.events.push_back({atS, kind, stage, layers, 1});
    };
    event(342, NetworkEvent::Kind::addLayers, 0, added);
    event(594, NetworkEvent::Kind::addLayers, 0, added);
    event(880, NetworkEvent::Kind::removeLayers, 1, removed);
    event(1123, NetworkEvent::Kind::removeLayers, 1, removed);
    return script;
}

}  // namespace stagecraft::app::vpipe
