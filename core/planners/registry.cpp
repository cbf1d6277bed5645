#include "core/planners/planner.h"

namespace stagecraft::planners {

/// A planner is a line here, in the order in which they are offered, and a source that defines
/// `std::unique_ptr<Planner> makeNAMEPlanner()`.
#define STAGECRAFT_PLANNERS(PLANNER) \
    PLANNER(Spp)                     \
    PLANNER(DataParallel)            \
    PLANNER(Gpipe)                   \
    PLANNER(PipeDream)               \
    PLANNER(HetPipe)                 \
    PLANNER(Xpipe)                   \
    PLANNER(Vpipe)                   \
    PLANNER(MadPipe)

#define STAGECRAFT_DECLARATION(name) std::unique_ptr<Planner> make##name##Planner();
STAGECRAFT_PLANNERS(STAGECRAFT_DECLARATION)
#undef STAGECRAFT_DECLARATION

const std::vector<std::unique_ptr<Planner>>& allPlanners() {
    static const std::vector<std::unique_ptr<Planner>> all = [] {
        std::vector<std::unique_ptr<Planner>> list;
#define STAGECRAFT_ENTRY(name) list.push_back(make##name##Planner());
        STAGECRAFT_PLANNERS(STAGECRAFT_ENTRY)
#undef STAGECRAFT_ENTRY
        return list;
    }();
    return all;
}

}  // namespace stagecraft::planners
