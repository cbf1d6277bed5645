#include "app/figures/pareto_curves.h"

#include <charconv>
#include <sstream>

namespace stagecraft::app::figures {

namespace {

constexpr double secondPhaseS = 10;

std::string number(double value) {
    char text[40];
    return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
}

}  // namespace

const std::vector<ParetoKind>& paretoKinds() {
    static const std::vector<ParetoKind> kinds = {{"contiguous", MadPipeStages::contiguous},
                                                  {"madpipe", MadPipeStages::madpipe}};
    return kinds;
}

ParetoOptions usualParetoOptions() {
    ParetoOptions options;
    options.plans.secondPhase.timeLimitS = secondPhaseS;
    return options;
}

CostModel paretoCosts(Problem problem) {
    problem.setup.mode = TrainingMode::asynchronous;
    return CostModel(std::move(problem));
}

std::string paretoStagesText(const Problem& problem, const Plan& plan) {
    std::string text;
    for (const Stage& stage : plan.stages)
        text += (text.empty() ? "" : " ") +
                problem.cluster.devices[static_cast<std::size_t>(stage.devices.front())].id + ":" +
                std::to_string(stage.firstLayer) + "-" + std::to_string(stage.lastLayer);
    return text;
}

double paretoThroughput(const CostModel& costs, const ParetoPoint& point) {
    return costs.problem().profile.microbatchSize / point.periodS;
}

std::string paretoCsv(const CostModel& costs, const std::vector<ParetoSeries>& series) {
    std::ostringstream out;
    out << "allocation,memory_bytes,period_s,throughput_samples_per_s,proven,stages\n";
    for (const ParetoSeries& each : series)
        for (const ParetoPoint& point : each.points)
            out << each.allocation << "," << number(point.memoryBytes) << "," << number(point.periodS) << ","
                << number(paretoThroughput(costs, point)) << "," << (point.proven ? "true" : "false") << ",\""
                << paretoStagesText(costs.problem(), point.plan) << "\"\n";
    return out.str();
}

}  // namespace stagecraft::app::figures
