#pragma once

#include "core/schedules/pass_board.h"

#include <optional>
#include <vector>

namespace stagecraft::schedules {

/// The times of orders that are complete; nothing if a device waits for itself.
std::optional<PassBoard> followed(const ScheduleShape& shape, const DeviceOrders& orders);

/// The better of two orders: the shorter makespan, or with the same the shorter longest wait of a device.
bool isBetter(const PassBoard& board, const PassBoard& than);
/// Keeps the better of what there is and a candidate.
void keepBetter(std::optional<PassBoard>& best, const std::optional<PassBoard>& candidate);

/// Its makespan in units of its board; of nothing infinity.
double makespanOf(const std::optional<PassBoard>& best);

/// What a search has found: the best, what has to be compared with it in any case, and the shortest of the
/// others.
class SearchedOrders {
public:
    void keep(const std::optional<PassBoard>& candidate);      ///< in any case
    void consider(const std::optional<PassBoard>& candidate);  ///< if it is among the shortest
    /// Of candidates that take as long or longer none is considered.
    double withinS() const;
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
