#include "core/planners/data_parallel/data_parallel_planner.h"
#include "core/planners/gpipe/gpipe_planner.h"
#include "core/planners/hetpipe/hetpipe_planner.h"
#include "core/planners/madpipe/madpipe_planner.h"
#include "core/planners/pipedream/pipedream_planner.h"
#include "core/planners/planner.h"
#include "core/planners/spp/spp_planner.h"
#include "core/planners/vpipe/vpipe_planner.h"
#include "core/planners/xpipe/xpipe_planner.h"

namespace stagecraft {

const std::vector<std::unique_ptr<Planner>>& planners() {
    static const std::vector<std::unique_ptr<Planner>> all = [] {
        std::vector<std::unique_ptr<Planner>> list;
        list.push_back(makeSppPlanner());
        list.push_back(makeDataParallelPlanner());
        list.push_back(makeGpipePlanner());
        list.push_back(makePipeDreamPlanner());
        list.push_back(makeHetPipePlanner());
        list.push_back(makeXpipePlanner());
        list.push_back(makeVpipePlanner());
        list.push_back(makeMadPipePlanner());
        return list;
    }();
    return all;
}

}  // namespace stagecraft
