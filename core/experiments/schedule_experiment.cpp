#include "core/experiments/schedule_experiment.h"

#include "core/analysis/memory_lack.h"
#include "core/formats/files/problem_json.h"
#include "core/planners/schedule_search/tried_schedules.h"
#include "core/runs/chosen_schedule.h"
#include "core/runs/offered_families.h"
#include "core/schedules/families.h"

#include <nlohmann/json.hpp>

namespace stagecraft::experiments {

std::string baseOf(const Problem& problem) {
    nlohmann::ordered_json parts;
    addProblem(parts, {problem, {}, {}});
    return nlohmann::json::parse(parts.dump()).dump();
}

Experiment schedulesOverMicrobatches(const Problem& problem) {
    Experiment experiment;
    experiment.name = "Schedules over microbatches";
    experiment.about =
        "Stages of equal time, placed as each schedule has them: what the bubble costs as a mini-batch has "
        "more "
        "microbatches, and what that takes of memory. Schedules that do not apply have no result there.";
    experiment.base = baseOf(problem);
    for (const ScheduleFamily& family : scheduleFamilies()) {
        if (const std::string reason = whyNotForNetwork(family, problem.profile); !reason.empty()) {
            experiment.about += " Left out: " + reason + ".";
            continue;
        }
        experiment.planners.push_back({shortTitle(family),
                                       "schedule",
                                       {{planners::scheduleFamilyParameter, family.id},
                                        {planners::partitionParameter, planners::equalTimeStages}}});
    }
    Axis axis;
    axis.name = "microbatches";
    for (int times = 1; times <= 8; times *= 2) {
        const int microbatches = times * problem.cluster.deviceCount();
        const std::string text = std::to_string(microbatches);
        axis.values.push_back({text, double(microbatches), {{"/setup/microbatches", text}}});
    }
    experiment.axes.push_back(std::move(axis));
    experiment.metrics = {"bubble_fraction", "iteration_time_s"};
    if (saysMemory(problem.profile)) experiment.metrics.emplace_back("peak_memory_bytes");
    return experiment;
}

}  // namespace stagecraft::experiments
