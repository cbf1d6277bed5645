#pragma once

#include "core/experiments/measured/calibrated_shares.h"

#include <string>

namespace stagecraft::experiments {

/// A run of NeMo or Megatron Bridge as NVIDIA's tables have it: a decoder on machines of one kind, with the
/// degrees of Megatron-LM.
struct NvidiaRun {
    std::string model;      ///< "llama3-70b", one of those that nvidia_run.cpp has the shapes of
    std::string gpu;        ///< of the catalogue
    std::string precision;  ///< "bf16", "fp8" or "mxfp8"; of products
    std::string machine;    ///< of the cluster templates
    int gpusOfMachine = 8;
    int gpus = 0, samples = 0, microbatch = 0, tokens = 0;
    int tensor = 1, stages = 1, context = 1;
    int chunks = 1;        ///< virtual stages of a rank
    int layers = 0;        ///< 0: as many as the model has
    bool sharded = false;  ///< FSDP

    /// "llama3-70b, 64 H100-SXM5-80GB, fp8, tensor 4, stages 4 x 5, context 2, batch 128"
    std::string words() const;
};

/// @throws std::out_of_range for an unknown model, InputError where its degrees do not fit its GPUs
MeasuredProject projectOfNvidiaRun(const NvidiaRun& run, const CalibratedShares& shares);

/// What attention and memory reach of an H100, by samples/measured/h100.efficiencies.json (means, its memory
/// over the data sheet's 3,350 GB/s), with products at another share.
/// @param products share of the peak at 16 bits
constexpr CalibratedShares sharesOfH100(double products) {
    return {.products = products, .attention = 0.912, .backwardAttention = 0.525, .memory = 0.852};
}

}  // namespace stagecraft::experiments
