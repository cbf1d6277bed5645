#include "core/analysis/alone_clock.h"

namespace stagecraft::analysis {

AloneClock::AloneClock(const Timeline& timeline, std::uint32_t block) : aloneS_(timeline.aloneS(block)) {
    stretches_.push_back({timeline.startS[block], timeline.startS[block], 1, 0});
    if (const SharedRun* run = timeline.sharedRunOf(block))
        for (const Pace& pace : timeline.pacesOf(*run)) {
            add(pace.fromS, 1);
            add(pace.toS, pace.rateBps / pace.aloneBps);
        }
    add(timeline.endS[block], 1);
}

void AloneClock::add(double toS, double speed) {
    const Stretch& last = stretches_.back();
    if (toS <= last.toS) return;
    if (last.toS > last.fromS && last.speed == speed)
        stretches_.back().toS = toS;
    else if (last.toS == last.fromS)
        stretches_.back() = {last.fromS, toS, speed, last.aloneS};
    else
        stretches_.push_back({last.toS, toS, speed, last.aloneAt(last.toS)});
}

double AloneClock::instantOf(double aloneS) const {
    for (const Stretch& each : stretches_)
        if (aloneS <= each.aloneAt(each.toS))
            return std::max(each.fromS, each.fromS + (aloneS - each.aloneS) / each.speed);
    return stretches_.back().toS;
}

}  // namespace stagecraft::analysis
