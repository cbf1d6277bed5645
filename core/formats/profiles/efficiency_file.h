#pragma once

#include "core/generation/measured_efficiencies.h"

#include <string>
#include <string_view>

namespace stagecraft::formats {

/// A system file of SimuMax: shares of a peak that matrix products, attention and grouped products were
/// measured to reach by their shapes, and of the memory's bandwidth. What it says of networks and of FP8 is
/// not read. @throws InputError
MeasuredEfficiencies readEfficiencies(std::string_view text, const std::string& file);
/// Of a file, as generated profiles take it (EfficiencyReader). @throws InputError
MeasuredEfficiencies readEfficiencyFile(const std::string& path);

}  // namespace stagecraft::formats
