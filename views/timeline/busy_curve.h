#pragma once

#include "views/timeline/busy_levels.h"

namespace stagecraft::views::timeline {

/// How busy several lanes are together between any two instants, at a cost that grows neither with their
/// number nor with that of their blocks.
class BusyCurve {
public:
    BusyCurve(const Timeline& timeline, const std::vector<int>& lanes);

    /// The part of the time of all lanes from t0S to t1S that is busy, from 0 to 1.
    double share(double t0S, double t1S) const;
    /// The same for columns as those of BusyLevels::columnShares.
    void columnShares(double t0S, double columnS, int columns, std::vector<float>& shares) const;

private:
    double busyBefore(double timeS) const;

    double lanes_;
    std::vector<double> timesS_;  ///< at which a block starts or ends, ascending
    std::vector<double> busyS_;   ///< of all lanes until then
    TimeIndex index_;
};

}  // namespace stagecraft::views::timeline
