#include "app/commands/command.h"
#include "app/commands/inputs.h"
#include "app/commands/pictures.h"
#include "app/commands/style_options.h"
#include "app/commands/text_table.h"
#include "app/training/training_plan.h"
#include "core/planners/planner.h"
#include "core/training/comparison.h"
#include "core/training/training_settings.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <ostream>
#include <thread>

namespace stagecraft::app::commands {
namespace {

using stagecraft::training::Policy;
using stagecraft::training::PolicyRuns;
using stagecraft::training::PolicySummary;
using stagecraft::training::SeedSpread;

std::string fixed(double number, int decimals) {
    if (!std::isfinite(number)) return "–";
    char digits[64];
    std::snprintf(digits, sizeof digits, "%.*f", decimals, number);
    return digits;
}

/// One seed has no spread.
std::string text(const SeedSpread& spread, int decimals) {
    const std::string mean = fixed(spread.mean, decimals);
    return spread.count < 2 ? mean : mean + " ± " + fixed(spread.deviation, decimals);
}

std::string lossText(const SeedSpread& loss) { return text(loss, 4); }

std::string percentText(const SeedSpread& accuracy) {
    return text({100 * accuracy.mean, 100 * accuracy.deviation, accuracy.count}, 2);
}

std::string signedPercentText(const SeedSpread& difference) {
    return (difference.mean >= 0 ? "+" : "") + percentText(difference);
}

/// A row for each policy: mean and standard deviation over the seeds, and the difference to the synchronous
/// runs where there are some.
void printTrainingSummary(const std::vector<PolicyRuns>& runs, std::ostream& out) {
    const auto baseline = std::find_if(runs.begin(), runs.end(), [](const PolicyRuns& each) {
        return each.policy == Policy::synchronous && !each.runs.empty();
    });
    const bool compares = baseline != runs.end() && runs.size() > 1;
    std::vector<std::string> headings = {"policy",    "least loss",        "best accuracy (%)",
                                         "last loss", "last accuracy (%)", "diverged"};
    if (compares) headings.push_back("best against synchronous (points)");
    TextTable table(headings);
    for (const PolicyRuns& each : runs) {
        if (each.runs.empty()) continue;
        const PolicySummary summary = summaryOf(each);
        std::vector<std::string> cells = {
            describe(each.policy).id,   lossText(summary.leastLoss),       percentText(summary.bestAccuracy),
            lossText(summary.lastLoss), percentText(summary.lastAccuracy), std::to_string(summary.diverged)};
        if (compares)
            cells.push_back(
                &each == &*baseline ? "" : signedPercentText(differenceOf(each, *baseline).bestAccuracy));
        table.add(cells);
    }
    table.print(out);
    out << "\nOn the validation data: mean ± standard deviation over the seeds; least and best over the "
           "epochs.\n";
}

}  // namespace

using stagecraft::training::Comparison;
using stagecraft::training::ComparisonCallbacks;
using stagecraft::training::EpochResult;
using stagecraft::training::Policy;
using stagecraft::training::PolicyDescription;
using stagecraft::training::PolicyRuns;
using stagecraft::training::TrainingError;
using stagecraft::training::TrainingRun;
using stagecraft::training::TrainingSettings;

namespace {

constexpr EnumName<bool> lossAxisNames[] = {{true, "log"}, {false, "linear"}};

bool wantsAllPolicies(const Arguments& arguments) { return arguments.required("policies") == "all"; }

std::vector<Policy> chosenPolicies(const Arguments& arguments) {
    std::vector<Policy> chosen;
    std::vector<std::string> known;
    for (const PolicyDescription& each : stagecraft::training::policies()) {
        known.push_back(each.id);
        if (wantsAllPolicies(arguments)) chosen.push_back(each.policy);
    }
    if (wantsAllPolicies(arguments)) return chosen;
    const std::string list = arguments.required("policies");
    for (std::size_t start = 0; start <= list.size();) {
        const std::size_t comma = std::min(list.find(',', start), list.size());
        const std::string id = list.substr(start, comma - start);
        start = comma + 1;
        const PolicyDescription* policy = stagecraft::training::findPolicy(id);
        if (!policy) Arguments::failChoice("policies", id, known);
        if (std::find(chosen.begin(), chosen.end(), policy->policy) != chosen.end())
            throw UsageError("--policies names '" + id + "' twice; expected each policy once");
        chosen.push_back(policy->policy);
    }
    return chosen;
}

ParameterValue trainingValue(const Parameter& parameter, const std::string& text) {
    try {
        return readParameter(parameter, text);
    } catch (const std::invalid_argument& error) {
        const std::string message = error.what(), named = "parameter '" + parameter.name + "'";
        throw UsageError("--" + optionName(parameter.name) +
                         (message.starts_with(named) ? message.substr(named.size()) : ": " + message));
    }
}

ParameterValues trainingValues(const Arguments& arguments) {
    ParameterValues values;
    for (const Parameter& parameter : stagecraft::training::trainingParameters()) {
        const auto text = arguments.text(optionName(parameter.name));
        if (!text) continue;
        const bool isFlag = std::holds_alternative<bool>(parameter.defaultValue);
        values[parameter.name] = isFlag ? ParameterValue(true) : trainingValue(parameter, *text);
    }
    return values;
}

Option trainingOption(const Parameter& parameter) {
    const ParameterValue& usual = parameter.defaultValue;
    if (std::holds_alternative<bool>(usual)) return {optionName(parameter.name), "", parameter.description};
    const bool choice = !parameter.choices.empty();
    return {optionName(parameter.name),
            choice                                  ? "NAME"
            : std::holds_alternative<double>(usual) ? "X"
                                                    : "N",
            parameter.description + (choice ? " (" + joinNames(parameter.choices, " | ") + ")" : "") +
                "; default " + toText(parameter, usual)};
}

Comparison chosenComparison(const Arguments& arguments, int seeds) {
    const auto cores = static_cast<int>(std::thread::hardware_concurrency());
    return {chosenPolicies(arguments), seeds, arguments.integer("jobs", 1).value_or(std::max(1, cores)),
            wantsAllPolicies(arguments)};
}

PlannedProblem planned(const Problem& problem, const std::string& id) {
    if (findPlanner(id)) return planToTrain(problem, id);
    std::vector<std::string> known;
    for (const auto& each : allPlanners()) known.push_back(each->description().id);
    Arguments::failChoice("planner", id, known);
}

PlannedProblem chosenPlanOf(const Arguments& arguments, std::ostream& err) {
    arguments.refuseMoreThan(1);
    const std::string& path = arguments.positionalAt(0, "PROJECT");
    const PlansInput input = plansFrom(path);
    Problem problem = input.costs->problem();
    problem.setup.microbatches = arguments.integer("microbatches", 1).value_or(problem.setup.microbatches);
    if (const auto planner = arguments.text("planner")) {
        if (arguments.has("plan")) throw UsageError("--plan and --planner both name a plan; expected one");
        return planned(problem, *planner);
    }
    if (input.plans.empty() && !arguments.has("plan")) {
        err << path << " has no plan: trained on GPipe's stages; --planner names another\n";
        return planned(problem, usualStages);
    }
    if (input.plans.size() > 1 && !arguments.has("plan")) {
        const Plan& first = input.plans.front();
        err << path << " has " << input.plans.size() << " plans: trained on the first, "
            << (first.name.empty() ? first.planner : first.name) << "; --plan names another\n";
        checkAge(input, 0, path, err);
        return {std::move(problem), first};
    }
    const std::size_t chosen = chosenPlan(arguments, input.plans, path);
    checkAge(input, chosen, path, err);
    return {std::move(problem), input.plans[chosen]};
}

/// Training takes a while; that its result cannot be written should be known before.
void requireFolderOf(const std::string& path) {
    const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
    if (!std::filesystem::is_directory(folder))
        throw InputError(path, "", "no folder " + folder.string(), "a folder that exists");
}

ComparisonCallbacks progressOn(std::ostream& err, int epochs, int seeds) {
    ComparisonCallbacks callbacks;
    const auto runs = std::make_shared<int>(0);
    callbacks.prepared = [runs, seeds](const PolicyRuns& policy, int) {
        if (policy.refusal.empty()) *runs += seeds;
    };
    callbacks.finished = [&err, epochs, runs, done = 0](Policy policy, int seed,
                                                        const TrainingRun& run) mutable {
        const EpochResult& last = run.epochs.back();
        char text[160];
        std::snprintf(text, sizeof text, "%s, seed %d: %d epochs, loss %.4f, accuracy %.2f %% (%d of %d)\n",
                      describe(policy).id.c_str(), seed, epochs, last.validationLoss,
                      100 * last.validationAccuracy, ++done, *runs);
        err << text << std::flush;
    };
    return callbacks;
}

/// If no policy can be run at all, the first says why.
void reportRefusals(const std::vector<PolicyRuns>& runs, std::ostream& err) {
    if (std::all_of(runs.begin(), runs.end(), [](const PolicyRuns& each) { return each.runs.empty(); }))
        throw TrainingError(runs.front().refusal);
    for (const PolicyRuns& each : runs)
        if (!each.refusal.empty()) err << describe(each.policy).id << " left out: " << each.refusal << "\n";
}

std::optional<FigureFile> chosenFigure(const Arguments& arguments) {
    if (arguments.has("loss-axis") && !arguments.has("figure"))
        throw UsageError("--loss-axis is about a figure; expected --figure as well");
    std::optional<FigureFile> figure = figureFileFrom(arguments);
    if (figure) requireFolderOf(figure->path);
    return figure;
}

void writeCurvesFigure(const FigureFile& file, const std::vector<PolicyRuns>& runs, CurvesOptions options) {
    ensureApplication();  // for fonts
    writeSource(trainingSource(runs, std::move(options)), file.format, file.style, {}, file.path);
}

int runTrain(const Arguments& arguments, std::ostream& out, std::ostream& err) {
    const ParameterValues values = trainingValues(arguments);
    const std::string target = arguments.required("out");
    const int seeds = stagecraft::training::trainingChoice(values, 1).seeds;
    const Comparison comparison = chosenComparison(arguments, seeds);
    requireFolderOf(target);
    const std::optional<FigureFile> figure = chosenFigure(arguments);
    try {
        const PlannedProblem chosen = chosenPlanOf(arguments, err);
        const int microbatches = setupOf(chosen.plan, chosen.problem.setup).microbatches;
        const TrainingSettings settings = stagecraft::training::trainingChoice(values, microbatches).settings;
        const std::vector<PolicyRuns> runs = stagecraft::training::compare(
            chosen.problem, chosen.plan, settings, comparison, progressOn(err, settings.epochs, seeds));
        reportRefusals(runs, err);
        writeFileAtomically(target, curvesCsv(runs));
        if (figure) {
            CurvesOptions options;
            options.epochs = settings.epochs;
            options.logarithmic = arguments.choice("loss-axis", lossAxisNames).value_or(true);
            writeCurvesFigure(*figure, runs, std::move(options));
        }
        out << trainingText(chosen.problem, chosen.plan, settings, seeds) << "\n\n";
        printTrainingSummary(runs, out);
    } catch (const TrainingError& error) {
        throw UsageError(error.what());
    }
    return exitDone;
}

}  // namespace

Command trainCommand() {
    std::string ids;
    for (const PolicyDescription& each : stagecraft::training::policies())
        ids += (ids.empty() ? "" : ", ") + each.id;
    std::vector<Option> options = {
        {"policies", "P[,P…]|all", ids},
        {"out", "F.csv", "where the curves go: loss and accuracy by policy, seed and epoch"},
        {"loss-axis", "HOW", joinNames(allNames(lossAxisNames), " | ") + ", in the figure; default log"},
        planOption,
        {"planner", "ID", "a planner's plan, instead of the project's"},
        {"microbatches", "T", "microbatches in a mini-batch, instead of the project's"}};
    options.insert(options.begin() + 2, figureFileOptions().begin(), figureFileOptions().end());
    for (const Parameter& parameter : stagecraft::training::trainingParameters())
        options.push_back(trainingOption(parameter));
    options.push_back({"jobs", "N", "threads; default: one per core; results are the same for any number"});
    return {"train",
            {"PROJECT --policies P[,P…]|all --out F.csv [OPTIONS]"},
            "Trains a small network through a plan's timeline, with the weights that each policy gives.",
            std::move(options),
            &runTrain};
}

}  // namespace stagecraft::app::commands
