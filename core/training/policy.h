#pragma once

#include "core/model/plan.h"
#include "core/model/problem.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace stagecraft::training {

/// Which weights a microbatch's forward and backward use while other mini-batches update them.
enum class Policy {
    synchronous,   ///< a barrier after each mini-batch: those of its start (GPipe)
    stashing,      ///< forward: the newest; backward: those of its forward (PipeDream)
    noStashing,    ///< forward and backward: the newest, so that they may differ
    verticalSync,  ///< those that the input stage had at the microbatch's forward (PipeDream)
    doubleBuffer,  ///< those of one update before (PipeDream-2BW)
    specTrain,     ///< predicted from the newest by the running gradient (SpecTrain)
    xpipe,         ///< predicted from the newest by Adam's moments, once a mini-batch (XPipe)
};

struct PolicyDescription {
    Policy policy;
    std::string id;     ///< on the command line
    std::string title;  ///< in the window
    std::string source;
    std::string summary;  ///< one sentence
};
/// All policies, in the order in which they are offered.
const std::vector<PolicyDescription>& policies();
const PolicyDescription& describe(Policy policy);
/// nullptr if there is none of that id.
const PolicyDescription* findPolicy(const std::string& id);
bool predicts(Policy policy);

/// The plan cannot be trained under the policy. what() says why.
struct TrainingError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The problem with the mode that the policy needs.
Problem problemUnder(Policy policy, Problem problem);
/// The plan's stages with the policy's weights. The plan's own schedule stays if it was made for the mode
/// that the policy needs; else GPipe's takes its place with a barrier, 1F1B without.
Plan planUnder(Policy policy, Plan plan, TrainingMode madeFor,
               VersionDifference difference = VersionDifference::counted);

}  // namespace stagecraft::training
