#include "core/training/policy.h"

#include <algorithm>

namespace stagecraft::training {

namespace {

TrainingMode modeOf(Policy policy) {
    return policy == Policy::synchronous ? TrainingMode::synchronous : TrainingMode::asynchronous;
}

WeightPolicyKind weightsOf(Policy policy) {
    switch (policy) {
        case Policy::synchronous:
            return WeightPolicyKind::single;
        case Policy::noStashing:
            return WeightPolicyKind::latest;
        case Policy::stashing:
            return WeightPolicyKind::stashing;
        case Policy::verticalSync:
            return WeightPolicyKind::verticalSync;
        case Policy::doubleBuffer:
            return WeightPolicyKind::doubleBuffer;
        case Policy::specTrain:
        case Policy::xpipe:
            return WeightPolicyKind::predicted;
    }
    return WeightPolicyKind::single;
}

}  // namespace

const std::vector<PolicyDescription>& policies() {
    static const std::vector<PolicyDescription> all = {
        {Policy::synchronous, "synchronous", "Synchronous", "Huang et al. (GPipe), NeurIPS 2019",
         "A barrier after each mini-batch: every pass uses the weights of its start."},
        {Policy::stashing, "stashing", "Weight stashing", "Narayanan et al. (PipeDream), SOSP 2019",
         "A forward uses its stage's newest weights, the backward those of its forward."},
        {Policy::noStashing, "no-stashing", "No stashing", "Narayanan et al. (PipeDream), SOSP 2019",
         "Every pass uses its stage's newest weights, so that forward and backward may differ."},
        {Policy::verticalSync, "vertical-sync", "Vertical sync", "Narayanan et al. (PipeDream), SOSP 2019",
         "All stages use the version that the input stage had at the microbatch's forward."},
        {Policy::doubleBuffer, "2bw", "Double buffering", "Narayanan et al. (PipeDream-2BW), ICML 2021",
         "All passes of a mini-batch use the weights of one update before."},
        {Policy::specTrain, "spectrain", "SpecTrain", "Chen et al. (SpecTrain), 2018",
         "Every pass uses weights predicted from the newest by the momentum of the gradients."},
        {Policy::xpipe, "xpipe", "XPipe", "Guan et al. (XPipe), 2019",
         "A mini-batch's bellwether predicts weights from Adam's moments, and all its passes use them."}};
    return all;
}

const PolicyDescription& describe(Policy policy) {
    return *std::find_if(policies().begin(), policies().end(),
                         [&](const PolicyDescription& each) { return each.policy == policy; });
}

const PolicyDescription* findPolicy(const std::string& id) {
    const auto found = std::find_if(policies().begin(), policies().end(),
                                    [&](const PolicyDescription& each) { return each.id == id; });
    return found == policies().end() ? nullptr : &*found;
}

bool predicts(Policy policy) { return weightsOf(policy) == WeightPolicyKind::predicted; }

Problem problemUnder(Policy policy, Problem problem) {
    problem.setup.mode = modeOf(policy);
    return problem;
}

Plan planUnder(Policy policy, Plan plan, TrainingMode madeFor, VersionDifference difference) {
    // SpecTrain's own formula is the exact one.
    if (policy == Policy::specTrain && difference == VersionDifference::printed)
        difference = VersionDifference::exact;
    plan.weights = {weightsOf(policy), {}, difference};
    plan.miniBatch.barrier = false;
    if (modeOf(policy) == madeFor) return plan;
    const char* family = policy == Policy::synchronous ? "gpipe" : "1f1b";
    plan.schedule = {FamilySchedule{family, {}}, false};
    return plan;
}

}  // namespace stagecraft::training
