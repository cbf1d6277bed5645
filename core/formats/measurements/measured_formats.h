#pragma once

#include "core/formats/measurements/measurements.h"

#include <string_view>

namespace stagecraft::formats {

bool looksLikeNcclTests(std::string_view text);
/// sendrecv_perf between two ranks is a pair, all else a group. Of all sizes, in place and out of place, the
/// best counts. @throws InputError
Measurements readNcclTests(std::string_view text, const std::string& file);

bool looksLikeOsuTables(std::string_view text);
/// One pair, whose ends such a text does not name: the best bandwidth of all sizes, or half of that of both
/// directions, and the latency of the smallest message. @throws InputError
Measurements readOsuTables(std::string_view text, const std::string& file);

}  // namespace stagecraft::formats
