#include "core/runs/offered_families.h"

#include "core/model/vocabulary.h"
#include "core/runs/chosen_schedule.h"
#include "core/schedules/families.h"

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
