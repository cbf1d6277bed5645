#include "core/planners/added_planners.h"

namespace stagecraft::planners {

/// A planner is a line here, in the order in which they are offered, and a source that defines
/// `std::unique_ptr<Planner> makeNAMEPlanner()`.
#define STAGECRAFT_PLANNERS(PLANNER) \
    PLANNER(Spp)                     \
    PLANNER(DataParallel)            \
    PLANNER(Gpipe)                   \
    PLANNER(PipeDream)               \
    PLANNER(Dapple)                  \
    PLANNER(HetPipe)                 \
    PLANNER(Xpipe)                   \
    PLANNER(Vpipe)                   \
    PLANNER(MadPipe)                 \
    PLANNER(Schedule)

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

const Planner* findPlanner(const std::string& id) {
    for (const std::unique_ptr<Planner>& planner : allPlanners())
        if (planner->description().id == id) return planner.get();
    return findAddedPlanner(id);
}

}  // namespace stagecraft::planners
