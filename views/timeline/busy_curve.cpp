#include "views/timeline/busy_curve.h"

#include <algorithm>

namespace stagecraft::views::timeline {

BusyCurve::BusyCurve(const Timeline& timeline, const std::vector<int>& lanes)
    : lanes_(static_cast<double>(lanes.size())) {
    std::vector<double> starts, ends;
    for (const int lane : lanes) {
        const Lane& it = timeline.lanes[static_cast<std::size_t>(lane)];
        starts.insert(starts.end(), timeline.startS.begin() + it.firstBlock,
                      timeline.startS.begin() + it.endBlock);
        ends.insert(ends.end(), timeline.endS.begin() + it.firstBlock, timeline.endS.begin() + it.endBlock);
    }
    std::sort(starts.begin(), starts.end());
    std::sort(ends.begin(), ends.end());
    int running = 0;
    for (std::size_t s = 0, e = 0; e < ends.size();) {
        const double timeS = s < starts.size() ? std::min(starts[s], ends[e]) : ends[e];
        const double before = timesS_.empty() ? 0 : busyS_.back() + running * (timeS - timesS_.back());
        timesS_.push_back(timeS);
        busyS_.push_back(before);
        for (; s < starts.size() && starts[s] == timeS; ++s) ++running;
        for (; e < ends.size() && ends[e] == timeS; ++e) --running;
    }
    index_ = TimeIndex(timesS_);
}

double BusyCurve::busyBefore(double timeS) const {
    const std::size_t next = index_.countBefore(timesS_, timeS);
    if (next == 0) return 0;
    if (next == timesS_.size()) return busyS_.back();
    const double part = (timeS - timesS_[next - 1]) / (timesS_[next] - timesS_[next - 1]);
    return busyS_[next - 1] + part * (busyS_[next] - busyS_[next - 1]);
}

double BusyCurve::share(double t0S, double t1S) const {
    return std::clamp((busyBefore(t1S) - busyBefore(t0S)) / ((t1S - t0S) * lanes_), 0.0, 1.0);
}

void BusyCurve::columnShares(double t0S, double columnS, int columns, std::vector<float>& shares) const {
    shares.resize(static_cast<std::size_t>(columns));
    double before = busyBefore(t0S);
    for (int c = 0; c < columns; ++c) {
        const double now = busyBefore(t0S + (c + 1) * columnS);
        shares[static_cast<std::size_t>(c)] =
            std::clamp(static_cast<float>((now - before) / (columnS * lanes_)), 0.0f, 1.0f);
        before = now;
    }
}

}  // namespace stagecraft::views::timeline
