#include "core/schedules/families.h"

#include <algorithm>

namespace stagecraft::schedules {

/// A family is a line here, in the order in which they are offered, and a source that defines
/// `ScheduleFamily NAMEFamily()`.
#define STAGECRAFT_SCHEDULE_FAMILIES(FAMILY) \
    FAMILY(gpipe)                            \
    FAMILY(oneForwardOneBackward)            \
    FAMILY(eagerOneForwardOneBackward)       \
    FAMILY(bpipe)                            \
    FAMILY(pipelineExecution)                \
    FAMILY(interleaved)                      \
    FAMILY(interleavedZeroBubble)            \
    FAMILY(oneForwardOneBackwardOverlap)     \
    FAMILY(interleavedOverlap)               \
    FAMILY(breadthFirst)                     \
    FAMILY(zeroBubbleH1)                     \
    FAMILY(zeroBubbleH2)                     \
    FAMILY(zeroBubbleSearch)                 \
    FAMILY(zeroBubbleV)                      \
    FAMILY(vHalf)                            \
    FAMILY(vMin)                             \
    FAMILY(chimera)                          \
    FAMILY(dualPipe)                         \
    FAMILY(dualPipeV)                        \
    FAMILY(seq1f1b)                          \
    FAMILY(vocabularyTwoBarriers)            \
    FAMILY(vocabularyOneBarrier)             \
    FAMILY(interlaced)                       \
    FAMILY(greedy)

#define STAGECRAFT_DECLARATION(name) ScheduleFamily name##Family();
STAGECRAFT_SCHEDULE_FAMILIES(STAGECRAFT_DECLARATION)
#undef STAGECRAFT_DECLARATION

const std::vector<ScheduleFamily>& scheduleFamilies() {
#define STAGECRAFT_ENTRY(name) name##Family(),
    static const std::vector<ScheduleFamily> families = {STAGECRAFT_SCHEDULE_FAMILIES(STAGECRAFT_ENTRY)};
#undef STAGECRAFT_ENTRY
    return families;
}

const ScheduleFamily* findScheduleFamily(const std::string& id) {
    const std::vector<ScheduleFamily>& all = scheduleFamilies();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const ScheduleFamily& family) { return family.id == id; });
    return found == all.end() ? nullptr : &*found;
}

bool cutsSequences(const ScheduleFamily& family) {
    return std::any_of(family.parameters.begin(), family.parameters.end(),
                       [](const Parameter& parameter) { return parameter.name == slicesParameter; });
}

bool sharesVocabulary(const ScheduleFamily& family) {
    return Schedule{FamilySchedule{family.id, {}}}.sharesVocabulary();
}

std::string scheduleFamilyIds() {
    std::string ids;
    const std::vector<ScheduleFamily>& all = scheduleFamilies();
    for (const ScheduleFamily& family : all)
        ids += (&family == &all.front() ? "" : &family == &all.back() ? " or " : ", ") + family.id;
    return ids;
}

}  // namespace stagecraft::schedules
