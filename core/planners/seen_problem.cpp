#include "core/planners/seen_problem.h"

#include "core/planners/planner.h"

namespace stagecraft::planners {

bool seesMemory(const std::string& planner) {
    const Planner* found = findPlanner(planner);
    return !found || found->description().plansForMemory || found->description().checksMemory;
}

SeenProblem::SeenProblem(const Problem& problem)
    : whole_(hashOf(problem)), hasLimit_(problem.setup.memoryLimitBytes.has_value()) {
    Problem blind;
    blind.cluster = problem.cluster;
    for (Device& device : blind.cluster.devices) device.memoryBytes = 0;
    blind.setup = problem.setup;
    blind.setup.memoryLimitBytes.reset();
    const ProblemHash hash = hashOf(blind);
    clusterWithoutMemory_ = hash.cluster;
    setupWithoutMemory_ = hash.setup;
}

ProblemHash SeenProblem::by(const std::string& planner) const {
    ProblemHash seen = whole_;
    const bool sees = seesMemory(planner);
    if (!sees || hasLimit_) seen.cluster = clusterWithoutMemory_;
    if (!sees) seen.setup = setupWithoutMemory_;
    return seen;
}

ProblemHash SeenProblem::by(const std::string& planner, const std::optional<ProblemHash>& madeFor) const {
    ProblemHash seen = by(planner);
    if (madeFor && madeFor->cluster == whole_.cluster) seen.cluster = whole_.cluster;
    if (madeFor && madeFor->setup == whole_.setup) seen.setup = whole_.setup;
    return seen;
}

void stampOrigins(std::span<const Plan> plans, std::vector<PlanOrigin>& origins, const SeenProblem& problem) {
    origins.resize(plans.size());
    for (std::size_t i = 0; i < plans.size(); ++i)
        if (!origins[i].plannedFor && findPlanner(plans[i].planner))
            origins[i].plannedFor = problem.by(plans[i].planner);
}

}  // namespace stagecraft::planners
