#pragma once

#include "app/rooms.h"
#include "core/formats/files/project_file.h"

#include <optional>
#include <vector>

namespace stagecraft::app::start {

/// One of the problems of MadPipe's Sec. 5 on ResNet-50: so many GPUs, so far apart, with so much memory.
struct MadPipeCell {
    int gpus = 0;
    double linkBps = 0;
    double memoryBytes = 0;             ///< of each GPU
    std::optional<double> samplesPerS;  ///< of MadPipe's plan; none: nothing fits
};

/// Those that travel with the program as a table, in its order. Read once.
const std::vector<MadPipeCell>& madPipeCells();

/// The sample of MadPipe with another cluster and limit, and without plans.
Project madPipeProject(const MadPipeCell& cell);

}  // namespace stagecraft::app::start
