#pragma once

#include "core/schedules/schedule_family.h"

namespace stagecraft::schedules {

/// 1F1B of input gradients. From the (rank+1)th on, each has the oldest weight gradient after it (Qi et al.,
/// ICLR 2024, Sec. 2.1).
DeviceOrders zeroBubbleH1Orders(const ScheduleShape& shape, const ScheduleParameters& parameters);

}  // namespace stagecraft::schedules
