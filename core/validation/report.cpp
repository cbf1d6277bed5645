#include "core/validation/report.h"

#include "core/base/counted.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace stagecraft::validation {

namespace {

std::string digits(double value) {
    char buffer[40];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, 9).ptr;
    return std::string(buffer, end);
}

}  // namespace

double slackAt(double seconds) { return 1e-12 + 1e-11 * std::fabs(seconds); }

double roundingOf(const Timeline& timeline) {
    constexpr double unit = 1.0 / (1LL << 52);
    double blocks = 50;  // for durations, which are sums over layers
    for (const Lane& lane : timeline.lanes) blocks = std::max(blocks, 50.0 + lane.blockCount());
    return 2 * unit * blocks;
}

std::string seconds(double value) { return digits(value) + " s"; }

std::string bytes(double value) {
    const bool whole = std::fabs(value) < 1e15 && value == std::floor(value);
    return whole ? counted(static_cast<long long>(value), "byte") : digits(value) + " bytes";
}

std::string deviceNames(const Problem& problem, const std::vector<int>& devices) {
    constexpr std::size_t shown = 4;
    std::string text = devices.size() == 1 ? "device " : "devices ";
    for (std::size_t i = 0; i < devices.size() && i < shown; ++i) {
        if (i > 0) text += ", ";
        const int device = devices[i];
        text += device >= 0 && device < problem.cluster.deviceCount()
                    ? problem.cluster.devices[static_cast<std::size_t>(device)].id
                    : std::to_string(device);
    }
    if (devices.size() > shown) text += " and " + std::to_string(devices.size() - shown) + " more";
    return text;
}

std::string blockName(const Problem& problem, const Timeline& timeline, std::uint32_t block) {
    const Lane& lane = timeline.lanes[static_cast<std::size_t>(timeline.laneOf(block))];
    return describeBlock(timeline, block) + " (iteration " + std::to_string(timeline.iteration[block]) +
           ", " + deviceNames(problem, lane.devices) + ")";
}

}  // namespace stagecraft::validation
