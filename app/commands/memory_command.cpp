// What training of a model holds on each GPU, by cause, stage and schedule, and when.
#include "app/commands/command.h"
#include "app/commands/inputs.h"
#include "app/commands/model_options.h"
#include "app/commands/text_table.h"
#include "core/base/counted.h"
#include "core/base/spelling.h"
#include "core/base/text_parts.h"
#include "core/base/units.h"
#include "core/formats/files/import.h"
#include "core/formats/files/project_file.h"
#include "core/formats/json_writer.h"
#include "core/generation/template_catalogue.h"
#include "core/model/model_names.h"
#include "core/planners/grouped_problem.h"
#include "core/planners/planned_run.h"
#include "core/planners/planning_costs.h"
#include "core/runs/arranged_stages.h"
#include "core/runs/chosen_schedule.h"
#include "core/runs/memory_table.h"
#include "core/schedules/families.h"

#include <algorithm>
#include <stdexcept>

namespace stagecraft::app::commands {

using nlohmann::ordered_json;

namespace {

constexpr const char* usualMachine = "dgx-h100";
constexpr const char* usualSchedules = "1f1b,gpipe,interleaved,zb-h1";
constexpr int mostUsualStages = 32;

/// So many stages on all GPUs under a schedule.
struct Layout {
    int stages = 1;
    std::string schedule;
    std::string refusal;  ///< why there is no run; empty: there is one
    std::shared_ptr<const PlanRun> run;
    std::vector<MemoryRow> rows;

    /// The one that is fullest for its limit.
    const MemoryRow& fullest() const {
        return *std::ranges::max_element(rows, {}, [](const MemoryRow& row) {
            return row.limitBytes > 0 ? row.totalBytes / row.limitBytes : row.totalBytes;
        });
    }
};

/// The first so many GPUs of as few machines as have them.
Cluster machinesWith(int gpus, const std::string& machine) {
    const ClusterTemplate* kind = findClusterTemplate(machine);
    if (!kind) {
        std::vector<std::string> ids;
        for (const ClusterTemplate& each : clusterTemplates()) ids.push_back(each.id);
        throw UsageError("there is no machine '" + machine + "'" + spellingHint(machine, ids));
    }
    ParameterValues values = defaultValues(kind->parameters);
    if (!values.contains("servers"))
        throw UsageError("'" + machine +
                         "' is no machine that a cluster has several of; give --cluster F instead");
    values["servers"] = 1;
    const int each = kind->make(values).deviceCount();
    values["servers"] = (gpus + each - 1) / each;
    Cluster cluster = kind->make(values);
    while (cluster.deviceCount() > gpus) {
        const std::string last = cluster.devices.back().id;
        cluster.devices.pop_back();
        cluster.links.eraseIf([&](const Link& link) { return link.a == last || link.b == last; });
    }
    return cluster;
}

Cluster clusterFrom(const Arguments& arguments, std::ostream& err) {
    if (const auto file = arguments.text("cluster")) {
        ImportedCluster imported = importClusters({readTopologyFile(*file)});
        printNotes(imported.notes, *file, err);
        return std::move(imported.cluster);
    }
    return machinesWith(arguments.integer("gpus", 1).value_or(8),
                        arguments.text("machine").value_or(usualMachine));
}

/// GPUs, or where the setup has them groups of GPUs that work on a copy of a stage together.
int groupsOn(const Problem& problem) {
    return problem.cluster.deviceCount() / groupOfPlans(problem).ranksOfCopy();
}

std::vector<int> stagesFrom(const Arguments& arguments, const CostModel& costs) {
    std::vector<int> counts;
    if (const auto text = arguments.text("stages")) {
        for (const std::string_view word : cellsOf(*text, ',')) {
            const std::optional<int> count = wholeInteger(std::string(word));
            if (!count || *count < 1)
                throw UsageError("--stages is '" + *text + "'; expected numbers of stages, such as 1,2,4");
            counts.push_back(*count);
        }
        return counts;
    }
    const int groups = groupsOn(costs.problem());
    for (int count = 1; count <= std::min({groups, costs.layerCount(), mostUsualStages}); count *= 2)
        if (groups % count == 0) counts.push_back(count);
    return counts;
}

/// The costs with as many samples in a microbatch as each copy gets of it.
CostModel costsFor(const Problem& problem, int stages, int samplesEach) {
    Problem own = problem;
    const int copies = std::max(1, groupsOn(problem) / stages);
    own.profile = profileAtSize(problem.profile, samplesEach * copies);
    return CostModel(std::move(own));
}

Layout laidOut(const Problem& problem, int stages, const std::string& schedule, int samplesEach) {
    Layout layout{stages, schedule, {}, {}, {}};
    const ScheduleFamily* family = findScheduleFamily(schedule);
    if (!family) {
        std::vector<std::string> ids;
        for (const ScheduleFamily& each : scheduleFamilies()) ids.push_back(each.id);
        throw UsageError("there is no schedule '" + schedule + "'" + spellingHint(schedule, ids));
    }
    try {
        const auto costs = std::make_shared<const CostModel>(costsFor(problem, stages, samplesEach));
        const Plan equal =
            madeOnGroups(*costs, [stages](const CostModel& each) { return inEqualStages(each, stages); });
        Plan plan = arrangedUnder(*costs, equal, *family, defaultValues(settingsOf(*family)));
        if (const auto asked = askedRecomputation(problem.setup))
            plan = withRecomputation(std::move(plan), costs->layerCount(), *asked);
        layout.run = std::make_shared<const PlanRun>(evaluatePlan(costs, plan));
        if (layout.run->ok())
            layout.rows = memoryTable(*layout.run);
        else
            layout.refusal = layout.run->result.reason;
    } catch (const std::invalid_argument& refusal) {
        layout.refusal = refusal.what();
    }
    return layout;
}

ordered_json rowJson(const MemoryRow& row, const Cluster& cluster) {
    ordered_json json{{"stages", row.stages}};
    for (const int device : row.devices)
        json["gpus"].push_back(cluster.devices[static_cast<std::size_t>(device)].id);
    for (std::size_t kind = 0; kind < memoryKindCount; ++kind)
        json["bytes"][memoryKindName(static_cast<MemoryKind>(kind))] = row.bytes[kind];
    for (const StoredPart& part : row.activations)
        json["activations"][nameOf(activationCauseNames, part.cause)] = part.bytes;
    json["total_bytes"] = row.totalBytes;
    json["limit_bytes"] = row.limitBytes;
    json["at_s"] = row.atS;
    json["during"] = row.moment;
    return json;
}

ordered_json layoutJson(const Layout& layout) {
    ordered_json json{{"stages", layout.stages}, {"schedule", layout.schedule}};
    if (!layout.refusal.empty()) {
        json["refusal"] = layout.refusal;
        return json;
    }
    json["iteration_time_s"] = layout.run->iterationTimeS();
    json["rows"] = ordered_json::array();
    for (const MemoryRow& row : layout.rows)
        json["rows"].push_back(rowJson(row, layout.run->costs->problem().cluster));
    return json;
}

std::vector<MemoryKind> kindsOf(const std::vector<Layout>& layouts) {
    std::vector<MemoryKind> kinds;
    for (int number = 0; number < memoryKindCount; ++number)
        for (const Layout& layout : layouts)
            if (std::ranges::any_of(layout.rows, [&](const MemoryRow& row) {
                    return row.bytes[static_cast<std::size_t>(number)] > 0;
                })) {
                kinds.push_back(static_cast<MemoryKind>(number));
                break;
            }
    return kinds;
}

std::vector<std::string> cellsOfRow(std::vector<std::string> cells, const MemoryRow& row,
                                    const std::vector<MemoryKind>& kinds) {
    for (const MemoryKind kind : kinds)
        cells.push_back(formatBytes(row.bytes[static_cast<std::size_t>(kind)]));
    const bool fits = !(row.limitBytes > 0) || row.totalBytes <= row.limitBytes;
    cells.push_back(formatBytes(row.totalBytes));
    cells.push_back(row.limitBytes > 0 ? (fits ? "of " : "> ") + formatBytes(row.limitBytes) : "");
    return cells;
}

void printLayouts(const std::vector<Layout>& layouts, int groups, std::ostream& out) {
    const std::vector<MemoryKind> kinds = kindsOf(layouts);
    std::vector<std::string> headings{"stages × copies", "schedule"};
    for (const MemoryKind kind : kinds) headings.push_back(memoryKindName(kind));
    headings.insert(headings.end(), {"total", "GPU", "stage", "at"});
    TextTable table(std::move(headings));
    for (const Layout& layout : layouts) {
        if (!layout.refusal.empty()) continue;
        const MemoryRow& row = layout.fullest();
        std::vector<std::string> cells = cellsOfRow(
            {std::to_string(layout.stages) + " × " + std::to_string(groups / layout.stages), layout.schedule},
            row, kinds);
        cells.push_back(std::to_string(row.stages.front()));
        cells.push_back(formatSeconds(row.atS));
        table.add(std::move(cells));
    }
    table.print(out);
    for (const Layout& layout : layouts)
        if (!layout.refusal.empty())
            out << layout.stages << " × " << groups / layout.stages << ", " << layout.schedule << ": "
                << layout.refusal << "\n";
}

/// Stage by stage, and why activations are there.
void printStages(const Layout& layout, std::ostream& out) {
    const std::vector<MemoryKind> kinds = kindsOf({layout});
    std::vector<std::string> headings{"stage"};
    for (const MemoryKind kind : kinds) headings.push_back(memoryKindName(kind));
    headings.insert(headings.end(), {"total", "GPU", "at", "during"});
    TextTable table(std::move(headings));
    for (const MemoryRow& row : layout.rows) {
        std::vector<std::string> words;
        for (const int stage : row.stages) words.push_back(std::to_string(stage));
        std::vector<std::string> cells = cellsOfRow({joinNames(words)}, row, kinds);
        cells.push_back(formatSeconds(row.atS));
        cells.push_back(row.moment);
        table.add(std::move(cells));
    }
    table.print(out);
    const MemoryRow& fullest = layout.fullest();
    out << "\nActivations of the fullest:";
    for (const StoredPart& part : fullest.activations)
        out << "  " << nameOf(activationCauseNames, part.cause) << " " << formatBytes(part.bytes);
    out << "\n";
}

int runMemory(const Arguments& arguments, std::ostream& out, std::ostream& err) {
    arguments.refuseMoreThan(1);
    Problem problem;
    problem.cluster = clusterFrom(arguments, err);
    problem.profile = profileOfWord(arguments, arguments.positionalAt(0, "MODEL"), problem.cluster, {}, err);
    problem.setup = usualSetup(problem.setup, problem.profile);
    problem.setup.microbatches = 8;
    applySetupOptions(arguments, problem.setup);
    if (const auto reason = whyUnplannable(problem)) throw UsageError(*reason);
    const int samplesEach = arguments.integer("microbatch-size", 1).value_or(1);
    const std::string schedules = arguments.text("schedule").value_or(usualSchedules);
    std::vector<Layout> layouts;
    for (const int stages : stagesFrom(arguments, CostModel(problem)))
        for (const std::string_view schedule : cellsOf(schedules, ','))
            layouts.push_back(laidOut(problem, stages, std::string(schedule), samplesEach));
    if (arguments.has("json")) {
        ordered_json json{{"model", problem.profile.name}, {"cluster", problem.cluster.name}};
        for (const Layout& layout : layouts) json["layouts"].push_back(layoutJson(layout));
        out << formatJson(json);
        return exitDone;
    }
    out << problem.profile.name << " on " << problem.cluster.name << ", " << counted(samplesEach, "sample")
        << (groupOfPlans(problem).ranksOfCopy() > 1
                ? " a group of " + std::to_string(groupOfPlans(problem).ranksOfCopy()) +
                      " GPUs and microbatch, "
                : std::string(" a GPU and microbatch, "))
        << counted(problem.setup.microbatches, "microbatch", "microbatches") << "\n\n";
    printLayouts(layouts, groupsOn(problem), out);
    for (const Layout& layout : layouts) {
        if (!layout.refusal.empty() || (layouts.size() > 1 && !arguments.has("by-stage"))) continue;
        out << "\n"
            << layout.stages << (layout.stages == 1 ? " stage, " : " stages, ") << layout.schedule << "\n";
        printStages(layout, out);
    }
    return exitDone;
}

}  // namespace

Command memoryCommand() {
    std::vector<Option> options = {
        {"gpus", "N", "how many GPUs; 8 unless given"},
        {"machine", "TEMPLATE",
         "what they are in: a template of `generate templates` that has servers; dgx-h100 unless given"},
        {"cluster", "F", "a cluster's file, instead"},
        {"stages", "P[,P…]", "numbers of stages; powers of two that divide the GPUs unless given"},
        {"schedule", "ID[,ID…]",
         std::string("schedules of `schedules`; ") + usualSchedules + " unless given"},
        {"microbatch-size", "N", "samples of each GPU in a microbatch; 1 unless given"},
        {"by-stage", "", "each layout stage by stage too"},
        {"json", "", "one JSON object instead of tables"}};
    for (const Option& option : describedOptions()) options.push_back(option);
    for (const Option& option : setupOptions())
        if (option.name != "gpu-speeds") options.push_back(option);
    return {"memory",
            {"MODEL --gpus N [OPTIONS]", "FILE --cluster F [OPTIONS]"},
            "Shows what training holds on the fullest GPU: weights, gradients, master weights, optimizer "
            "state and "
            "activations, for numbers of stages and schedules, and at which moment. MODEL is one of the zoo, "
            "FILE a "
            "config.json or a profile.",
            std::move(options),
            &runMemory};
}

}  // namespace stagecraft::app::commands
