#pragma once

#include "core/formats/measurements/measurements.h"

#include <string_view>

namespace stagecraft::formats {

bool looksLikeNcclTests(std::string_view text);
/// sendrecv_perf between two ranks is a pair, all else a group. Of all sizes, in place and out of place, the
/// best counts. @throws InputError
Measurements readNcclTests(std::string_view text, const std::string& file);

}  // namespace stagecraft::formats
