#include "samples.h"

#include "core/generation/cluster_templates.h"
#include "core/generation/generated_profile.h"
#include "core/planners/planned_run.h"
#include "tests/support/every_room.h"

#include <iomanip>
#include <sstream>

namespace stagecraft {

namespace {

/// The own search alone, which does not ask the clock.
PlanningResult madPipe(const Problem& problem, const std::string& allocation) {
    return runPlanner(*findPlanner("madpipe"), CostModel(problem),
                      {{"allocation", allocation}, {"solver", std::string("own")}});
}

/// ResNet-50 on GPUs that are joined at that many GB/s, each with that many GB.
Problem resNet50(int gpus, int rate, int memory) {
    constexpr double gigabyte = 1e9;
    Problem problem;
    problem.profile = generatedProfile("resnet-50", {{"image_size", 1000}, {"microbatch_size", 8}});
    problem.cluster = switchedCluster(
        {.name = std::to_string(gpus) + " GPUs joined at " + std::to_string(rate) + " GB/s (MadPipe, Sec. 5)",
         .gpusPerServer = gpus,
         .gpu = *findGpu("V100-SXM2-16GB"),
         .intraServerBps = rate * gigabyte});
    problem.setup = {
        .microbatches = 8, .mode = TrainingMode::asynchronous, .memoryLimitBytes = memory * gigabyte};
    return problem;
}

}  // namespace

/// A cell of the grid below in which sharing a GPU pays.
Project madPipeResNet50() {
    Project project;
    project.name = "ResNet-50 at 1000×1000 within 12 GB per GPU (MadPipe, Sec. 5)";
    project.problem = resNet50(4, 12, 12);
    const Problem& problem = project.problem;
    addPlan(project, madPipe(problem, "madpipe"));
    addPlan(project, madPipe(problem, "contiguous"), "1F1B* on the best contiguous stages");
    addPlan(project, madPipe(problem, "pipedream"), "1F1B* on PipeDream's stages");
    return project;
}

std::string madPipeGrid() {
    std::ostringstream table;
    table << "gpus,link_gb_per_s,memory_gb,samples_per_s\n" << std::setprecision(5);
    for (const int rate : {12, 24})
        for (int gpus = 2; gpus <= 8; ++gpus)
            for (const int memory : {3, 4, 5, 6, 7, 8, 10, 12, 14, 16}) {
                table << gpus << "," << rate << "," << memory << ",";
                const PlanRun run = runAndEvaluate(
                    *findPlanner("madpipe"), std::make_shared<const CostModel>(resNet50(gpus, rate, memory)),
                    {{"solver", std::string("own")}});
                if (run.ok()) table << run.evaluation->metrics.throughputSamplesPerS;
                table << "\n";
            }
    return table.str();
}

}  // namespace stagecraft
