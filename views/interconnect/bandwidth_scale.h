#pragma once

#include "core/cost/interconnect.h"
#include "views/rooms.h"

#include <QColor>

#include <vector>

namespace stagecraft::views::interconnect {

/// Colours for bandwidths on a logarithmic scale: from dark blue to yellow with steadily growing lightness,
/// so that it can be read in grey and by people who see few colours. The same in both themes.
class BandwidthScale {
public:
    BandwidthScale() = default;
    /// Spans the bandwidths between different devices; pairs without a path do not count.
    explicit BandwidthScale(const Interconnect& interconnect);
    BandwidthScale(double leastBps, double mostBps);

    double leastBps() const { return leastBps_; }
    double mostBps() const { return mostBps_; }
    bool isEmpty() const { return !(mostBps_ > 0); }
    bool hasUnreachable() const { return unreachable_; }

    /// 0 to 1; 1 where all bandwidths are alike.
    double position(double bandwidthBps) const;
    QColor colour(double bandwidthBps) const { return colourAt(position(bandwidthBps)); }
    static QColor colourAt(double position);
    /// Round bandwidths of the span with a label each: 1, 2, 5, 10, … in so fine a step that there are no
    /// more than `most`, at least one.
    std::vector<double> ticks(int most) const;

private:
    double leastBps_ = 0;
    double mostBps_ = 0;
    bool unreachable_ = false;
};

}  // namespace stagecraft::views::interconnect
