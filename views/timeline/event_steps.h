#pragma once

#include "views/timeline/chart_data.h"

#include <QString>

namespace stagecraft::views::timeline {

/// The instants at which a device begins a block or updates its weights, one after the other.
class EventSteps {
public:
    explicit EventSteps(std::shared_ptr<const ChartData> data) : data_(std::move(data)) {}

    /// The first event after `timeS`; the end of the timeline after the last.
    double after(double timeS) const;
    /// The last event before `timeS`; the first of all where there is none.
    double before(double timeS) const;
    /// The first event at `timeS` or later.
    double from(double timeS) const;
    /// Blocks that begin at an event, by the first stage of their lanes.
    std::vector<std::uint32_t> beginningAt(double timeS) const;
    /// "s0g1: forward of microbatch 3 of mini-batch 0 with version 0, predicted 2 updates ahead".
    QString text(std::uint32_t block) const;
    /// What happens at an event, one line per block.
    QStringList texts(double timeS) const;

private:
    std::shared_ptr<const ChartData> data_;
};

}  // namespace stagecraft::views::timeline
