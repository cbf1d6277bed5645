#pragma once

/// Each room of the house has a namespace of its name; those of views and app are in views/rooms.h and
/// app/rooms.h. A room sees those below it without naming them, and the compiler refuses it the others.
namespace stagecraft {
namespace base {}
namespace model {
using namespace base;
}
namespace graph {
using namespace model;
}
namespace editing {
using namespace graph;
}
namespace cost {
using namespace model;
}
namespace schedules {
using namespace cost;
}
namespace simulation {
using namespace schedules;
}
namespace weights {
using namespace simulation;
}
namespace memory {
using namespace weights;
}
namespace validation {
using namespace model;
}
namespace analysis {
using namespace memory;
using namespace validation;
using namespace editing;
}  // namespace analysis
namespace runs {
using namespace analysis;
}
namespace planners {
using namespace runs;
namespace vpipe {}
}  // namespace planners
namespace generation {
using namespace editing;
}
namespace formats {
using namespace generation;
using namespace schedules;
}  // namespace formats
namespace programs {
using namespace planners;
using namespace formats;
}  // namespace programs
namespace onnx {
using namespace formats;
using namespace generation;
}  // namespace onnx
namespace training {
using namespace weights;
using namespace generation;
}  // namespace training
namespace lessons {
using namespace programs;
}
namespace puzzles {
using namespace programs;
}
namespace experiments {
using namespace programs;
using namespace training;
}  // namespace experiments
namespace recordings {
using namespace programs;
}
namespace views {
using namespace recordings;
using namespace experiments;
using namespace lessons;
using namespace onnx;
using namespace puzzles;
}  // namespace views
namespace app {
using namespace views;
}
}  // namespace stagecraft
