#pragma once

#include "core/schedules/device_orders.h"
#include "tests/support/every_room.h"

#include <map>
#include <string>
#include <vector>

namespace stagecraft::testing {

/// @throws std::invalid_argument if there is none of that name
const ScheduleFamily& familyOf(const std::string& id);

/// Equal passes on stages placed as the family wants them; `chunks` a rank for those on a ring.
ScheduleShape shapeFor(const ScheduleFamily& family, int ranks, int microbatches, int chunks = 2);

/// The orders of all ranks, whether the family orders devices or stages.
DeviceOrders ordersOf(const ScheduleFamily& family, const ScheduleShape& shape,
                      const ScheduleParameters& parameters = {});

/// What happens when every device follows its order and passes take the durations of their kind.
struct Course {
    double makespan = 0;
    std::vector<double> spanBubble, peak;  ///< by rank; peak in chunks, counted to the last backward task
    std::vector<double> peakInHalves;      ///< the same, each part of a split backward freeing one half
};

inline const std::map<TaskKind, double> equalPasses = {{TaskKind::forward, 1},
                                                       {TaskKind::backward, 2},
                                                       {TaskKind::inputGradient, 1},
                                                       {TaskKind::weightGradient, 1}};

/// Written for the tests alone: devices in turn, as far as each comes.
/// @param durations where the shape has no times
/// @param pairs how long a pair takes, by the stage of its forward; empty: as long as its passes
/// @throws std::runtime_error if devices wait for each other
Course runOf(const ScheduleShape& shape, DeviceOrders orders, const std::map<TaskKind, double>& durations,
             double transfer = 0, const std::vector<double>& pairs = {});

double worst(const std::vector<double>& values);

}  // namespace stagecraft::testing
