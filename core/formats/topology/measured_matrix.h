#pragma once

#include "core/base/rooms.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::formats {

/// What a program measured between the GPUs of one server, which it numbers.
struct MeasuredGpus {
    struct Pair {
        int a = 0;
        int b = 0;            ///< the greater of both
        double bps = 0;       ///< of the slower direction, bytes per second
        double latencyS = 0;  ///< 0: not measured
        std::string table;    ///< the title of the one that it is from
    };
    std::string tool;                  ///< as people call it
    std::vector<int> gpus;             ///< ascending
    std::map<int, std::string> names;  ///< of those that the text names
    std::vector<Pair> pairs;
    std::map<int, double> hostBps;  ///< with the host's memory, by GPU
};

/// nvbandwidth's tables. @throws InputError, also for a text without a bandwidth between GPUs
MeasuredGpus readNvbandwidthTables(std::string_view text, const std::string& file);
/// Those of p2pBandwidthLatencyTest. @throws InputError likewise
MeasuredGpus readP2pTables(std::string_view text, const std::string& file);

bool looksLikeNvbandwidth(std::string_view text);
bool looksLikeP2pTest(std::string_view text);

}  // namespace stagecraft::formats
