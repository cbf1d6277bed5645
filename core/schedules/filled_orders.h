#pragma once

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

/// Orders that follow `passes`, the forwards and input gradients of each rank, as those rules allow: the next
/// pass runs if its input is there and the device holds no more than its limit with it, else the oldest
/// weight gradient does.
/// @param limitHalves by rank, in half microbatches of a stage
/// @return nothing if a device comes to a forward that never fits
std::optional<PassBoard> filled(const ScheduleShape& shape, const DeviceOrders& passes,
                                const std::vector<int>& limitHalves, const FillRules& rules,
                                PassBoard::Frees frees = PassBoard::Frees::half);

/// The times of orders that are complete; nothing if a device waits for itself.
std::optional<PassBoard> followed(const ScheduleShape& shape, const DeviceOrders& orders);

/// The better of two orders: the shorter makespan, or with the same the shorter longest wait of a device.
bool isBetter(const PassBoard& board, const PassBoard& than);
/// Keeps the better of what there is and a candidate.
void keepBetter(std::optional<PassBoard>& best, const std::optional<PassBoard>& candidate);

/// What a search has found: the best, what has to be compared with it in any case, and the shortest of the
/// others.
class SearchedOrders {
public:
    void keep(const std::optional<PassBoard>& candidate);      ///< in any case
    void consider(const std::optional<PassBoard>& candidate);  ///< if it is among the shortest
    /// @param best comes first
    std::vector<FoundOrders> take(PassBoard best);

private:
    struct Entry {
        double makespanS, span;
        DeviceOrders orders;
    };
    static Entry entryOf(const PassBoard& board);
    bool isKnown(const PassBoard& board) const;

    std::vector<Entry> kept_, others_;  ///< others_: ascending by makespan
};

}  // namespace stagecraft::schedules
