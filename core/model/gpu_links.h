#pragma once

#include "core/base/rooms.h"

#include <string>

namespace stagecraft::model {

// Bandwidth of one link between GPUs in one direction, in bytes per second, in two figures: what transfers
// reach, which NCCL, RCCL and the planners here assume, and what data sheets print (half of their figure for
// both directions). The former is about 0.8 of the latter. 0: not known.

/// One NVLink by the GPU's compute capability (70 is 7.0): the table of NCCL 2.30, src/graph/topo.h.
double reachedNvlinkBps(int computeCapability);
double dataSheetNvlinkBps(int computeCapability);

/// One xGMI link by the GPU's architecture, "gfx" left off: "90a", "942". The table of RCCL.
double reachedXgmiBps(const std::string& gfx);
double dataSheetXgmiBps(const std::string& gfx);

}  // namespace stagecraft::model
