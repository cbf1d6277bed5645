#pragma once

#include "views/play/play_data.h"

#include <QFontMetricsF>
#include <QStringList>

namespace stagecraft::views::play {

/// What happens at an instant of a plan, in words for a line below its picture. In any thread.
class PlayWords {
public:
    explicit PlayWords(std::shared_ptr<const PlayData> data);

    /// "s0g1: backward of microbatch 3 · s0g2 idle, waits for forward of microbatch 4 on stage 1 · 2 more
    /// compute": what began last and who waits for what come first, and as much as `width` has room for.
    QString line(double timeS, const QFontMetricsF& metrics, double width) const;
    /// The same without end: a phrase for each lane that computes.
    QStringList phrases(double timeS) const;

private:
    struct LaneState {
        int lane = 0;
        std::uint32_t block = noBlock;  ///< that runs; noBlock: it is idle
    };
    std::vector<LaneState> statesAt(double timeS) const;
    QString phraseOf(const LaneState& state, double timeS) const;
    /// @param brief names the devices that it waits for, not their block
    QString idleText(int lane, double timeS, bool brief = false) const;
    QString waitedFor(std::uint32_t block, bool brief) const;
    bool isOver(double timeS) const;
    QString overText() const;

    std::shared_ptr<const PlayData> data_;
    std::vector<int> lanes_;  ///< that compute, in the order of the chart
};

}  // namespace stagecraft::views::play
