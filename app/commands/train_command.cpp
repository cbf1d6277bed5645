#include "app/commands/command.h"
#include "app/commands/inputs.h"
#include "app/commands/train_report.h"

#include <algorithm>
#include <filesystem>
#include <thread>

namespace stagecraft {

using namespace training;

namespace {

constexpr EnumName<ModelKind> modelKindNames[] = {{ModelKind::perceptron, "mlp"},
                                                  {ModelKind::convolutional, "cnn"}};
constexpr EnumName<DataKind> dataNames[] = {{DataKind::digits, "digits"}, {DataKind::spirals, "spirals"}};
constexpr EnumName<OptimizerKind> trainingOptimizerNames[] = {
    {OptimizerKind::sgd, "sgd"}, {OptimizerKind::rmsprop, "rmsprop"}, {OptimizerKind::adam, "adam"}};
constexpr EnumName<VersionDifference> differenceNames[] = {{VersionDifference::counted, "counted"},
                                                           {VersionDifference::exact, "exact"},
                                                           {VersionDifference::printed, "printed"}};
constexpr EnumName<bool> predictionNames[] = {{false, "corrected"}, {true, "printed"}};

bool wantsAllPolicies(const Arguments& arguments) { return arguments.required("policies") == "all"; }

std::vector<Policy> chosenPolicies(const Arguments& arguments) {
    std::vector<Policy> chosen;
    std::vector<std::string> known;
    for (const PolicyDescription& each : policies()) {
        known.push_back(each.id);
        if (wantsAllPolicies(arguments)) chosen.push_back(each.policy);
    }
    if (wantsAllPolicies(arguments)) return chosen;
    const std::string list = arguments.required("policies");
    for (std::size_t start = 0; start <= list.size();) {
        const std::size_t comma = std::min(list.find(',', start), list.size());
        const std::string id = list.substr(start, comma - start);
        start = comma + 1;
        const PolicyDescription* policy = findPolicy(id);
        if (!policy) Arguments::failChoice("policies", id, known);
        if (std::find(chosen.begin(), chosen.end(), policy->policy) != chosen.end())
            throw UsageError("--policies names '" + id + "' twice; expected each policy once");
        chosen.push_back(policy->policy);
    }
    return chosen;
}

TrainingSettings chosenSettings(const Arguments& arguments) {
    TrainingSettings settings;
    settings.model = arguments.choice("model", modelKindNames).value_or(settings.model);
    settings.data = arguments.choice("data", dataNames).value_or(settings.data);
    settings.layers = arguments.integer("layers", 1).value_or(settings.layers);
    settings.width = arguments.integer("width", 1).value_or(settings.width);
    OptimizerSettings& optimizer = settings.optimizer;
    optimizer.kind = arguments.choice("optimizer", trainingOptimizerNames).value_or(optimizer.kind);
    optimizer.learningRate = arguments.number("learning-rate", 0).value_or(usualLearningRate(optimizer.kind));
    optimizer.momentum = arguments.number("momentum", 0).value_or(optimizer.momentum);
    optimizer.weightDecay = arguments.number("weight-decay", 0).value_or(optimizer.weightDecay);
    settings.dropEvery = arguments.integer("drop-every", 0).value_or(settings.dropEvery);
    settings.batchSize = arguments.integer("batch-size", 1).value_or(settings.batchSize);
    settings.epochs = arguments.integer("epochs", 1).value_or(settings.epochs);
    settings.difference =
        arguments.choice("version-difference", differenceNames).value_or(settings.difference);
    settings.printedPrediction = arguments.choice("prediction", predictionNames).value_or(false);
    settings.recompute = arguments.has("recompute");
    return settings;
}

Comparison chosenComparison(const Arguments& arguments) {
    const auto cores = static_cast<int>(std::thread::hardware_concurrency());
    return {chosenPolicies(arguments), arguments.integer("seeds", 1).value_or(1),
            arguments.integer("jobs", 1).value_or(std::max(1, cores)), wantsAllPolicies(arguments)};
}

struct ChosenPlan {
    Problem problem;
    Plan plan;
};

/// The planner's plan, without a barrier only if it plans for that: the stages are what counts, and each
/// policy brings its own mode.
ChosenPlan planned(Problem problem, const std::string& id) {
    const Planner* planner = findPlanner(id);
    if (!planner) {
        std::vector<std::string> known;
        for (const auto& each : planners()) known.push_back(each->description().id);
        Arguments::failChoice("planner", id, known);
    }
    if (!planner->description().plansWithoutBarrier) problem.setup.mode = TrainingMode::synchronous;
    PlanningResult result =
        runPlanner(*planner, CostModel(problem), defaultValues(planner->description().parameters));
    if (result.status != PlanStatus::ok)
        throw UsageError("the planner '" + id + "' has no plan: " + result.reason);
    return {std::move(problem), std::move(result.plan)};
}

ChosenPlan chosenPlanOf(const Arguments& arguments, std::ostream& err) {
    arguments.refuseMoreThan(1);
    const std::string& path = arguments.positionalAt(0, "PROJECT");
    const PlansInput input = plansFrom(path);
    Problem problem = input.costs->problem();
    problem.setup.microbatches = arguments.integer("microbatches", 1).value_or(problem.setup.microbatches);
    if (const auto planner = arguments.text("planner")) {
        if (arguments.has("plan")) throw UsageError("--plan and --planner both name a plan; expected one");
        return planned(std::move(problem), *planner);
    }
    if (input.plans.empty() && !arguments.has("plan")) {
        err << path << " has no plan: trained on GPipe's stages; --planner names another\n";
        return planned(std::move(problem), "gpipe");
    }
    return {std::move(problem), input.plans[chosenPlan(arguments, input.plans, path)]};
}

/// Training takes a while; that its result cannot be written should be known before.
void requireFolderOf(const std::string& path) {
    const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
    if (!std::filesystem::is_directory(folder))
        throw InputError(path, "", "there is no folder " + folder.string(), "a folder that exists");
}

ComparisonCallbacks progressOn(std::ostream& err, const TrainingSettings& settings, int runs) {
    ComparisonCallbacks callbacks;
    callbacks.finished = [&err, &settings, runs, done = 0](Policy policy, int seed,
                                                           const TrainingRun& run) mutable {
        const EpochResult& last = run.epochs.back();
        char text[160];
        std::snprintf(text, sizeof text, "%s, seed %d: %d epochs, loss %.4f, accuracy %.2f %% (%d of %d)\n",
                      describe(policy).id.c_str(), seed, settings.epochs, last.validationLoss,
                      100 * last.validationAccuracy, ++done, runs);
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

int run(const Arguments& arguments, std::ostream& out, std::ostream& err) {
    const Comparison comparison = chosenComparison(arguments);
    TrainingSettings settings = chosenSettings(arguments);
    const std::string target = arguments.required("out");
    requireFolderOf(target);
    const ChosenPlan chosen = chosenPlanOf(arguments, err);
    if (!arguments.has("batch-size"))
        settings.batchSize = std::max(settings.batchSize, chosen.problem.setup.microbatches);
    const auto policyCount = static_cast<int>(comparison.policies.size());
    try {
        const std::vector<PolicyRuns> runs =
            compare(chosen.problem, chosen.plan, settings, comparison,
                    progressOn(err, settings, policyCount * comparison.seeds));
        reportRefusals(runs, err);
        writeFileAtomically(target, curvesCsv(runs));
        printTrainingSetting(chosen.problem, chosen.plan, settings, comparison, out);
        printTrainingSummary(runs, out);
    } catch (const TrainingError& error) {
        throw UsageError(error.what());
    }
    return exitDone;
}

}  // namespace

Command trainCommand() {
    std::string ids;
    for (const PolicyDescription& each : policies()) ids += (ids.empty() ? "" : ", ") + each.id;
    return {"train",
            {"PROJECT --policies P[,P…]|all --out F.csv [OPTIONS]"},
            "Trains a small network through a plan's timeline, with the weights that each policy gives.",
            {{"policies", "P[,P…]|all", ids},
             {"out", "F.csv", "where the curves go: loss and accuracy by policy, seed and epoch"},
             planOption,
             {"planner", "ID", "a planner's plan, in place of the project's"},
             {"microbatches", "T", "microbatches in a mini-batch, instead of the project's"},
             {"model", "KIND", joinNames(allNames(modelKindNames), " | ") + "; mlp without it"},
             {"data", "NAME", joinNames(allNames(dataNames), " | ") + "; digits without it"},
             {"layers", "N", "of the network; four without it, or as many as the plan needs"},
             {"width", "N", "units of a perceptron's hidden layers; 64 without it"},
             {"optimizer", "NAME", joinNames(allNames(trainingOptimizerNames), " | ") + "; sgd without it"},
             {"learning-rate", "X", "without it 0.01 for sgd, 0.0003 for rmsprop, 0.001 for adam"},
             {"momentum", "X", "of sgd and rmsprop; 0.9 without it"},
             {"weight-decay", "X", "0 without it"},
             {"drop-every", "N", "epochs after which the learning rate falls to a tenth; never without it"},
             {"batch-size", "N", "samples of a mini-batch; without it 32, or one a microbatch"},
             {"epochs", "N", "20 without it"},
             {"seeds", "K", "runs of each policy, from the seeds 0 to K - 1; 1 without it"},
             {"version-difference", "HOW",
              joinNames(allNames(differenceNames), " | ") +
                  ": how far predictions look ahead; counted on the timeline without it"},
             {"prediction", "HOW",
              joinNames(allNames(predictionNames), " | ") + ": XPipe's Eq. (4); corrected without it"},
             {"recompute", "", "every backward runs its forward again, with its own weights"},
             {"jobs", "N", "threads; all cores without it; the numbers are the same for any"}},
            &run};
}

}  // namespace stagecraft
