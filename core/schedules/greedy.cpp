#include "core/schedules/schedule_family.h"

namespace stagecraft::schedules {

ScheduleFamily greedyFamily() {
    return {.id = "greedy", .title = "Greedy: whatever is ready, backward first", .streams = true};
}

}  // namespace stagecraft::schedules
