#pragma once

#include "views/timeline/chart_data.h"
#include "views/timeline/step_series.h"
#include "views/timeline/transfer_counts.h"

#include <QString>
#include <QStringList>

#include <memory>
#include <vector>

namespace stagecraft::views::resources {

/// The total on a link over time, from which the highest between two instants costs the same however much
/// is between them.
struct LinkPeaks {
    std::vector<double> timeS;
    StepSeries bps;

    LinkPeaks(std::vector<double> times, std::vector<double> totals)
        : timeS(std::move(times)), bps(timeS, std::move(totals)) {}
    LinkPeaks(const LinkPeaks&) = delete;
    LinkPeaks& operator=(const LinkPeaks&) = delete;
};

/// A link, one way, with what it carries; or several that carry the same at every instant.
struct LinkSeries {
    int index = 0;  ///< among linkUses of the plan
    LinkUse use;
    QStringList ways;   ///< "s0g0 → s0"
    QStringList names;  ///< the same said shorter and shorter
    double bytes = 0;   ///< in all
    std::array<double, loadKindCount> meanByKindBps{};
    double meanBps = 0;
    double peakBps = 0;
    double mostWantedBps = 0;  ///< the peak if each block went as fast as alone; more where links are shared
    std::shared_ptr<const LinkPeaks>
        peaks{};  ///< null where memory does not allow it, and of all but the busiest
    std::shared_ptr<const LinkPeaks> demand{};  ///< likewise; null, too, where links are not shared

    double shareOf(double bps) const { return use.bandwidthBps() > 0 ? bps / use.bandwidthBps() : 0; }
};

/// What the chart of links needs of a plan, so that a frame costs what its pixels cost. Made once, when links
/// are first looked at, off the GUI thread where it takes long; immutable.
struct LinkData {
    explicit LinkData(std::shared_ptr<const ChartData> chartData);

    std::shared_ptr<const ChartData> chart;
    std::vector<LinkSeries> links;  ///< the busiest first
    TransferCounts counts;

    const Timeline& timeline() const { return chart->timeline(); }
    /// Bytes per second by kind (loadKinds) at an instant.
    std::array<double, loadKindCount> bpsAt(std::size_t link, double timeS) const;
    /// The blocks that put something on the link then, in order of its sources.
    std::vector<std::uint32_t> blocksAt(std::size_t link, double timeS) const;
};

}  // namespace stagecraft::views::resources
