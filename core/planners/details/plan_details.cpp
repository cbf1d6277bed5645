#include "core/planners/details/plan_details.h"
#include "core/planners/planned_run.h"

#include "core/planners/details/detail_makers.h"

#include <algorithm>
#include <array>

namespace stagecraft::planners {

namespace {

bool madeBy(const PlanRun& run, const char* planner) {
    // Groups were planned as devices of another problem, which is not kept.
    return run.ok() && run.result.plan.planner == planner && !run.result.plan.dividesLayers();
}
bool bySpp(const PlanRun& run) { return madeBy(run, "spp"); }
bool byPipeDream(const PlanRun& run) { return madeBy(run, "pipedream"); }
bool byVpipe(const PlanRun& run) { return madeBy(run, "vpipe"); }
bool byMadPipe(const PlanRun& run) { return madeBy(run, "madpipe"); }
bool byAlgorithm1(const PlanRun& run) {
    const auto& parameters = run.result.plan.parameters;
    const auto allocation = parameters.find("allocation");
    return byMadPipe(run) && (allocation == parameters.end() || allocation->second == "madpipe");
}
bool underPe(const PlanRun& run) {
    const auto* policy = run.ok() ? std::get_if<FamilySchedule>(&run.result.plan.schedule.order) : nullptr;
    return policy && policy->name == "pe" && run.result.plan.pipelineCount() == 1;
}
bool hasPattern(const PlanRun& run) {
    return byMadPipe(run) && std::holds_alternative<PeriodicSchedule>(run.result.plan.schedule.order);
}

bool hasStages(const PlanRun& run) { return run.ok(); }

constexpr std::array details{
    PlanDetail{"spp-w", "W(l, ξ, r, i)",
               "A value of SPP's recursion and its best predecessor: the first l layers in ξ stages on the "
               "first i devices of the order, the last stage on r of them (SPP, Sec. IV-B2).",
               "plans of SPP", &bySpp, &sppValues},
    PlanDetail{"pe-passes", "PE's queues",
               "What each block of Alg. 1 takes from its queue in a pass (SPP, Sec. IV-A).",
               "schedules by PE", &underPe, &pePasses},
    PlanDetail{
        "pipedream-a", "A(i → j, m)",
        "The slowest stage or transfer of layers i to j on m components of a level, and how it is reached "
        "(PipeDream, Sec. 3.1).",
        "plans of PipeDream", &byPipeDream, &pipeDreamValues},
    PlanDetail{"madpipe-periods", "Algorithm 1's periods",
               "A target period T̂ and the period T that MadPipe-DP finds for it (MadPipe, Sec. 4.2.3).",
               "plans of MadPipe", &byAlgorithm1, &madPipePeriods},
    PlanDetail{
        "madpipe-states", "MadPipe-DP's states",
        "A state that the program reaches at the target period which Algorithm 1 settles on: l, p, t_P, "
        "m_P, V (MadPipe, Sec. 4.2.2).",
        "plans of MadPipe", &byAlgorithm1, &madPipeStates},
    PlanDetail{
        "madpipe-special", "The special device's layers",
        "A stage of the plan: what it takes on a device of its own and on the special one, and why it is "
        "where it is (MadPipe, Sec. 4.2.1).",
        "plans of MadPipe", &hasPattern, &madPipeSpecial},
    PlanDetail{
        "vpipe-edges", "Edges of the network",
        "An edge as Algorithm 3 sees it: critical, sparse or inside a subgraph, and the coarse nodes that it "
        "joins (vPipe, Sec. 4.2).",
        "plans of vPipe", &byVpipe, &vpipeEdges},
    PlanDetail{"vpipe-nodes", "The coarsened network",
               "A node of the graph that Algorithm 3 halves (vPipe, Sec. 4.2).", "plans of vPipe", &byVpipe,
               &vpipeNodes},
    PlanDetail{"vpipe-messages", "Algorithm 1's messages",
               "What a stage tells the global planner after a round, and the plan that goes back (vPipe, "
               "Algorithm 1).",
               "plans of vPipe", &byVpipe, &vpipeMessages},
    PlanDetail{"memory", "Memory at its peak",
               "What devices that hold the same have in memory when they hold most, by cause, and at which "
               "moment.",
               "", &hasStages, &memoryByStage},
};

}  // namespace

std::span<const PlanDetail> planDetails() { return details; }

std::vector<const PlanDetail*> detailsOf(const PlanRun& run) {
    std::vector<const PlanDetail*> own;
    for (const PlanDetail& each : details)
        if (each.applies(run)) own.push_back(&each);
    return own;
}

std::vector<std::string> plansWithDetails() {
    std::vector<std::string> plans;
    for (const PlanDetail& each : details)
        if (!each.of.empty() && std::find(plans.begin(), plans.end(), each.of) == plans.end())
            plans.emplace_back(each.of);
    return plans;
}

ParameterValues parametersOf(const PlanRun& run) {
    const Planner* planner = findPlanner(run.result.plan.planner);
    return planner ? valuesOf(*planner, run.result.plan.parameters) : ParameterValues{};
}

const PlanDetail* planDetailNamed(std::string_view id) {
    for (const PlanDetail& each : details)
        if (each.id == id) return &each;
    return nullptr;
}

}  // namespace stagecraft::planners
