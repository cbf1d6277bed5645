#pragma once

#include "core/base/rooms.h"

#include <string>
#include <vector>

namespace stagecraft::formats {

/// One end of what was measured: a GPU of a host by its number, or the host itself.
struct MeasuredEnd {
    std::string host;  ///< empty: the text names none
    int gpu = -1;      ///< as the host numbers them; -1: not said
    bool operator==(const MeasuredEnd&) const = default;
};

struct MeasuredPair {
    MeasuredEnd a, b;
    double bps = 0;       ///< one way, bytes per second; 0: not measured
    double latencyS = 0;  ///< 0: not measured
};

/// One number for all GPUs of a group: the bus bandwidth of a collective operation.
struct MeasuredGroup {
    std::vector<MeasuredEnd> ends;
    std::string operation;  ///< "all_reduce"
    double busBps = 0;
};

/// What a program measured on a machine, to be put beside what is known of its links.
struct Measurements {
    std::string tool;  ///< as people call it: "nvbandwidth"
    std::vector<MeasuredPair> pairs;
    std::vector<MeasuredGroup> groups;
    std::vector<std::string> gpuNames;  ///< as the text calls the GPUs, each name once
    std::vector<std::string> ignored;   ///< what it holds beyond that, a sentence each
};

}  // namespace stagecraft::formats
