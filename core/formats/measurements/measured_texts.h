#pragma once

#include "core/formats/measurements/measurements.h"

#include <string>
#include <string_view>

namespace stagecraft::formats {

/// Whether it is a text of nvbandwidth, p2pBandwidthLatencyTest, nccl-tests (also as of RCCL), or OSU's
/// osu_bw, osu_bibw and osu_latency.
bool looksLikeMeasurements(std::string_view text);
/// Of those, whether it says nothing but rates: it is no description of a machine.
bool areMeasurementsAlone(std::string_view text);

/// @throws InputError
Measurements readMeasurements(std::string_view text, const std::string& file);

}  // namespace stagecraft::formats
