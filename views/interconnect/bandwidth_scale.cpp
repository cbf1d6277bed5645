#include "views/interconnect/bandwidth_scale.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace stagecraft {

namespace {

/// Nine stops of the viridis map (van der Walt and Smith, in the public domain).
constexpr std::array<QRgb, 9> stops = {0xFF440154, 0xFF472D7B, 0xFF3B528B, 0xFF2C728E, 0xFF21918C,
                                       0xFF28AE80, 0xFF5EC962, 0xFFADDC30, 0xFFFDE725};

}  // namespace

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

QColor BandwidthScale::colourAt(double position) {
    const double place = std::clamp(position, 0.0, 1.0) * (stops.size() - 1);
    const std::size_t below = std::min(static_cast<std::size_t>(place), stops.size() - 2);
    const double share = place - static_cast<double>(below);
    const auto mix = [&](int (*part)(QRgb)) {
        return static_cast<int>(
            std::lround(part(stops[below]) + share * (part(stops[below + 1]) - part(stops[below]))));
    };
    return {mix(qRed), mix(qGreen), mix(qBlue)};
}

std::vector<double> BandwidthScale::ticks(int most) const {
    if (isEmpty()) return {};
    const double slack = 1 + 1e-9;
    for (const std::vector<double>& steps : {std::vector<double>{1, 2, 5}, {1, 3}, {1}}) {
        std::vector<double> found;
        for (double decade = std::pow(10, std::floor(std::log10(leastBps_))); decade <= mostBps_;
             decade *= 10)
            for (const double step : steps)
                if (step * decade * slack >= leastBps_ && step * decade <= mostBps_ * slack)
                    found.push_back(step * decade);
        if (!found.empty() && static_cast<int>(found.size()) <= most) return found;
    }
    if (mostBps_ > leastBps_ * slack && most > 1) return {leastBps_, mostBps_};
    return {mostBps_};
}

}  // namespace stagecraft
