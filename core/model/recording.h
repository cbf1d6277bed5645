#pragma once

#include "core/model/cluster.h"
#include "core/model/timeline.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace stagecraft::model {

/// A part of a recording in which every microbatch of a mini-batch goes through the pipeline.
struct RecordedIteration {
    double startS = 0;
    double endS = 0;
    bool warmsUp = false;  ///< left out of figures that are about all iterations
    bool operator==(const RecordedIteration&) const = default;
};

/// What was counted over time: `values[i]` holds from `timeS[i]` to the next time.
struct RecordedSeries {
    std::string name;  ///< "allocated"
    std::string unit;  ///< "bytes"
    int device = -1;   ///< -1: of all
    std::vector<double> timeS;
    std::vector<double> values;
};

/// What a reader made of its files, in sentences.
struct RecordingReport {
    std::string format;              ///< title of the files' format
    std::vector<std::string> files;  ///< names without folders
    std::vector<std::string> recognised;
    std::vector<std::string> assumed;
    std::vector<std::string> ignored;
    bool guessed = false;       ///< passes were found by their repeating pattern
    double explainedShare = 1;  ///< of the time in which devices computed: in passes
    /// How far matching ends of transfers and collectives are apart after the clocks of the ranks were
    /// aligned; nothing: one clock.
    std::optional<double> clockResidualS;
};

/// What ran when, wherever it comes from: a simulation or files of a real run. It needs no plan.
struct Recording {
    std::string title;
    /// Times from 0, the first event. Lanes that compute have passes, or nothing where none are known;
    /// streams, which come last, what is inside of them.
    Timeline timeline;
    Cluster cluster;                             ///< ranks as devices, by server where it is known
    std::vector<std::vector<int>> stageDevices;  ///< by stage; empty where stages are not known
    std::vector<RecordedIteration> iterations;   ///< ascending; iteration i of the blocks
    std::vector<RecordedSeries> series;
    /// The blocks whose ends block b waited for: inputs[firstInput[b], firstInput[b + 1]). Empty where files
    /// do not say it.
    std::vector<std::uint32_t> firstInput;
    std::vector<std::uint32_t> inputs;
    RecordingReport report;

    int stageCount() const { return static_cast<int>(stageDevices.size()); }
    /// Blocks that it waited for, ascending.
    std::span<const std::uint32_t> inputsOf(std::uint32_t block) const;
};

// ---- inline ----

inline std::span<const std::uint32_t> Recording::inputsOf(std::uint32_t block) const {
    if (firstInput.empty()) return {};
    return std::span(inputs).subspan(firstInput[block], firstInput[block + 1] - firstInput[block]);
}

}  // namespace stagecraft::model
