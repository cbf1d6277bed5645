#include "app/commands/command.h"
#include "app/commands/inputs.h"
#include "app/commands/pictures.h"
#include "app/commands/style_options.h"
#include "app/commands/text_table.h"
#include "app/figures/pareto_curves.h"
#include "core/base/units.h"
#include "core/formats/json_writer.h"
#include "core/planners/grouped_problem.h"

namespace stagecraft::app::commands {

using nlohmann::ordered_json;

namespace {

/// The curves asked for, contiguous plans first.
std::vector<ParetoSeries> curvesOf(const Arguments& arguments, const CostModel& costs) {
    const std::string which = arguments.text("allocation").value_or("both");
    if (which != "both" && which != "contiguous" && which != "madpipe")
        Arguments::failChoice("allocation", which, {"both", "contiguous", "madpipe"});
    ParetoOptions options = usualParetoOptions();
    options.step = arguments.number("step", 0).value_or(0);
    if (options.step >= 1) throw UsageError("--step must be below 1; expected a share of the memory");
    options.fromBytes = arguments.number("from-bytes", 0).value_or(0);
    if (const auto most = arguments.number("to-bytes", 0)) options.toBytes = *most;
    double& timeLimitS = options.plans.secondPhase.timeLimitS;
    timeLimitS = arguments.number("time-limit-s", 0).value_or(timeLimitS);
    std::vector<ParetoSeries> curves;
    for (const auto& [name, stages] : paretoKinds()) {
        if (which != "both" && which != name) continue;
        options.plans.stages = stages;
        curves.push_back({name, paretoCurve(costs, options)});
    }
    return curves;
}

/// Only the points that answer the question, if one is asked.
void answer(const Arguments& arguments, std::vector<ParetoSeries>& curves) {
    const auto memory = arguments.number("at-memory-bytes", 0), period = arguments.number("at-period-s", 0);
    if (!memory && !period) return;
    for (ParetoSeries& curve : curves) {
        const ParetoPoint* point =
            memory ? fastestWithin(curve.points, *memory) : leanestWithin(curve.points, *period);
        curve.points = point ? std::vector<ParetoPoint>{*point} : std::vector<ParetoPoint>();
    }
}

ordered_json pointJson(const CostModel& costs, const ParetoPoint& point) {
    ordered_json stages = ordered_json::array();
    for (const Stage& stage : point.plan.stages)
        stages.push_back(
            {{"layers", {stage.firstLayer, stage.lastLayer}},
             {"devices",
              {costs.problem().cluster.devices[static_cast<std::size_t>(stage.devices.front())].id}}});
    return {{"memory_bytes", point.memoryBytes},
            {"period_s", point.periodS},
            {"iteration_time_s", point.periodS * costs.problem().setup.microbatches},
            {"throughput_samples_per_s", paretoThroughput(costs, point)},
            {"proven", point.proven},
            {"stages", std::move(stages)}};
}

void printCurves(const CostModel& costs, const std::vector<ParetoSeries>& curves, std::ostream& out) {
    TextTable table({"plans", "memory per GPU", "per microbatch", "samples/s", "stages", "proven"});
    for (const ParetoSeries& curve : curves) {
        for (const ParetoPoint& point : curve.points)
            table.add({curve.allocation, formatBytes(point.memoryBytes), formatSeconds(point.periodS),
                       formatNumber(paretoThroughput(costs, point)), std::to_string(point.plan.stageCount()),
                       point.proven ? "yes" : "no"});
        if (curve.points.empty()) table.add({curve.allocation, "none", "", "", "", ""});
    }
    table.print(out);
}

void writeParetoFigure(const FigureFile& file, const CostModel& costs,
                       const std::vector<ParetoSeries>& curves) {
    ParetoFigureOptions options;
    options.samples = costs.problem().profile.microbatchSize;
    ensureApplication();  // for fonts
    const auto problem = std::make_shared<const Problem>(costs.problem());
    writeSource(paretoSource(curves, problem, options), file.format, file.style, {}, file.path);
}

int runPareto(const Arguments& arguments, std::ostream& out, std::ostream& err) {
    if (arguments.has("at-memory-bytes") && arguments.has("at-period-s"))
        throw UsageError("--at-memory-bytes and --at-period-s exclude each other");
    const std::optional<FigureFile> figure = figureFileFrom(arguments);
    Project project = projectFrom(arguments, err);
    if (const std::string without = groupsLeftOut(project.problem); !without.empty())
        err << "stagecraft: these plans are made " << without << "\n";
    const CostModel costs = paretoCosts(std::move(project.problem));
    std::vector<ParetoSeries> curves = curvesOf(arguments, costs);
    answer(arguments, curves);
    if (const auto path = arguments.text("out")) writeFileAtomically(*path, paretoCsv(costs, curves));
    if (figure) writeParetoFigure(*figure, costs, curves);
    if (!arguments.has("json")) {
        printCurves(costs, curves, out);
        return exitDone;
    }
    ordered_json list = ordered_json::array();
    for (const ParetoSeries& curve : curves) {
        ordered_json points = ordered_json::array();
        for (const ParetoPoint& point : curve.points) points.push_back(pointJson(costs, point));
        list.push_back({{"allocation", curve.allocation}, {"points", std::move(points)}});
    }
    out << formatJson({{"curves", std::move(list)}});
    return exitDone;
}

}  // namespace

Command paretoCommand() {
    Command command{
        "pareto",
        {"PROJECT [OPTIONS]", "--profile F --cluster F [OPTIONS]"},
        "Throughput versus memory per GPU, without a barrier (MadPipe).",
        {{"profile", "F", "a layer profile, instead of a project's"},
         {"cluster", "F", "a cluster, instead of a project's"},
         {"allocation", "KIND",
          "contiguous: one stage per GPU; madpipe: a GPU may hold several; both (default)"},
         {"at-memory-bytes", "N", "only the fastest plan at this memory per GPU"},
         {"at-period-s", "S", "only the plan of least memory that takes at most this per microbatch"},
         {"from-bytes", "N", "the least memory per GPU to plan for"},
         {"to-bytes", "N", "the most memory per GPU to plan for"},
         {"step", "SHARE", "least decrease of memory from point to point, as a share; madpipe: 0.01 if 0"},
         {"time-limit-s", "S", "for the second phase of each madpipe plan; default 10"},
         {"json", "", "print JSON"},
         {"out", "F", "write a CSV table"}},
        &runPareto};
    command.options.insert(command.options.end(), figureFileOptions().begin(), figureFileOptions().end());
    command.options.push_back(granularityOption);
    command.options.insert(command.options.end(), setupOptions().begin(), setupOptions().end());
    return command;
}

}  // namespace stagecraft::app::commands
