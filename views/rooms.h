#pragma once

#include "core/base/rooms.h"

/// The rooms of views, each with a namespace of its name, as core's have. All know core; of each other they
/// see those that they name here, which are those that views/CMakeLists.txt links.
namespace stagecraft::views {
namespace common {}
namespace figures {
using namespace common;
}
namespace plot {
using namespace common;
using namespace figures;
}  // namespace plot
namespace topology {
using namespace common;
using namespace figures;
}  // namespace topology
namespace profile {
using namespace plot;
}
namespace timeline {
using namespace plot;
}
namespace resources {
using namespace timeline;
}
namespace plan {
using namespace resources;
}
namespace compare {
using namespace plot;
}
namespace training {
using namespace plot;
}
namespace vpipe {
using namespace plot;
}
namespace interconnect {
using namespace common;
using namespace figures;
}  // namespace interconnect
namespace pattern {
using namespace common;
using namespace figures;
}  // namespace pattern
namespace pareto {
using namespace plot;
}
namespace strip {
using namespace common;
}
namespace puzzles {
using namespace common;
}
namespace experiments {
using namespace common;
using namespace figures;
}  // namespace experiments
namespace stack {
using namespace plan;
}
namespace play {
using namespace plan;
using namespace topology;
}  // namespace play
}  // namespace stagecraft::views
