#include "core/runs/offered_families.h"

#include "core/base/indices.h"
#include "core/model/vocabulary.h"
#include "core/runs/chosen_schedule.h"
#include "core/schedules/families.h"
#include "core/schedules/family_parameters.h"

#include <algorithm>
#include <stdexcept>

namespace stagecraft::runs {

std::string whyNotForNetwork(const ScheduleFamily& family, const LayerProfile& profile) {
    if (sharesVocabulary(family)) {
        const std::string why = whyNoVocabulary(profile);
        return why.empty() ? why : shortTitle(family) + " shares the output layer out; " + why;
    }
    if (!cutsSequences(family) || profile.causalSequence.value_or(false)) return {};
    const std::string network = profile.name.empty() ? "the network" : profile.name;
    const std::string need =
        shortTitle(family) + " needs causal sequences, whose slices can go one after the other; ";
    return need + (profile.causalSequence ? network + " has none"
                                          : "the profile of " + network +
                                                " does not say that its samples are (causal_sequence)");
}

std::string whyNothingToHide(const ScheduleFamily& family, const LayerProfile& profile,
                             const std::vector<Stage>& stages) {
    if (!hidesExperts(family)) return {};
    const auto sends = [&](const Stage& stage) {
        for (int layer = stage.firstLayer; stage.group.expert > 1 && layer <= stage.lastLayer; ++layer) {
            const auto& division = profile.layers[at(layer)].division;
            if (division && division->routedBytes > 0) return true;
        }
        return false;
    };
    if (std::ranges::any_of(stages, sends)) return {};
    return shortTitle(family) + " hides what is sent to experts; no stage shares experts out among its GPUs";
}

std::string whyNotForStages(const ScheduleFamily& family, const Plan& plan) {
    if (family.placement != Placement::ring) return {};
    try {
        const ScheduleShape shape = shapeOf(plan.stages, 1);
        if (shape.chunks() >= 2 || !whyNotPlaced(shape, family.placement).empty()) return {};
    } catch (const std::invalid_argument&) {
        return {};  // evaluating the plan says why
    }
    return "needs at least 2 stages on each device; the plan has 1";
}

}  // namespace stagecraft::runs
