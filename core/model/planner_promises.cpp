#include "core/model/planner_promises.h"

namespace stagecraft::model {

namespace {

// SPP uses every device by MODEL.md section 5, data parallelism by definition. DAPPLE's plans here do,
// but those of its own programs can be in files.
constexpr PlannerPromises promises[] = {{"spp", true, true},       {"data-parallel", true, false},
                                        {"gpipe", false, true},    {"pipedream", false, true},
                                        {"hetpipe", false, true},  {"dapple", false, true},
                                        {"xpipe", false, false},   {"vpipe", false, false},
                                        {"madpipe", false, false}, {"schedule", false, false}};

}  // namespace

const PlannerPromises* promisesOf(std::string_view planner) {
    for (const PlannerPromises& each : promises)
        if (planner == each.planner) return &each;
    return nullptr;
}

}  // namespace stagecraft::model
