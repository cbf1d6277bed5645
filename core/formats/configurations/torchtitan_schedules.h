#pragma once

#include "core/base/rooms.h"

namespace stagecraft::formats {

/// A schedule as PyTorch names it (torch.distributed.pipelining, get_schedule_class), and its family.
struct TitanSchedule {
    const char* name;
    const char* family;
};
inline constexpr TitanSchedule titanSchedules[] = {{"1F1B", "1f1b"},
                                                   {"GPipe", "gpipe"},
                                                   {"Interleaved1F1B", "interleaved"},
                                                   {"LoopedBFS", "breadth-first"},
                                                   {"InterleavedZeroBubble", "interleaved-zb"},
                                                   {"ZBVZeroBubble", "zb-v"},
                                                   {"DualPipeV", "dualpipe-v"}};
/// Those whose order is in a file beside; of one and of several stages on a rank.
inline constexpr TitanSchedule titanFileSchedules[] = {{"PipelineScheduleSingle", "1f1b"},
                                                       {"PipelineScheduleMulti", "interleaved"}};

}  // namespace stagecraft::formats
