#pragma once

#include "core/base/rooms.h"

#include <string>

namespace stagecraft::model {

// One link between GPUs, one way, in bytes per second (10^9 a GB), in two figures that differ by about 0.8:
// what transfers reach, which is what NCCL and RCCL plan with and what planning here uses, and what data
// sheets print (half of their figure for both ways). 0: not known.

/// One NVLink by the GPU's compute capability (70 is 7.0): the table of NCCL 2.30, src/graph/topo.h.
double reachedNvlinkBps(int computeCapability);
double dataSheetNvlinkBps(int computeCapability);

/// One xGMI link by the GPU's architecture, "gfx" left off: "90a", "942". The table of RCCL.
double reachedXgmiBps(const std::string& gfx);
double dataSheetXgmiBps(const std::string& gfx);

}  // namespace stagecraft::model
