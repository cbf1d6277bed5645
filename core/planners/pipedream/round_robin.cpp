#include "core/planners/pipedream/round_robin.h"

#include "core/schedules/warm_up.h"

namespace stagecraft {

ExplicitSchedule roundRobinOrders(const std::vector<Stage>& stages, int microbatches) {
    ExplicitSchedule schedule;
    int devicesFromHere = 0;
    for (int index = static_cast<int>(stages.size()) - 1; index >= 0; --index) {
        const std::vector<int>& devices = stages[static_cast<std::size_t>(index)].devices;
        const int replicas = static_cast<int>(devices.size());
        devicesFromHere += replicas;
        const int inFlight = (devicesFromHere + replicas - 1) / replicas;
        for (int replica = 0; replica < replicas; ++replica) {
            std::vector<Task>& order = schedule.orders[devices[static_cast<std::size_t>(replica)]];
            const int own = (microbatches - replica + replicas - 1) / replicas;
            for (const StageOp& op : warmUpOrder(inFlight - 1, own))
                order.push_back({op.kind, index, replica + op.microbatch * replicas});
        }
    }
    return schedule;
}

}  // namespace stagecraft
