#include "core/planners/schedule_search/families_to_try.h"

#include "core/runs/chosen_schedule.h"
#include "core/runs/offered_families.h"
#include "core/schedules/families.h"

#include <algorithm>

namespace stagecraft::planners {

namespace {

/// With the group that plans have.
Stage everyLayer(const Problem& problem) {
    Stage all{0, problem.profile.layerCount() - 1, {}};
    all.group = problem.setup.group();
    return all;
}

}  // namespace

FamiliesToTry::FamiliesToTry(const Problem& problem, const std::vector<std::string>& only,
                             const std::vector<std::string>& without, int mostChunks) {
    const auto isIn = [](const std::vector<std::string>& ids, const ScheduleFamily& family) {
        return std::ranges::find(ids, family.id) != ids.end();
    };
    for (const ScheduleFamily& family : scheduleFamilies()) {
        const bool isNamed = isIn(only, family);
        if (!only.empty() && !isNamed) continue;
        std::string reason = whyNotForNetwork(family, problem.profile);
        bool isAsked = isNamed && !problem.profile.causalSequence.has_value();
        if (reason.empty()) {
            reason = whyNothingToHide(family, problem.profile, {everyLayer(problem)});
            isAsked = isNamed;
        }
        const bool isUnwanted = isIn(without, family);
        if (isUnwanted || (!reason.empty() && !isAsked)) {
            leftOut_.push_back(isUnwanted ? shortTitle(family) + ", as asked for" : reason);
            continue;
        }
        if (!reason.empty()) doubts_.push_back(reason);
        add(family, mostChunks);
    }
}

void FamiliesToTry::add(const ScheduleFamily& family, int mostChunks) {
    TriedSchedule tried;
    tried.family = family.id;
    if (family.placement != Placement::ring) {
        toTry_.push_back(std::move(tried));
        return;
    }
    for (tried.chunks = 2; tried.chunks <= mostChunks; ++tried.chunks) toTry_.push_back(tried);
}

}  // namespace stagecraft::planners
