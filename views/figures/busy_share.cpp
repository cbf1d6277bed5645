#include "views/figures/busy_share.h"

#include <algorithm>

namespace stagecraft::views::figures {

std::pair<std::uint32_t, std::uint32_t> visibleBlocks(const Timeline& timeline, int lane, double fromS,
                                                      double toS) {
    const Lane& l = timeline.lanes[static_cast<std::size_t>(lane)];
    // A lane's blocks are sorted by start and do not overlap, so their ends are sorted too.
    const auto first =
        std::upper_bound(timeline.endS.begin() + l.firstBlock, timeline.endS.begin() + l.endBlock, fromS);
    const auto end =
        std::lower_bound(timeline.startS.begin() + l.firstBlock, timeline.startS.begin() + l.endBlock, toS);
    const auto from = static_cast<std::uint32_t>(first - timeline.endS.begin());
    return {from, std::max(from, static_cast<std::uint32_t>(end - timeline.startS.begin()))};
}

BusyShare busyShare(const Timeline& timeline, int lane, double fromS, double toS, int columns,
                    const BlockClasses& classes) {
    const std::span<const std::uint8_t> classOf = classes.column(timeline);
    BusyShare share;
    const double widthS = (toS - fromS) / columns;
    const auto [first, end] = visibleBlocks(timeline, lane, fromS, toS);
    for (std::uint32_t block = first; block < end; ++block) {
        std::vector<double>& row = share[classOf[block]];
        row.resize(static_cast<std::size_t>(columns));
        const double start = (std::max(timeline.startS[block], fromS) - fromS) / widthS;
        const double stop = (std::min(timeline.endS[block], toS) - fromS) / widthS;
        for (int c = static_cast<int>(start); c < columns && c < stop; ++c)
            row[static_cast<std::size_t>(c)] += std::min<double>(c + 1, stop) - std::max<double>(c, start);
    }
    for (std::vector<double>& row : share) row.resize(static_cast<std::size_t>(columns));
    return share;
}

}  // namespace stagecraft::views::figures
