#include "samples.h"

#include "core/generation/cluster_templates.h"
#include "core/generation/generated_profile.h"
#include "core/planners/planner.h"

#include <stdexcept>

namespace stagecraft {

namespace {

/// The own search alone, which does not ask the clock.
Plan planBy(const Problem& problem, const std::string& allocation, const std::string& name) {
    const CostModel costs(problem);
    PlanningResult result = runPlanner(*findPlanner("madpipe"), costs,
                                       {{"allocation", allocation}, {"solver", std::string("own")}});
    if (result.status != PlanStatus::ok) throw std::runtime_error("no sample plan: " + result.reason);
    result.plan.name = name;
    return result.plan;
}

}  // namespace

/// A cell of Fig. 6's grid in which sharing a GPU pays: 4 GPUs of 12 GB at 12 GB/s.
Project madPipeResNet50() {
    Project project;
    project.name = "ResNet-50 at 1000×1000 within 12 GB a GPU (MadPipe, Sec. 5)";
    Problem& problem = project.problem;
    problem.profile = generatedProfile("resnet-50", {{"image_size", 1000}, {"microbatch_size", 8}});
    problem.cluster = switchedCluster({.name = "4 GPUs joined at 12 GB/s (MadPipe, Sec. 5)",
                                       .gpusPerServer = 4,
                                       .gpu = *findGpu("V100-SXM2-16GB"),
                                       .intraServerBps = 12e9});
    problem.setup = {.microbatches = 8, .mode = TrainingMode::asynchronous, .memoryLimitBytes = 12e9};
    project.plans = {planBy(problem, "madpipe", ""),
                     planBy(problem, "contiguous", "1F1B* on the best contiguous stages"),
                     planBy(problem, "pipedream", "1F1B* on PipeDream's stages")};
    return project;
}

}  // namespace stagecraft
