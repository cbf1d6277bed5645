#include "app/commands/command.h"
#include "app/commands/inputs.h"
#include "app/commands/text_table.h"
#include "app/vpipe/vpipe_files.h"
#include "core/base/units.h"
#include "core/formats/traces/timeline_csv.h"
#include "core/planners/vpipe/migration_rates.h"
#include "core/planners/vpipe/vpipe_planner.h"

#include <cmath>

namespace stagecraft::app::commands {

namespace {

constexpr EnumName<planners::vpipe::MigrationKind> migrationKindNames[] = {
    {planners::vpipe::MigrationKind::live, "live"},
    {planners::vpipe::MigrationKind::stopAndCopy, "stop-and-copy"}};

constexpr int usualWindows = 200, mostWindows = 10'000;

struct Ends {
    Plan from, to;
};

/// The partition that vPipe starts from and the one that it ends at.
Ends vpipePartitions(const CostModel& costs) {
    const Planner& planner = *findPlanner("vpipe");
    ParameterValues values = defaultValues(planner.description().parameters);
    values["own_partition"] = std::string("none");  // its stages may be replicated, and layers cannot migrate
    const PlanningResult result = runPlanner(planner, costs, values);
    if (result.status != PlanStatus::ok) throw UsageError("vPipe has no plan: " + result.reason);
    Ends ends{result.plan, result.plan};
    ends.from.stages = result.rounds.front().partition;
    ends.from.memory = result.rounds.front().memory;
    return ends;
}

Ends chosenEnds(const Arguments& arguments, const PlansInput& input, const std::string& path,
                std::ostream& err) {
    if (!arguments.has("from") && !arguments.has("to")) return vpipePartitions(*input.costs);
    if (!arguments.has("from") || !arguments.has("to"))
        throw UsageError("--from and --to name the plans; expected both or neither");
    const std::size_t from = chosenPlan(arguments, input.plans, path, "from");
    const std::size_t to = chosenPlan(arguments, input.plans, path, "to");
    checkAge(input, from, path, err);
    if (to != from) checkAge(input, to, path, err);
    return {input.plans[from], input.plans[to]};
}

void printMoves(const planners::vpipe::Migration& migration, std::ostream& out) {
    TextTable table({"step", "from", "to", "layers", "microbatch", "size", "starts", "ends", "stall"});
    for (const planners::vpipe::MigrationMove& move : migration.moves)
        table.add({planners::vpipe::migrationStepName(move.step), std::to_string(move.fromStage),
                   std::to_string(move.toStage),
                   std::to_string(move.firstLayer) + "–" + std::to_string(move.lastLayer),
                   move.microbatch < 0 ? "" : std::to_string(move.microbatch),
                   move.bytes > 0 ? formatBytes(move.bytes) : "",
                   formatSeconds(migration.timeline.startS[move.block]),
                   formatSeconds(migration.timeline.endS[move.block]),
                   move.stallS > 0 ? formatSeconds(move.stallS) : ""});
    table.print(out);
}

/// Seconds, as asked for or else a share of the timeline.
double windowOf(const Arguments& arguments, const planners::vpipe::Migration& migration) {
    const double allS = migration.timeline.lastEndS(), leastS = allS / mostWindows;
    const double windowS = arguments.number("window-s", 0).value_or(allS / usualWindows);
    if (windowS < leastS)
        throw UsageError("--window-s is " + formatSeconds(windowS) + "; expected " + formatSeconds(leastS) +
                         " or more, a " + std::to_string(mostWindows) + "th of the time");
    return windowS;
}

int runMigrate(const Arguments& arguments, std::ostream& out, std::ostream& err) {
    arguments.refuseMoreThan(1);
    const std::string& path = arguments.positionalAt(0, "PROJECT");
    const PlansInput input = plansFrom(path);
    const Ends ends = chosenEnds(arguments, input, path, err);
    const CostModel costs(problemOf(ends.from, input.costs->problem()));
    planners::vpipe::MigrationOptions options;
    options.kind = arguments.choice("how", migrationKindNames).value_or(planners::vpipe::MigrationKind::live);
    options.afterMicrobatch = arguments.integer("after", 0).value_or(2 * ends.from.stageCount());
    const planners::vpipe::Migration migration =
        planners::vpipe::simulateMigration(costs, ends.from, ends.to, options);
    const double windowS = windowOf(arguments, migration);
    printMoves(migration, out);
    planners::vpipe::MigrationOptions other = options;
    other.kind = options.kind == planners::vpipe::MigrationKind::live
                     ? planners::vpipe::MigrationKind::stopAndCopy
                     : planners::vpipe::MigrationKind::live;
    other.microbatches = static_cast<int>(migration.forward.front().size());
    const planners::vpipe::Migration compared =
        planners::vpipe::simulateMigration(costs, ends.from, ends.to, other);
    const bool wantsRates = arguments.has("rates") || arguments.has("window-s");
    for (const auto& [kind, each] : {std::pair(options.kind, &migration), std::pair(other.kind, &compared)}) {
        out << nameOf(migrationKindNames, kind) << ": " << formatBytes(each->movedBytes)
            << " move; the training stalls for " << formatSeconds(each->stallS()) << "\n";
        if (wantsRates)
            out << "  in any " << formatSeconds(windowS) << ": at most "
                << formatBandwidth(planners::vpipe::peakMigrationBps(*each, windowS))
                << " for what moves; devices train for at least "
                << std::lround(100 * planners::vpipe::leastUtilisation(*each, windowS)) << " % of it\n";
    }
    const std::vector<std::string> violations =
        planners::vpipe::checkMigration(costs.problem(), ends.from, ends.to, migration);
    for (const std::string& violation : violations) err << violation << "\n";
    if (violations.empty())
        out << "every gradient enters one update, and every forward uses the version that it would use "
               "without "
               "migration\n";
    if (const auto target = arguments.text("rates"))
        writeFileAtomically(*target, migrationRatesCsv(migration, windowS, costs.problem().cluster));
    if (const auto target = arguments.text("out"))
        writeFileAtomically(*target, writeTimelineCsv(migration.timeline, costs.problem().cluster));
    return violations.empty() ? exitDone : exitFailed;
}

}  // namespace

Command migrateCommand() {
    return {"migrate",
            {"PROJECT [--from PLAN --to PLAN] [--after K] [--how live|stop-and-copy] [--out F.csv] "
             "[--rates F.csv]"},
            "Lets a plan change into another while it runs, by vPipe's protocol or by stopping.",
            {{"from", "NAME|INDEX", "the plan that runs; default: vPipe's first partition"},
             {"to", "NAME|INDEX", "the plan to change into; default: vPipe's last partition"},
             {"after", "K", "layers leave after this microbatch; default: twice the number of stages"},
             {"how", "KIND", "live | stop-and-copy; default live"},
             {"out", "F.csv", "where the timeline goes"},
             {"rates", "F.csv", "where data rates and utilisation over time go"},
             {"window-s", "S", "they are means over windows of S seconds; default: a 200th of the time"}},
            &runMigrate};
}

}  // namespace stagecraft::app::commands
