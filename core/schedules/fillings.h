#pragma once

#include "core/base/indices.h"
#include "core/schedules/pass_board.h"

#include <optional>
#include <vector>

namespace stagecraft::schedules {

/// What a device may do where an order of forwards and input gradients leaves it waiting.
struct FillRules {
    bool forwardsOvertake = false;         ///< a forward may run before an input gradient that cannot yet
    bool gradientsOvertake = false;        ///< an input gradient before a forward that cannot yet
    bool weightsBeforeLimit = false;       ///< a weight gradient before the forward that reaches the limit
    bool weightsOnlyWhereTheyFit = false;  ///< none that would delay a pass whose input is known to arrive
    bool chunksOvertake = false;           ///< a pass of another stage before one of the same kind
};
/// All combinations; `chunks`, stages a device, says which differ.
std::vector<FillRules> fillRules(int chunks);

/// Orders that follow the forwards and input gradients of each rank as rules allow: the next pass runs if its
/// input is there and the device holds no more than its limit with it, else the oldest weight gradient does.
/// Rules often make the same order: each run notes which of them any of its decisions turned on, and others
/// that agree in those need not run.
class Fillings {
public:
    /// @param passes forwards and input gradients, by rank
    /// @param limitHalves by rank, in half microbatches of a stage
    Fillings(const ScheduleShape& shape, const DeviceOrders& passes, const std::vector<int>& limitHalves,
             PassBoard::Frees frees = PassBoard::Frees::half);

    /// @param longerThan, withinS a filling that is sure to be longer than that many units of its board, and
    /// to take as many seconds at least, is given up
    /// @return nothing if a device comes to a forward that never fits, if these rules make an order that was
    /// made or given up before, or if it is given up @throws Cancelled
    std::optional<PassBoard> filled(const FillRules& rules, double longerThan = infinity,
                                    double withinS = infinity);

private:
    class Run;
    /// A rank's passes of one kind on one stage.
    struct Queue {
        TaskKind kind = TaskKind::forward;
        int stage = 0;
        std::vector<int> entries = {};  ///< positions in the rank's order, ascending
    };
    struct Ran {
        unsigned rules = 0, turnedOn = 0;  ///< bits
    };

    const ScheduleShape& shape_;
    const std::vector<int>& limits_;
    PassBoard empty_;
    std::vector<std::vector<Queue>> queues_;  ///< by rank
    std::vector<double> workOfRank_;          ///< in units of the board
    std::vector<Ran> ran_;
};

}  // namespace stagecraft::schedules
