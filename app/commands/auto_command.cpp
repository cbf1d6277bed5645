// Model, machines and batch in; the fastest plan that fits and how much faster any could be out.
#include "app/commands/command.h"
#include "app/commands/inputs.h"
#include "app/commands/model_options.h"
#include "app/commands/plan_report.h"
#include "app/commands/text_table.h"
#include "core/base/counted.h"
#include "core/base/spelling.h"
#include "core/base/units.h"
#include "core/editing/plan_edit.h"
#include "core/formats/configurations/configuration_formats.h"
#include "core/formats/json_writer.h"
#include "core/formats/text_file.h"
#include "core/model/prices.h"
#include "core/model/profile_sizes.h"
#include "core/planners/automatic/auto_frontier.h"
#include "core/planners/planned_run.h"
#include "core/programs/automatic_project.h"
#include "core/programs/configuration_check.h"
#include "core/programs/configured_plan.h"
#include "core/runs/chosen_schedule.h"
#include "core/schedules/families.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace stagecraft::app::commands {

using nlohmann::ordered_json;

namespace {

/// What is searched for, and where from.
struct AutoRequest {
    Problem problem;
    ProfileSource source;
    int batch = 0;
    AutoLimits limits;
    std::optional<ConfiguredPlan> configured;  ///< with which the answer is compared
};

constexpr int mostBatch = 1 << 20;
constexpr double passesOfEffort = 1e6;

int batchOf(const Arguments& arguments, double otherwise) {
    const double batch =
        arguments.integer("batch", 1).value_or(static_cast<int>(std::min<double>(otherwise, mostBatch + 1)));
    if (batch > mostBatch)
        throw UsageError("--batch is " + grouped(static_cast<long long>(batch)) + "; expected at most " +
                         grouped(mostBatch));
    return static_cast<int>(batch);
}

/// The model that a configuration has, on the machines that it names unless others are given.
AutoRequest configuredRequest(const Arguments& arguments, const std::string& file, std::ostream& err) {
    for (const char* other : {"profile", "model"})
        if (arguments.has(other))
            throw UsageError("--configuration and --" + std::string(other) +
                             " are two ways to name a model; expected one");
    const Configuration configuration = readConfiguration(readTextFile(file), file);
    Cluster cluster = machinesFrom(arguments, err, configuration.machines);
    const ParameterValues given = describedValues(arguments);
    const ConfiguredLayout layout = layoutOn(configuration, cluster.deviceCount(), file);
    AutoRequest request;
    request.configured = configuredPlan(
        configuration, layout, profileOf(configuration, layout, cluster, file, given), cluster, file);
    request.problem = request.configured->problem;
    request.source = [=](int samples, const std::vector<int>& shares) {
        ConfiguredLayout own = layout;
        own.microbatchSize = samples;
        ParameterValues values = given;
        setSampleSizes(values, samples, shares);
        return profileOf(configuration, own, cluster, file, values);
    };
    request.batch = batchOf(arguments, request.problem.samplesPerIteration());
    applySetupOptions(arguments, request.problem.setup);
    return request;
}

/// A computed profile is computed anew for each size; one of a file has the times that it has.
AutoRequest namedRequest(const Arguments& arguments, std::ostream& err) {
    AutoRequest request;
    request.problem = projectFrom(arguments, err).problem;
    request.batch = batchOf(arguments, request.problem.samplesPerIteration());
    const auto model = arguments.text("model");
    request.source = scaledProfiles(request.problem.profile);
    request.limits.mostSamples = measuredSizes(request.problem.profile).back();
    if (!model) return request;
    const Cluster cluster = request.problem.cluster;
    const auto computed = [&arguments, word = *model, cluster](int samples, const std::vector<int>& shares) {
        ParameterValues besides;
        setSampleSizes(besides, samples, shares);
        std::ostringstream said;  // the same notes for each size, and once before
        return profileOfWord(arguments, word, cluster, besides, said);
    };
    // That of a file is what it is.
    if (computed(2, {2}).microbatchSize != 2) return request;
    request.source = computed;
    request.limits.mostSamples = AutoLimits{}.mostSamples;
    return request;
}

void takeLimits(const Arguments& arguments, AutoLimits& limits) {
    limits.tensor = arguments.integer("tensor", 1);
    limits.context = arguments.integer("context", 1);
    limits.expert = arguments.integer("expert", 1);
    limits.sequenceParallel = arguments.boolean("sequence-parallel").value_or(true);
    if (const auto zero = arguments.integer("zero", 0)) limits.zero = static_cast<ZeroStage>(*zero);
    limits.mostChunks = arguments.integer("max-chunks", 1).value_or(limits.mostChunks);
    limits.mostDevices = arguments.integer("gpus", 1).value_or(0);
    if (const auto most = arguments.integer("max-microbatch-size", 1)) limits.mostSamples = *most;
    if (const auto effort = arguments.integer("effort", 1)) limits.mostPasses = passesOfEffort * *effort;
    if (arguments.choice("objective", {"time", "money"}) == "money") limits.objective = AutoObjective::money;
    for (const char* other : {"frontier", "planners"})
        if (limits.objective == AutoObjective::money && arguments.has(other))
            throw UsageError("--" + std::string(other) + " compares times; expected no --objective money");
    for (const char* other : {"gpus", "schedule", "max-chunks"})
        if (arguments.has("planners") && arguments.has(other))
            throw UsageError("--planners runs each planner as it is, on all GPUs; expected no --" +
                             std::string(other));
    limits.mostSeconds = arguments.number("within", 0).value_or(infinity);
    limits.mostDegrees = arguments.integer("degrees", 1).value_or(0);
    if (limits.mostDegrees > 0 && !arguments.has("planners"))
        throw UsageError("--degrees is of --planners; expected both or neither");
    for (const std::string& id : arguments.all("schedule")) {
        if (!findScheduleFamily(id))
            throw UsageError("--schedule: no schedule '" + id + "'; expected " + scheduleFamilyIds());
        limits.families.push_back(id);
    }
}

AutoRequest requestFrom(const Arguments& arguments, std::ostream& err) {
    const auto configuration = arguments.text("configuration");
    AutoRequest request =
        configuration ? configuredRequest(arguments, *configuration, err) : namedRequest(arguments, err);
    takeLimits(arguments, request.limits);
    if (request.limits.mostDevices > request.problem.cluster.deviceCount()) request.limits.mostDevices = 0;
    if (request.problem.setup.mode != TrainingMode::synchronous)
        throw UsageError("auto plans with a barrier after each mini-batch; expected --mode synchronous");
    if (request.problem.setup.holdsAllGradients() && request.limits.zero >= ZeroStage::gradients)
        throw UsageError(
            "--zero: Megatron's passes over gradients (--gradient-passes) suppose that each copy "
            "holds all of them; expected 0 or 1, or other passes");
    const int unpriced = firstWithoutPrice(request.problem);
    if (request.limits.objective == AutoObjective::money && unpriced >= 0)
        throw UsageError(
            "--objective money: device '" +
            request.problem.cluster.devices[static_cast<std::size_t>(unpriced)].id +
            "' has no price where others have one; expected the price_per_hour of each device, or "
            "--gpu-price-per-hour for those that have none");
    request.problem = searchedProblem(std::move(request.problem));
    return request;
}

// ---- text ----

std::string scheduleText(const AutoPlan& plan) {
    std::string text = shortTitle(*plan.schedule.family);
    if (plan.schedule.chunks > 1) text += " with " + counted(plan.schedule.chunks, "stage") + " on each rank";
    if (plan.layout.copies > 1 && plan.layout.ranks > 1)
        text += plan.place == CopiesPlace::together ? ", copies of a stage side by side"
                                                    : ", copies of the pipeline side by side";
    return text;
}

/// "17 of 98 layers fully, 12 selectively"
std::string recomputedText(const AutoPlan& plan) {
    const auto count = [&plan](LayerMemory memory) {
        return std::ranges::count_if(plan.plan.memory.layers,
                                     [memory](const auto& layer) { return layer.second == memory; });
    };
    const auto full = count(LayerMemory::checkpoint) + count(LayerMemory::recompute),
               some = count(LayerMemory::selective);
    if (full + some == 0) return "no layer";
    std::string text;
    if (full > 0) text = std::to_string(full) + " fully";
    if (some > 0) text += (text.empty() ? "" : ", ") + std::to_string(some) + " selectively";
    return text + " of " + counted(plan.problem.profile.layerCount(), "layer");
}

void printAlternatives(const AutoAnswer& answer, std::ostream& out) {
    constexpr std::size_t most = 10;
    out << "\n";
    std::vector<std::string> headings{"layout", "schedule", "iteration", "no less than", "by"};
    const bool inDollars = answer.unit == AutoUnit::dollars;
    if (inDollars) headings.insert(headings.begin() + 2, "costs");
    TextTable table(headings);
    std::size_t printed = 0;
    for (const AutoTried& tried : answer.tried) {
        if (printed++ == most) break;
        const bool found = std::isfinite(tried.iterationS);
        std::vector<std::string> row{
            layoutText(tried.layout),
            found ? tried.family + (tried.chunks > 1 ? " ×" + std::to_string(tried.chunks) : "") : "",
            found ? formatSeconds(tried.iterationS) : "none better", formatSeconds(tried.bound.seconds),
            boundReasonText(tried.bound.reason)};
        if (inDollars) row.insert(row.begin() + 2, found ? formatDollars(tried.value) : "");
        table.add(std::move(row));
    }
    table.print(out);
}

void printConfigured(const AutoRequest& request, const AutoPlan& best, std::ostream& out) {
    if (!request.configured) return;
    const PlanRun run = evaluatePlan(std::make_shared<const CostModel>(request.configured->problem),
                                     request.configured->plan);
    if (!run.ok()) {
        out << "as configured: no plan: " << run.result.reason << "\n";
        return;
    }
    const double ownS = run.iterationTimeS();
    out << "as configured: " << formatSeconds(ownS) << ", " << layoutInWords(*request.configured);
    if (!run.evaluation->metrics.fitsMemory) out << ", which does not fit";
    out << "\n               the plan found takes " << formatPercent(std::abs(1 - best.iterationS / ownS))
        << (best.iterationS <= ownS ? " less" : " more") << "\n";
}

void printBest(const AutoRequest& request, const AutoAnswer& answer, const PlanRun& run, double leastS,
               std::ostream& out) {
    const AutoPlan& best = *answer.best;
    const ConfigurationCheck check = checkOf(run);
    out << layoutText(best.layout) << "\n" << scheduleText(best) << "\n\n";
    out << "time:    " << check.time << "\n";
    if (answer.objective == AutoObjective::money || best.dollarsPerS > 0)
        out << "costs:   " << costText(answer) << "\n";
    out << "fits:    " << check.memory << "\n         " << check.byCause << "\n"
        << "again:   " << recomputedText(best) << " computed again\n"
        << "bounds:  " << check.bounds << "\n"
        << "MFU:     " << check.utilisation << "\n"
        << "proven:  " << gapText(answer) << ": none takes less than " << provenText(answer) << ", by "
        << boundReasonText(answer.provenReason) << " of " << layoutText(answer.provenBy) << ".\n"
        << "         " << workText(answer, leastS) << ".\n";
    for (const std::string& violation : check.violations) out << "invalid: " << violation << "\n";
    printConfigured(request, best, out);
}

// ---- the frontier ----

void printFrontier(const AutoRequest& request, const std::vector<FrontierPoint>& points, std::ostream& out) {
    const bool hasPrice = hasPrices(request.problem);
    const bool hasTokens = hasPrice && request.problem.profile.divisible.tokens > 0;
    std::vector<std::string> headings{"GPUs", "memory used",   "iteration", "GPU seconds",
                                      "peak", "proven within", "layout"};
    if (hasPrice) headings.push_back("dollars");
    if (hasTokens) headings.push_back("for 1B tokens");
    TextTable table(headings);
    for (const FrontierPoint& point : points) {
        std::vector<std::string> row{grouped(point.gpus), formatPercent(point.memoryShare)};
        if (point.answer.best) {
            const AutoPlan& best = *point.answer.best;
            row.insert(row.end(), {formatSeconds(best.iterationS), formatNumber(iterationGpuSeconds(best)),
                                   formatBytes(best.peakBytes), formatPercent(point.answer.gap()),
                                   layoutText(best.layout)});
            if (hasPrice) row.push_back(formatDollars(iterationDollars(best)));
            if (hasTokens) row.push_back(formatDollars(dollarsPerBillionTokens(best)));
        } else {
            row.insert(row.end(), {"none", "", "", "", point.answer.reason});
            if (hasPrice) row.emplace_back();
            if (hasTokens) row.emplace_back();
        }
        table.add(row);
    }
    out << "\n";
    table.print(out);
}

ordered_json layoutJson(const PipelineLayout& layout) {
    return {{"tensor", layout.group.tensor},
            {"sequence_parallel", layout.group.sequenceParallel},
            {"context", layout.group.context},
            {"expert", layout.group.expert},
            {"pipeline", layout.ranks},
            {"data", layout.sizes.empty() ? ordered_json(layout.copies) : ordered_json(layout.sizes)},
            {"zero", static_cast<int>(layout.zero)},
            {"microbatch_size", layout.samples},
            {"microbatches", layout.microbatches},
            {"gpus", layout.devices()}};
}

/// Dollars for a second of any GPU; 0: they cost different amounts, or some price is not known.
double oneDollarsPerS(const Problem& problem) {
    for (int device = 1; device < problem.cluster.deviceCount(); ++device)
        if (pricePerHour(problem, device) != pricePerHour(problem, 0)) return 0;
    return dollarsPerSecond(problem, std::vector<int>{0});
}

ordered_json provenJson(const Problem& problem, const AutoAnswer& answer) {
    ordered_json proven;
    switch (answer.unit) {
        case AutoUnit::seconds:
            proven["seconds"] = answer.provenS;
            break;
        case AutoUnit::gpuSeconds:
            proven["gpu_seconds"] = answer.provenS;
            break;
        case AutoUnit::dollars:
            proven["dollars"] = answer.provenS;
            if (const double each = oneDollarsPerS(problem)) proven["gpu_seconds"] = answer.provenS / each;
    }
    proven["because"] = boundReasonText(answer.provenReason);
    proven["layout"] = layoutJson(answer.provenBy);
    return proven;
}

/// Where they are known.
void writeDollars(const AutoPlan& plan, ordered_json& to) {
    if (plan.dollarsPerS > 0) to["dollars"] = iterationDollars(plan);
    if (const double each = dollarsPerBillionTokens(plan)) to["dollars_per_billion_tokens"] = each;
}

void writeCosts(const AutoAnswer& answer, ordered_json& document) {
    const AutoPlan& best = *answer.best;
    if (answer.objective == AutoObjective::money) document["gpu_seconds"] = iterationGpuSeconds(best);
    writeDollars(best, document);
    ordered_json used = ordered_json::array();
    for (const auto& [type, count] : usedTypes(best)) used.push_back({{"gpu", type}, {"gpus", count}});
    document["used"] = std::move(used);
}

ordered_json frontierJson(const std::vector<FrontierPoint>& points) {
    ordered_json list = ordered_json::array();
    for (const FrontierPoint& point : points) {
        ordered_json row = {{"gpus", point.gpus}, {"memory_share", point.memoryShare}};
        if (const auto& best = point.answer.best) {
            row["iteration_time_s"] = best->iterationS;
            row["peak_memory_bytes"] = best->peakBytes;
            row["gpu_seconds"] = iterationGpuSeconds(*best);
            writeDollars(*best, row);
            row["gap"] = point.answer.gap();
            row["layout"] = layoutJson(best->layout);
        } else {
            row["reason"] = point.answer.reason;
        }
        list.push_back(std::move(row));
    }
    return list;
}

ordered_json plannersJson(const PlannersAnswer& planners) {
    ordered_json json = {{"degrees", planners.degrees},
                         {"no_faster", planners.noFaster},
                         {"run", planners.run()},
                         {"left", planners.left},
                         {"faster", nullptr}};
    if (planners.faster)
        json["faster"] = {{"title", planners.faster->title()},
                          {"planner", planners.faster->result.plan.planner},
                          {"iteration_time_s", planners.faster->iterationTimeS()},
                          {"degree", degreeText(planners.problem)}};
    return json;
}

void writeAutoJson(const AutoRequest& request, const AutoAnswer& answer, const PlanRun* run, double leastS,
                   const std::vector<FrontierPoint>& frontier, const std::optional<PlannersAnswer>& planners,
                   std::ostream& out) {
    ordered_json document;
    document["status"] = run ? "ok" : "infeasible";
    if (!run) document["reason"] = answer.reason;
    if (run) {
        document["layout"] = layoutJson(answer.best->layout);
        document["schedule"] = answer.best->schedule.family->id;
        document["chunks"] = answer.best->schedule.chunks;
        document["iteration_time_s"] = run->iterationTimeS();
        writeCosts(answer, document);
        document["gap"] = answer.gap();
    }
    if (answer.provenS > 0) document["proven"] = provenJson(request.problem, answer);
    document["work_over_all_gpus_s"] = leastS;
    ordered_json pruned;
    for (const auto& [reason, count] : answer.counts.pruned) pruned[boundReasonText(reason)] = count;
    document["searched"] = {{"layouts", answer.counts.layouts},
                            {"do_not_fit", answer.counts.noMemory},
                            {"no_faster", std::move(pruned)},
                            {"tried", answer.counts.tried},
                            {"left", answer.counts.open},
                            {"different_sizes",
                             {{"degrees", answer.counts.sizedDegrees},
                              {"tried", answer.counts.sizedTried},
                              {"no_less_than_s", answer.counts.sizedLeastS}}}};
    ordered_json tried = ordered_json::array();
    for (const AutoTried& each : answer.tried)
        tried.push_back({{"layout", layoutJson(each.layout)},
                         {"schedule", each.family.empty() ? ordered_json() : ordered_json(each.family)},
                         {"chunks", each.chunks},
                         {"iteration_time_s",
                          std::isfinite(each.iterationS) ? ordered_json(each.iterationS) : ordered_json()},
                         {"no_less_than_s", each.bound.seconds},
                         {"because", boundReasonText(each.bound.reason)}});
    document["tried"] = std::move(tried);
    if (!frontier.empty()) document["frontier"] = frontierJson(frontier);
    if (planners) document["planners"] = plannersJson(*planners);
    if (run) document["results"] = ordered_json::parse(planReportJson({{handMade, *run}})).at("results");
    out << formatJson(document);
}

void printPlanners(const PlannersAnswer& planners, std::ostream& out) {
    out << "\n";
    if (planners.faster)
        out << "planners: " << planners.faster->title() << " has a faster plan, "
            << formatSeconds(planners.faster->iterationTimeS()) << ": " << degreeText(planners.problem)
            << ".\n          It is what --out writes. The fastest of all planners " << plannersText(planners)
            << ".\n";
    else
        out << "planners: none has a faster plan " << plannersText(planners) << ".\n";
}

void printAnswer(const AutoRequest& request, const AutoAnswer& answer, const PlanRun* run, double leastS,
                 std::ostream& out) {
    out << request.problem.profile.name << " on " << counted(request.problem.cluster.deviceCount(), "GPU")
        << ", " << counted(request.batch, "sample") << " an iteration\n";
    if (run)
        printBest(request, answer, *run, leastS, out);
    else
        out << "no plan: " << answer.reason << "\n";
    out << "searched: " << searchedText(answer) << "\n"
        << "not searched: " << notSearchedText(answer) << "\n";
    if (!answer.tried.empty()) printAlternatives(answer, out);
}

int runAuto(const Arguments& arguments, std::ostream& out, std::ostream& err) {
    const AutoRequest request = requestFrom(arguments, err);
    const int jobs = arguments.integer("jobs", 1).value_or(0);
    const AutoQuestion question{request.problem, request.source, request.batch, request.limits, jobs};
    AutoSearch search(request.problem, request.source, request.batch, jobs);
    WorkContext context;
    if (arguments.has("progress"))
        context.says = [&err](const std::string& sentence) { err << sentence << "\n"; };
    const AutoAnswer answer = search.best(request.limits, context);
    const double leastS = search.leastOfAllS(request.limits);
    std::optional<PlanRun> run;
    if (answer.best) {
        const auto costs = std::make_shared<const CostModel>(answer.best->problem);
        run = evaluatePlan(costs, automaticPlan(*answer.best));
        if (!run->ok()) throw std::runtime_error(run->result.reason);
    }
    std::vector<FrontierPoint> frontier;
    if (arguments.has("frontier")) frontier = frontierOf(question, answer);
    std::optional<PlannersAnswer> planners;
    if (arguments.has("planners"))
        planners =
            plannersAtDegrees(question, run ? run->iterationTimeS() : request.limits.mostSeconds, context);
    const bool isPlanned = run || (planners && planners->faster);
    if (const auto path = arguments.text("out"); path && isPlanned)
        writeFileAtomically(
            *path, writeProject(planners ? automaticProject(answer, *planners) : automaticProject(answer)));
    else if (path)
        err << "no plan: " << *path << " is not written\n";
    if (arguments.has("json")) {
        writeAutoJson(request, answer, run ? &*run : nullptr, leastS, frontier, planners, out);
    } else {
        printAnswer(request, answer, run ? &*run : nullptr, leastS, out);
        if (planners) printPlanners(*planners, out);
        if (!frontier.empty()) printFrontier(request, frontier, out);
    }
    return isPlanned ? exitDone : exitFailed;
}

}  // namespace

Command autoCommand() {
    Command command{
        "auto",
        {"--model MODEL --machines WORDS --batch N [OPTIONS]", "--profile F --cluster F --batch N [OPTIONS]",
         "--configuration FILE [OPTIONS]"},
        "Searches degrees of all kinds of parallelism, microbatch sizes, cuts, schedules and recomputation "
        "for "
        "the fastest plan that fits, and proves how much faster any of them could be.",
        {{"batch", "N", "samples of an iteration; those of the setup or the configuration unless given"},
         {"configuration", "FILE",
          "a training configuration, for its model, batch and machines; the plan is "
          "compared with it"},
         {"profile", "F", "a layer profile"},
         {"cluster", "F", "a cluster's file, or what its machines report"},
         {"gpus", "N", "of the cluster, at most; all unless given"},
         {"schedule", "ID", "that family alone; may be given several times", true},
         {"max-chunks", "N", "stages on each rank at most, where schedules interleave them; 8 unless given"},
         {"max-microbatch-size", "N", "samples in a microbatch of each copy at most"},
         {"objective", "NAME",
          "time, or money: the plan that costs least, at the GPUs' prices, or takes fewest GPU seconds; "
          "time unless given"},
         {"within", "SECONDS", "an iteration takes no longer"},
         {"effort", "N", "million passes that are simulated at most; 100 unless given"},
         {"jobs", "N", "threads; one for each core unless given. The answer does not depend on it"},
         {"frontier", "",
          "search again with a half, a quarter and an eighth of the GPUs, and with less of their memory: "
          "time "
          "against GPUs, memory and, where the GPUs' prices are known, dollars"},
         {"planners", "",
          "run each planner too, at each group, number of samples of a microbatch and stage of ZeRO that "
          "may have a faster plan; where one has, that is what is written. Takes minutes on a server, "
          "hours on many"},
         {"degrees", "N", "with --planners: at so many of these at most, those with the least work first"},
         {"progress", "", "say how far the search is, on standard error"},
         {"json", "", "print JSON"},
         {"out", "F", "write a project with the plan"}},
        &runAuto};
    command.options = withProblemOptions(command.options);
    return command;
}

}  // namespace stagecraft::app::commands
