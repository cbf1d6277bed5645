#include "views/interconnect/bandwidth_scale.h"

#include "core/base/nice_steps.h"
#include "views/figures/colour_map.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stagecraft::views::interconnect {

BandwidthScale::BandwidthScale(double leastBps, double mostBps) : leastBps_(leastBps), mostBps_(mostBps) {}

BandwidthScale::BandwidthScale(const Interconnect& interconnect) {
    double least = std::numeric_limits<double>::infinity();
    for (int a = 0; a < interconnect.deviceCount(); ++a)
        for (int b = 0; b < a; ++b) {
            const double bandwidth = interconnect.bandwidthBps(a, b);
            unreachable_ = unreachable_ || !(bandwidth > 0);
            if (!(bandwidth > 0)) continue;
            least = std::min(least, bandwidth);
            mostBps_ = std::max(mostBps_, bandwidth);
        }
    leastBps_ = mostBps_ > 0 ? least : 0;
}

double BandwidthScale::position(double bandwidthBps) const {
    if (!(mostBps_ > leastBps_) || !(bandwidthBps > 0)) return 1;
    return std::clamp(std::log(bandwidthBps / leastBps_) / std::log(mostBps_ / leastBps_), 0.0, 1.0);
}

QColor BandwidthScale::colourAt(double position) { return sequentialColour(position); }

std::vector<double> BandwidthScale::ticks(int most) const {
    if (isEmpty()) return {};
    const double slack = 1 + 1e-9;
    const std::vector<double> found = logarithmicSteps(leastBps_, mostBps_, most);
    if (!found.empty() && static_cast<int>(found.size()) <= most) return found;
    if (mostBps_ > leastBps_ * slack && most > 1) return {leastBps_, mostBps_};
    return {mostBps_};
}

}  // namespace stagecraft::views::interconnect
