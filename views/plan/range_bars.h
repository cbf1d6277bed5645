#pragma once

#include "core/analysis/range_statistics.h"
#include "views/rooms.h"

#include <QTableWidget>

#include <vector>

namespace stagecraft::views::plan {

/// A stretch of a bar. Both ends are shares of the range that the bar is about.
struct RangeStretch {
    int kind = -1;  ///< BlockKind; -1: idle
    double from = 0, to = 0;
};

/// What a device does of a range of time, in the order of the kinds, and then that it is idle.
std::vector<RangeStretch> computeStretches(const DeviceRange& device);
/// Transfers, AllReduces and swaps in which it takes part, whatever it computes meanwhile; where several run
/// at a time they may be more than the range, and the bar ends there.
std::vector<RangeStretch> communicationStretches(const DeviceRange& device);

/// A bar for each device: what it computes for which part of a marked range, with a thin bar of what it moves
/// below. Numbers are in the tips.
class RangeBars : public QTableWidget {
    Q_OBJECT
public:
    explicit RangeBars(QWidget* parent = nullptr);

    void show(const RangeStatistics& range, const Cluster& cluster);
    const std::vector<DeviceRange>& devices() const { return devices_; }

private:
    std::vector<DeviceRange> devices_;  ///< by row
};

}  // namespace stagecraft::views::plan
