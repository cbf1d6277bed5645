#pragma once

#include "core/base/rooms.h"

#include <string>

namespace stagecraft::base {

/// Numbers of one column, all in the unit of the largest of them, so that they can be compared at a glance:
/// "0.98 ms" beside "12.0 ms", not "980 µs". What is too small for that keeps its own unit.
std::string formatSecondsBeside(double seconds, double largestS);
std::string formatBytesBeside(double bytes, double largestBytes);

}  // namespace stagecraft::base
