#pragma once

#include "core/experiments/measured/nvidia_run.h"

#include <span>
#include <vector>

namespace stagecraft::experiments {

/// A GPU with products of so many bits and what is around it, by a table's "gpu" and "precision".
struct NvidiaMachine {
    const char *gpu, *precision;
    const char* name;     ///< of the catalogue
    const char* machine;  ///< of the cluster templates
    int gpusOfMachine;
    CalibratedShares shares;
};

/// Runs that NVIDIA published as a table.
struct NvidiaTable {
    std::string set;       ///< id, and name of the file: "nemo" of measured/published/nemo.csv
    std::string measured;  ///< column
    MeasuredQuantity quantity = MeasuredQuantity::iterationS;
    std::span<const NvidiaMachine> machines;
    /// The rows that the machines' shares of products are chosen by.
    bool (*isCalibratedOn)(const NvidiaRun&) = nullptr;
};

std::vector<MeasuredRow> measuredNvidiaRows(const NvidiaTable& table);
/// One of each machine.
std::vector<RowCalibration> nvidiaCalibrations(const NvidiaTable& table);

}  // namespace stagecraft::experiments
