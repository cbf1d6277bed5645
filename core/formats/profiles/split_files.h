#pragma once

#include "core/formats/profiles/import.h"

#include <map>
#include <string>
#include <vector>

namespace stagecraft::formats {

/// A split of dnn-partitioning: which accelerator each node is on, in the order of the file.
struct AcceleratorSplit {
    std::map<long long, int> acceleratorOf;  ///< by node id
    std::string why;                         ///< a clause, if it is no division over accelerators
};
/// @throws InputError
AcceleratorSplit readAcceleratorSplit(std::string_view text, const std::string& file);

/// A hybrid_conf.json of PipeDream: how many ranks each stage has. Which nodes a stage holds it says by
/// generated modules, which a graph does not name. @throws InputError
std::vector<int> readPipeDreamConf(std::string_view text, const std::string& file);

}  // namespace stagecraft::formats
