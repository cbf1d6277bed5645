#pragma once

#include "core/generation/measured_efficiencies.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::experiments {

/// A file of samples/, which the build compiles in so that the program finds it wherever it is installed.
/// @param name its path in there, "measured/published/vtrain-multi.csv"
/// @throws std::out_of_range if it is none of them
std::string_view measuredData(const std::string& name);

/// A table of them: for each row its cells by the names of the first line.
using MeasuredCells = std::map<std::string, std::string>;
std::vector<MeasuredCells> measuredTable(const std::string& name);

/// Of a system file among them, as generated profiles take it (EfficiencyReader).
MeasuredEfficiencies measuredEfficiencies(const std::string& name);

}  // namespace stagecraft::experiments
