#pragma once

#include "core/model/timeline.h"

#include <algorithm>
#include <vector>

namespace stagecraft::analysis {

/// How far a block that shared links (Timeline::sharedRuns) was at each instant, by the clock that it would
/// have alone: what it computes goes at speed 1, what it sends as fast as others let it. Of any other block
/// that is the time since its start.
class AloneClock {
public:
    AloneClock(const Timeline& timeline, std::uint32_t block);

    /// Seconds that it takes alone.
    double aloneS() const { return aloneS_; }
    /// When it was as far as it would be alone so many seconds after its start.
    double instantOf(double aloneS) const;
    /// `visit(fromS, toS, speed)` for each stretch of the time in which it went from the one to the other.
    template <typename Visit>
    void eachStretch(double fromAloneS, double toAloneS, Visit visit) const;

private:
    struct Stretch {
        double fromS = 0, toS = 0, speed = 1, aloneS = 0;  ///< the last at `fromS`
        double aloneAt(double atS) const { return aloneS + speed * (atS - fromS); }
    };
    void add(double toS, double speed);

    std::vector<Stretch> stretches_;  // without gaps
    double aloneS_ = 0;
};

// ---- inline ----

template <typename Visit>
void AloneClock::eachStretch(double fromAloneS, double toAloneS, Visit visit) const {
    for (const Stretch& each : stretches_) {
        const double endAloneS = each.aloneAt(each.toS);
        const double from = std::max(fromAloneS, each.aloneS), to = std::min(toAloneS, endAloneS);
        if (to <= from) continue;
        visit(from == each.aloneS ? each.fromS : each.fromS + (from - each.aloneS) / each.speed,
              to == endAloneS ? each.toS : each.fromS + (to - each.aloneS) / each.speed, each.speed);
    }
}

}  // namespace stagecraft::analysis
