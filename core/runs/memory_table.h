#pragma once

#include "core/memory/memory.h"
#include "core/runs/plan_run.h"

#include <array>
#include <string>
#include <vector>

namespace stagecraft::runs {

/// What devices that hold the same have in memory when they hold most.
struct MemoryRow {
    std::vector<int> devices;
    std::vector<int> stages;
    std::array<double, memoryKindCount> bytes{};  ///< by kind
    /// The activations among them by cause, in the order of the causes; as `other` what the profile does not
    /// say. Their sum is that of the activations.
    std::vector<StoredPart> activations;
    double totalBytes = 0;
    double limitBytes = 0;
    double atS = 0;
    std::string moment;  ///< the block that begins then, or that runs: "forward of microbatch 7 on stage 0"
};

/// A row for each set of devices that hold the same, by the first of its stages; devices without a stage have
/// none. @param run one that is ok()
std::vector<MemoryRow> memoryTable(const PlanRun& run);

}  // namespace stagecraft::runs
