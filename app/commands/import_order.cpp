#include "app/commands/import_command.h"

#include "app/commands/inputs.h"
#include "core/planners/planned_run.h"
#include "core/base/counted.h"
#include "core/programs/imported_order.h"

namespace stagecraft::app::commands {

namespace {

/// Those of --split, which come with the profile.
std::vector<Stage> splitStages(const ImportedProfile& profile) {
    std::vector<Stage> stages;
    if (!profile.splits.empty())
        for (const ImportedSplit::Part& part : profile.splits.front().parts)
            stages.push_back({part.firstLayer, part.lastLayer, {}});
    return stages;
}

}  // namespace

void importOrder(const Arguments& arguments, const std::string& path, std::string_view text,
                 std::ostream& err) {
    const std::string target = arguments.required("out");
    if (!arguments.has("profile") || !arguments.has("cluster"))
        throw UsageError("'" + path + "' is an order of passes; --profile F and --cluster F say of what");
    const ImportedProfile profile = namedProfile(arguments, err);
    Project project;
    project.problem.profile = profile.profile;
    project.problem.cluster = openCluster(arguments.required("cluster"));
    project.problem.setup.microbatches = orderedMicrobatches(text, path, project.problem.cluster);
    applySetupOptions(arguments, project.problem.setup);
    const std::vector<Stage> split = arguments.has("split") ? splitStages(profile) : std::vector<Stage>{};
    project.plans = {importedOrder(text, path, project.problem, split)};
    const PlanRun run =
        evaluatePlan(std::make_shared<const CostModel>(project.problem), project.plans.front());
    if (!run.ok())
        throw InputError(path, "", "the order has no timeline: " + run.result.reason, "one that completes");
    stampPlans(project);
    if (split.empty())
        printNotes(
            {{ImportNote::Kind::assumed,
              "stages are equal numbers of layers: " + counted(project.plans.front().stageCount(), "stage") +
                  " of " + counted(project.problem.profile.layerCount(), "layer")}},
            path, err);
    writeFileAtomically(target, writePlan({project.problem, project.plans.front(), project.origins.front()}));
}

}  // namespace stagecraft::app::commands
