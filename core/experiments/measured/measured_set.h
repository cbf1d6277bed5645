#pragma once

#include "core/model/plan.h"
#include "core/model/problem.h"

#include <functional>
#include <string>
#include <vector>

namespace stagecraft::experiments {

/// What was measured, and so the unit of a set's numbers.
enum class MeasuredQuantity {
    iterationS,       ///< seconds of an iteration
    samplesPerS,      ///< samples per second of all GPUs
    tokensPerSOfGpu,  ///< tokens per second of a GPU
    teraflopsOfGpu,   ///< TFLOP/s of a GPU
    peakGib,          ///< GiB of the fullest GPU
    /// GiB of weights, gradients and what optimizers keep, on the GPU with least of them: of stages alike but
    /// for embedding and head one that has neither.
    statesGib,
    /// GiB of activations that wait on the first GPU when it holds most: without those that a block has again
    /// whose backward runs.
    waitingActivationsGib,
};
/// Whether it is memory: errors of memory and of time are not put together.
bool isMemory(MeasuredQuantity quantity);
/// "s", "samples/s", "tokens/s of a GPU", "TFLOP/s of a GPU" or "GiB".
const char* unitOf(MeasuredQuantity quantity);

/// A run as it was configured, without what it took.
struct MeasuredProject {
    Problem problem;
    Plan plan;
};

/// One run that somebody measured.
struct MeasuredRow {
    std::string name;             ///< unique in its set
    double measured = 0;          ///< in the unit of the set
    bool isCalibratedOn = false;  ///< numbers of the set were chosen by it: it is not judged
    /// FLOP of an iteration as the source counts them; 0: those of the model, nothing recomputed.
    double flops = 0;
    /// May take seconds. @throws InputError, std::invalid_argument where it cannot be made
    std::function<MeasuredProject()> project;
};

/// Runs of one source.
struct MeasuredSet {
    std::string id;       ///< "zero-bubble"
    std::string title;    ///< "Zero bubble: four methods on 8 to 32 A100"
    std::string source;   ///< paper and table, or file and commit
    std::string licence;  ///< of the numbers as they are here
    MeasuredQuantity quantity = MeasuredQuantity::iterationS;
    std::string basis;        ///< what a prediction is made from, and what is known to differ from the run
    std::string calibration;  ///< what was calibrated, and on which rows
    std::vector<MeasuredRow> rows;
};

}  // namespace stagecraft::experiments
