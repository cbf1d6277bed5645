#include "core/runs/seen_problem.h"

namespace stagecraft::runs {

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

ProblemHash SeenProblem::by(const PlanMaker& maker) const {
    ProblemHash seen = whole_;
    if (!maker.seesMemory || hasLimit_) seen.cluster = clusterWithoutMemory_;
    if (!maker.seesMemory) seen.setup = setupWithoutMemory_;
    if (!maker.seesSequences) seen.profile = profileWithoutSequences_;
    return seen;
}

ProblemHash SeenProblem::by(const PlanMaker& maker, const std::optional<ProblemHash>& madeFor) const {
    ProblemHash seen = by(maker);
    if (!madeFor) return seen;
    const auto match = [&](std::string ProblemHash::*part, const std::string& blind) {
        if ((*madeFor).*part == whole_.*part) seen.*part = whole_.*part;
        if (!maker.isKnown && (*madeFor).*part == blind) seen.*part = blind;
    };
    match(&ProblemHash::profile, profileWithoutSequences_);
    match(&ProblemHash::cluster, clusterWithoutMemory_);
    // One that saw the devices' memory saw that there was no limit, too.
    const bool sawMemory = madeFor->cluster == whole_.cluster && whole_.cluster != clusterWithoutMemory_;
    match(&ProblemHash::setup, sawMemory ? whole_.setup : setupWithoutMemory_);
    return seen;
}

}  // namespace stagecraft::runs
