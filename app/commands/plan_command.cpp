#include "app/commands/command.h"
#include "app/commands/custom_programs.h"
#include "app/commands/inputs.h"
#include "app/commands/model_options.h"
#include "app/commands/plan_report.h"
#include "core/base/counted.h"
#include "core/base/units.h"
#include "core/formats/json_writer.h"
#include "core/model/model_names.h"
#include "core/generation/asked_machines.h"
#include "core/planners/memory_outlook.h"
#include "core/planners/planned_run.h"
#include "core/planners/planning_goal.h"
#include "core/runs/offered_families.h"
#include "core/runs/seen_problem.h"
#include "core/schedules/families.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace stagecraft::app::commands {

namespace {

/// --planner ID[,ID…] or a goal, in the order given; all built-in ones without it.
std::vector<const Planner*> chosenPlanners(const Arguments& arguments) {
    std::vector<const Planner*> chosen;
    const std::string list = arguments.text("planner").value_or("all");
    if (const PlanningGoal* goal = findPlanningGoal(list))
        // What the setup rules out is said of it by name.
        return plannersFor(*goal, {.mode = TrainingMode::asynchronous});
    for (std::size_t start = 0; start <= list.size();) {
        const std::size_t comma = std::min(list.find(',', start), list.size());
        const std::string id = list.substr(start, comma - start);
        start = comma + 1;
        const Planner& planner = plannerNamed(id);
        if (std::find(chosen.begin(), chosen.end(), &planner) != chosen.end())
            throw UsageError("--planner names '" + id + "' twice; expected each planner once");
        chosen.push_back(&planner);
    }
    return chosen;
}

/// --schedule ID or all, which is the built-in ones; none without it.
std::vector<AnyFamily> chosenSchedules(const Arguments& arguments) {
    const auto id = arguments.text("schedule");
    if (!id) return {};
    if (*id != "all") return {familyNamed(*id)};
    std::vector<AnyFamily> chosen;
    for (const ScheduleFamily& family : scheduleFamilies()) chosen.emplace_back(family);
    return chosen;
}

/// Of all families those that the network cannot be said to run go out, with the reason.
void leaveOutUnrunnable(std::vector<AnyFamily>& families, const LayerProfile& profile, std::ostream& err) {
    std::erase_if(families, [&](const AnyFamily& family) {
        const std::string reason = whyNotForNetwork(*family.builtIn(), profile);
        if (!reason.empty()) err << "left out: " << reason << "\n";
        return !reason.empty();
    });
}

/// Each --set goes to everything chosen that has such a parameter; one must.
std::vector<ParameterValues> valuesFor(const Arguments& arguments,
                                       const std::vector<std::vector<Parameter>>& described) {
    std::vector<ParameterValues> values;
    std::vector<Parameter> all;
    for (const std::vector<Parameter>& parameters : described) {
        values.push_back(defaultValues(parameters));
        all.insert(all.end(), parameters.begin(), parameters.end());
    }
    try {
        for (const std::string& assignment : arguments.all("set")) {
            ParameterValues ignored;
            setParameter(all, ignored, assignment);  // complains about a name that none has
            const std::string name = assignment.substr(0, assignment.find('='));
            for (std::size_t i = 0; i < described.size(); ++i)
                if (std::any_of(described[i].begin(), described[i].end(),
                                [&](const Parameter& parameter) { return parameter.name == name; }))
                    setParameter(described[i], values[i], assignment);
        }
    } catch (const std::invalid_argument& error) {
        throw UsageError(std::string("--set: ") + error.what());
    }
    return values;
}

/// What is saved with a plan; how long planning took is not, so that the same input gives the same bytes.
PlanOrigin savedOrigin(const PlanRun& run) {
    PlanOrigin origin = originOf(run);
    origin.report->planningTimeS = 0;
    return origin;
}

/// New plans take the place of unnamed ones of the same planner; the notes on their charts stay.
void replacePlans(Project& project, const std::vector<PlannerOutcome>& outcomes) {
    project.notes.resize(project.plans.size());
    project.origins.resize(project.plans.size());
    for (const PlannerOutcome& outcome : outcomes) {
        std::erase_if(project.planless,
                      [&](const PlanlessAnswer& answer) { return answer.planner == outcome.planner; });
        if (!outcome.run.ok()) {
            project.planless.push_back(answerOf(outcome.run));
            project.planless.back().origin = savedOrigin(outcome.run);
            continue;
        }
        std::vector<ChartNote> notes;
        for (std::ptrdiff_t i = std::ssize(project.plans) - 1; i >= 0; --i) {
            const Plan& plan = project.plans[static_cast<std::size_t>(i)];
            if (!plan.name.empty() || plan.planner != outcome.planner) continue;
            notes = std::move(project.notes[static_cast<std::size_t>(i)]);
            project.plans.erase(project.plans.begin() + i);
            project.notes.erase(project.notes.begin() + i);
            project.origins.erase(project.origins.begin() + i);
        }
        project.plans.push_back(outcome.run.result.plan);
        project.notes.push_back(std::move(notes));
        project.origins.push_back(savedOrigin(outcome.run));
    }
}

void writeWhole(const std::string& path, Project project) {
    // References are relative to where the project was read: elsewhere they would lead nowhere.
    project.profileFile.reset();
    project.clusterFile.reset();
    writeFileAtomically(path, writeProject(project));
}

/// A plan file for a single planner, unless the name says project; else a project with all plans.
void writePlans(const std::string& path, Project project, const std::vector<PlannerOutcome>& outcomes,
                std::ostream& err) {
    if (outcomes.size() == 1 && !path.ends_with(".stagecraft.json")) {
        const PlanRun& run = outcomes.front().run;
        if (run.ok())
            writeFileAtomically(path, writePlan({project.problem, run.result.plan, savedOrigin(run)}));
        else
            err << "stagecraft: no plan to write to " << path << "\n";
        return;
    }
    replacePlans(project, outcomes);
    writeWhole(path, std::move(project));
}

/// The project's own plans and answers as they are: no planner runs.
std::vector<PlannerOutcome> savedPlans(const Project& project,
                                       const std::shared_ptr<const CostModel>& costs) {
    std::vector<PlannerOutcome> outcomes;
    for (std::size_t i = 0; i < project.plans.size(); ++i)
        outcomes.push_back(
            {project.plans[i].planner, reopenPlan(costs, project.plans[i], project.origins[i])});
    for (const PlanlessAnswer& answer : project.planless)
        outcomes.push_back({answer.planner, planlessRun(costs, answer)});
    return outcomes;
}

void removeEmptyPlans(Project& project) {
    for (std::ptrdiff_t i = std::ssize(project.plans) - 1; i >= 0; --i) {
        if (!project.plans[static_cast<std::size_t>(i)].stages.empty()) continue;
        project.plans.erase(project.plans.begin() + i);
        project.origins.erase(project.origins.begin() + i);
        if (i < std::ssize(project.notes)) project.notes.erase(project.notes.begin() + i);
    }
}

/// Asks the planners of the project's plans that are not current again, each with the plan's own parameters;
/// a plan keeps its name and its place.
std::vector<PlannerOutcome> planAgain(Project& project, const std::shared_ptr<const CostModel>& costs) {
    const SeenProblem seen(project.problem);
    const auto isAged = [&](const std::string& planner, const PlanOrigin& origin) {
        const std::optional<ProblemHash>& madeFor = origin.plannedFor;
        if (!madeFor) return false;
        return planAge(*madeFor, seen.by(makerOf(planner), madeFor)) != PlanAge::current;
    };
    std::vector<PlanlessAnswer> given;
    for (std::size_t i = 0; i < project.plans.size(); ++i) {
        Plan& plan = project.plans[i];
        const Planner* planner = findPlanner(plan.planner);
        if (!planner || !isAged(plan.planner, project.origins[i])) continue;
        const PlanRun run = runAndEvaluate(*planner, costs, valuesOf(*planner, plan.parameters));
        project.origins[i] = savedOrigin(run);
        const std::string name = plan.name;
        plan = run.result.plan;
        plan.name = name;
        if (!run.ok()) given.push_back(answerOf(run));
    }
    removeEmptyPlans(project);
    std::vector<PlanlessAnswer> answers = std::move(given);
    for (const PlanlessAnswer& answer : std::exchange(project.planless, {})) {
        const Planner* planner = findPlanner(answer.planner);
        if (!planner || !isAged(answer.planner, answer.origin)) {
            answers.push_back(answer);
            continue;
        }
        const PlanRun run = runAndEvaluate(*planner, costs, valuesOf(*planner, answer.parameters));
        if (run.ok()) {
            project.plans.push_back(run.result.plan);
            project.origins.push_back(savedOrigin(run));
        } else {
            answers.push_back(answerOf(run));
        }
    }
    for (PlanlessAnswer& answer : answers)
        if (answer.origin.report) answer.origin.report->planningTimeS = 0;
    project.planless = std::move(answers);
    return savedPlans(project, costs);
}

/// --saved and --again, which are about the plans that a project has.
std::optional<std::vector<PlannerOutcome>> ownPlans(const Arguments& arguments, Project& project,
                                                    const std::shared_ptr<const CostModel>& costs) {
    if (!arguments.has("saved") && !arguments.has("again")) return std::nullopt;
    for (const char* other : {"planner", "schedule", "set", "profile", "model", "machines"})
        if (arguments.has(other))
            throw UsageError("--saved and --again are about the plans of a project; expected no --" +
                             std::string(other));
    project.origins.resize(project.plans.size());
    if (project.plans.empty() && project.planless.empty())
        throw UsageError("the project has no plans; expected --planner, or neither --saved nor --again");
    return arguments.has("again") ? planAgain(project, costs) : savedPlans(project, costs);
}

void printProblem(const Problem& problem, std::ostream& out) {
    out << problem.profile.name << ": " << counted(problem.profile.layerCount(), "layer") << " on "
        << counted(problem.cluster.deviceCount(), "device") << ", "
        << counted(problem.setup.microbatches, "microbatch", "microbatches") << " of "
        << counted(problem.profile.microbatchSize, "sample") << ", "
        << nameOf(trainingModeNames, problem.setup.mode) << ", "
        << nameOf(channelModeNames, problem.setup.channel) << "\n\n";
}

/// The plan of another's partition under a family, or the failure that there was.
PlanRun rescheduled(const PlanRun& run, const std::shared_ptr<const CostModel>& costs,
                    const AnyFamily& family, const ParameterValues& settings) {
    if (!run.ok()) return run;
    PlanRun other = family.evaluateArranged(costs, run.result.plan, run.title(), settings);
    other.result.planningTimeS = run.result.planningTimeS;
    return other;
}

/// What is planned and under which schedules, with the parameters of each.
struct Request {
    std::vector<const Planner*> planners;  ///< none: equal layers
    std::vector<AnyFamily> families;
    std::vector<ParameterValues> values;  ///< of the planners, then of the families
    bool everyFamily = false;             ///< those that do not apply are left out

    const ParameterValues& valuesOf(std::size_t family) const { return values[planners.size() + family]; }
};

Request requestIn(const Arguments& arguments, const std::vector<const Planner*>& chosen,
                  const LayerProfile& profile, std::ostream& err) {
    Request request;
    request.families = chosenSchedules(arguments);
    request.everyFamily = arguments.text("schedule") == "all";
    if (request.everyFamily) leaveOutUnrunnable(request.families, profile, err);
    if (request.families.empty() || arguments.has("planner")) request.planners = chosen;
    std::vector<std::vector<Parameter>> described;
    for (const Planner* planner : request.planners) described.push_back(planner->description().parameters);
    for (const AnyFamily& family : request.families) described.push_back(family.settings());
    request.values = valuesFor(arguments, described);
    return request;
}

/// Equal layers under each of the schedules.
std::vector<PlannerOutcome> equalLayerPlans(const Request& request,
                                            const std::shared_ptr<const CostModel>& costs,
                                            std::ostream& err) {
    std::vector<PlannerOutcome> outcomes;
    for (std::size_t i = 0; i < request.families.size(); ++i) {
        const AnyFamily& family = request.families[i];
        std::string reason;
        try {
            PlanRun run = family.evaluateEqualLayers(costs, request.valuesOf(i));
            if (run.ok() || !request.everyFamily) {
                outcomes.push_back({family.id(), std::move(run)});
                continue;
            }
            reason = run.result.reason;
        } catch (const std::invalid_argument& error) {
            if (!request.everyFamily) throw UsageError(error.what());
            reason = error.what();
        }
        err << "left out: " << reason << "\n";
    }
    return outcomes;
}

/// Every planner's plan, under each --schedule if that is given; without a planner equal layers under it.
std::vector<PlannerOutcome> newPlans(const Request& request, const std::shared_ptr<const CostModel>& costs,
                                     std::ostream& err) {
    if (request.planners.empty()) return equalLayerPlans(request, costs, err);
    std::vector<PlannerOutcome> outcomes;
    for (std::size_t i = 0; i < request.planners.size(); ++i) {
        const std::string& id = request.planners[i]->description().id;
        const PlanRun run = runAndEvaluate(*request.planners[i], costs, request.values[i]);
        if (request.families.empty()) outcomes.push_back({id, run});
        for (std::size_t k = 0; k < request.families.size(); ++k) {
            PlanRun other = rescheduled(run, costs, request.families[k], request.valuesOf(k));
            if (request.everyFamily && run.ok() && !other.ok())
                err << "left out: " << other.result.reason << "\n";
            else
                outcomes.push_back({id, std::move(other)});
        }
    }
    return outcomes;
}

std::vector<std::string> tableFormatIds() {
    std::vector<std::string> ids;
    for (const TableFormat& format : tableFormats()) ids.emplace_back(format.id);
    return ids;
}

/// What --table names; null without it.
const TableFormat* tableFormatIn(const Arguments& arguments) {
    const auto id = arguments.text("table");
    if (!id) return nullptr;
    if (arguments.has("json")) throw UsageError("--table and --json are two ways to print; expected one");
    if (const TableFormat* format = tableFormatNamed(*id)) return format;
    Arguments::failChoice("table", *id, tableFormatIds());
}

/// Those that the setup rules out are taken out of the outcomes, unless they are printed as JSON.
void printOutcomes(const Arguments& arguments, const Problem& problem, std::vector<PlannerOutcome>& outcomes,
                   std::ostream& out, std::ostream& err) {
    const auto named = arguments.text("reference");
    if (arguments.has("json")) {
        out << planReportJson(outcomes, referenceAmong(outcomes, named));
        return;
    }
    const bool all =
        findPlanningGoal(arguments.text("planner").value_or("all")) && !arguments.has("schedule");
    const std::vector<const Planner*> leftOut = all ? takeLeftOut(outcomes) : std::vector<const Planner*>{};
    const PlannerOutcome* reference = referenceAmong(outcomes, named);
    if (const TableFormat* format = tableFormatIn(arguments)) {
        if (!outcomes.empty()) out << format->write(planCells(outcomes, reference, true));
        printLeftOut(leftOut, err);
        return;
    }
    printProblem(problem, out);
    if (outcomes.empty() && leftOut.empty()) return;
    printPlanReport(outcomes, leftOut, out, reference);
}

/// How more of the machines are had that --machines names.
MoreMachines moreMachines(const Arguments& arguments) {
    try {
        const AskedMachines asked = machinesAsked(arguments.text("machines").value_or(""));
        const Parameter* number = countParameterOf(*asked.kind);
        if (!number) return {};
        return {labelInSentence(number->label),
                asked.count > 0 ? asked.count : std::get<int>(number->defaultValue),
                static_cast<int>(number->maximum),
                [kind = asked.kind](int count) { return machinesOf(*kind, count); }};
    } catch (const std::invalid_argument&) {
        return {};  // a file
    }
}

/// What is known of memory before a planner runs. @return why no plan can fit; empty: one may
std::string checkMemory(const Arguments& arguments, const Problem& problem, std::ostream& err) {
    const MemoryOutlook outlook = memoryOutlook(problem);
    std::string words = "memory: " + outlookInWords(outlook);
    if (!outlook.fits())
        for (const MemoryRemedy& remedy : memoryRemedies(problem, moreMachines(arguments)))
            words += "\n  " + remedy.label + (remedy.options.empty() ? "" : ": " + remedy.options);
    err << words << "\n";
    return outlook.cannotFit() ? outlookInWords(outlook) : std::string();
}

int runPlan(const Arguments& arguments, std::ostream& out, std::ostream& err) {
    tableFormatIn(arguments);  // complains before there is work
    const std::vector<const Planner*> chosen = chosenPlanners(arguments);
    Project project = projectFrom(arguments, err);
    const std::string obstacle =
        isNamedProblem(arguments) ? checkMemory(arguments, project.problem, err) : std::string();
    // A project alone may be changed until one fits.
    if (!obstacle.empty() && (!chosen.empty() || arguments.has("schedule"))) {
        if (arguments.has("json"))
            out << formatJson({{"results", nlohmann::ordered_json::array()}, {"reason", obstacle}});
        return exitFailed;
    }
    const auto costs = std::make_shared<const CostModel>(project.problem);
    std::vector<PlannerOutcome> outcomes;
    const auto path = arguments.text("out");
    if (auto own = ownPlans(arguments, project, costs)) {
        outcomes = std::move(*own);
        if (path) writeWhole(*path, project);
    } else {
        outcomes = newPlans(requestIn(arguments, chosen, project.problem.profile, err), costs, err);
        if (path) writePlans(*path, project, outcomes, err);
    }
    printOutcomes(arguments, project.problem, outcomes, out, err);
    const bool failed = std::any_of(outcomes.begin(), outcomes.end(), [](const PlannerOutcome& outcome) {
        return outcome.run.result.status == PlanStatus::failed;
    });
    return failed ? exitFailed : exitDone;
}

/// "; best: …; all: …": the goals that can be given in the place of planners.
std::string goalsInWords() {
    std::string words;
    for (const PlanningGoal& goal : planningGoals()) {
        std::string summary = goal.summary;
        summary.front() = static_cast<char>(std::tolower(summary.front()));
        words += "; " + goal.id + ": " + summary;
    }
    return words;
}

}  // namespace

Command planCommand() {
    Command command{
        "plan",
        {"PROJECT [OPTIONS]", "--profile F --cluster F [OPTIONS]",
         "--model MODEL --machines WORDS [OPTIONS]"},
        "Plans, simulates and validates; prints a table or one JSON object.",
        {{"profile", "F", "a layer profile, instead of a project's"},
         {"cluster", "F", "a cluster, instead of a project's"},
         {"planner", "ID[,ID…]|GOAL",
          "planners to run ('stagecraft planners' lists them), exec:PROGRAM, a program of your own, or a "
          "goal; "
          "all unless given" +
              goalsInWords()},
         {"schedule", "ID|all",
          "the partition under that family, or under all built-in ones that take it ('stagecraft schedules' "
          "lists them); without --planner equal numbers of layers, one stage or the family's chunks on each "
          "device; exec:PROGRAM: a program of your own"},
         {"set", "NAME=VALUE", "a parameter of a planner or of the schedule; may be given several times",
          true},
         {"saved", "", "show the project's plans as they are; no planner runs"},
         {"again", "", "plan again those that are out of date, each with its own parameters"},
         {"reference", "PLAN", "how much faster than this one each plan is: its name or its planner"},
         {"table", "FORMAT", joinNames(tableFormatIds(), " | ") + "; print the table alone, for a document"},
         {"json", "", "print JSON"},
         {"out", "F", "write the plan (one planner) or a project with all plans"}},
        &runPlan};
    command.options = withProblemOptions(command.options);
    return command;
}

}  // namespace stagecraft::app::commands
