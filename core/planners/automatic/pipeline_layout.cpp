#include "core/planners/automatic/pipeline_layout.h"

#include "core/base/counted.h"
#include "core/base/spelling.h"
#include "core/cost/state_bytes.h"
#include "core/cost/update_cost.h"

namespace stagecraft::planners {

namespace {

std::string copiesText(const PipelineLayout& layout) {
    if (layout.sizes.empty()) return std::to_string(layout.copies);
    std::vector<std::string> sizes;
    for (const int size : layout.sizes) sizes.push_back(std::to_string(size));
    return joinNames(sizes, " + ");
}

}  // namespace

std::string layoutText(const PipelineLayout& layout) {
    const Group& group = layout.group;
    std::string text;
    if (group.tensor > 1)
        text += "tensor " + std::to_string(group.tensor) +
                (group.sequenceParallel ? " with sequence parallelism" : "") + " × ";
    if (group.context > 1) text += "context " + std::to_string(group.context) + " × ";
    text += "pipeline " + std::to_string(layout.ranks) + " × data " + copiesText(layout);
    if (group.expert > 1) text += ", experts on " + std::to_string(group.expert);
    if (layout.zero != ZeroStage::off) text += ", ZeRO-" + std::to_string(static_cast<int>(layout.zero));
    text += "; " + counted(layout.microbatches, "microbatch", "microbatches") + " of " +
            counted(layout.samples, "sample");
    return text + (layout.copies > 1 ? " on each copy" : layout.sizes.empty() ? "" : " in all");
}

LayoutStates::LayoutStates(const Problem& problem, const PipelineLayout& layout) {
    Problem own;
    own.setup = problem.setup;
    own.setup.zero = layout.zero;
    own.profile.elementBytes = problem.profile.elementBytes;
    const double holders = layout.devicesOfRank();
    dense_ = StateBytes(own, holders / layout.group.tensor).withVersions(1);
    ofExperts_ = StateBytes(own, holders / layout.group.expert).withVersions(1);
    if (!(own.setup.updateBytesPerS > 0) || own.setup.mode != TrainingMode::synchronous) return;
    const double eachS = cost::updateBytesOfEach(own) / own.setup.updateBytesPerS;
    const bool isShared = layout.zero != ZeroStage::off;
    denseUpdateS_ = eachS / (isShared ? holders / layout.group.tensor : 1);
    expertUpdateS_ = eachS / (isShared ? holders / layout.group.expert : 1);
}

}  // namespace stagecraft::planners
