#pragma once

#include "core/schedules/schedule_family.h"

namespace stagecraft::schedules {

/// The hand-made orders of Qi et al. (ICLR 2024, Sec. 2): rank s of p warms up with warmUp (p - 1 - s)
/// forwards, then runs a forward and an input gradient in turn; from the (warmUp s + 1)th input gradient on
/// each has the oldest weight gradient after it, so that warmUp (p - 1) + 1 microbatches are in flight at
/// most on every rank. Twice 1F1B's warm-up makes ZB-H1 ZB-H2.
DeviceOrders handMadeOrders(const ScheduleShape& shape, int warmUp);

}  // namespace stagecraft::schedules
