#pragma once

#include "core/model/cluster.h"

#include <string>

namespace stagecraft::app {

/// The catalogue's name of the GPU that most of the cluster's devices are; empty where none of them is known.
std::string usualGpu(const Cluster& cluster);

}  // namespace stagecraft::app
