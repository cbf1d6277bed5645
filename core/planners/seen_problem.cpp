#include "core/planners/seen_problem.h"

#include "core/planners/added_planners.h"
#include "core/planners/planner.h"

namespace stagecraft::planners {

bool seesMemory(const std::string& planner) {
    const Planner* found = findPlanner(planner);
    return !found || found->description().plansForMemory || found->description().checksMemory;
}

bool seesSequences(const std::string& planner) {
    const Planner* found = findPlanner(planner);
    return !found || found->description().choosesSchedule || findAddedPlanner(planner);
}

SeenProblem::SeenProblem(const Problem& problem)
    : whole_(hashOf(problem)),
      profileWithoutSequences_(whole_.profile),
      hasLimit_(problem.setup.memoryLimitBytes.has_value()) {
    Problem blind;
    if (problem.profile.causalSequence) {
        blind.profile = problem.profile;
        blind.profile.causalSequence.reset();
    }
    blind.cluster = problem.cluster;
    for (Device& device : blind.cluster.devices) device.memoryBytes = 0;
    blind.setup = problem.setup;
    blind.setup.memoryLimitBytes.reset();
    const ProblemHash hash = hashOf(blind);
    if (problem.profile.causalSequence) profileWithoutSequences_ = hash.profile;
    clusterWithoutMemory_ = hash.cluster;
    setupWithoutMemory_ = hash.setup;
}

ProblemHash SeenProblem::by(const std::string& planner) const {
    ProblemHash seen = whole_;
    const bool sees = seesMemory(planner);
    if (!sees || hasLimit_) seen.cluster = clusterWithoutMemory_;
    if (!sees) seen.setup = setupWithoutMemory_;
    if (!seesSequences(planner)) seen.profile = profileWithoutSequences_;
    return seen;
}

ProblemHash SeenProblem::by(const std::string& planner, const std::optional<ProblemHash>& madeFor) const {
    ProblemHash seen = by(planner);
    if (!madeFor) return seen;
    const bool isKnown = findPlanner(planner) != nullptr;
    const auto match = [&](std::string ProblemHash::*part, const std::string& blind) {
        if ((*madeFor).*part == whole_.*part) seen.*part = whole_.*part;
        if (!isKnown && (*madeFor).*part == blind) seen.*part = blind;
    };
    match(&ProblemHash::profile, profileWithoutSequences_);
    match(&ProblemHash::cluster, clusterWithoutMemory_);
    // One that saw the devices' memory saw that there was no limit, too.
    const bool sawMemory = madeFor->cluster == whole_.cluster && whole_.cluster != clusterWithoutMemory_;
    match(&ProblemHash::setup, sawMemory ? whole_.setup : setupWithoutMemory_);
    return seen;
}

void stampOrigins(std::span<const Plan> plans, std::vector<PlanOrigin>& origins, const SeenProblem& problem) {
    origins.resize(plans.size());
    for (std::size_t i = 0; i < plans.size(); ++i)
        if (!origins[i].plannedFor && findPlanner(plans[i].planner))
            origins[i].plannedFor = problem.by(plans[i].planner);
}

}  // namespace stagecraft::planners
