// NVIDIA's tables of NeMo and Megatron Bridge with 8-bit products.
#include "core/experiments/measured/nvidia_table.h"
#include "core/experiments/measured/sets.h"

namespace stagecraft::experiments {

namespace {

constexpr NvidiaMachine nemoMachines[] = {
    {"h100", "fp8", "H100-SXM5-80GB", "dgx-h100", 8, sharesOfH100(0.9375)},
    {"b200", "fp8", "B200-SXM-180GB", "dgx-b200", 8, sharesOfH100(1.1)},
    {"b200", "mxfp8", "B200-SXM-180GB", "dgx-b200", 8, sharesOfH100(1.05)},
    {"gb200", "fp8", "GB200-186GB", "gb200-nvl72", 72, sharesOfH100(0.9875)},
    {"gb200", "mxfp8", "GB200-186GB", "gb200-nvl72", 72, sharesOfH100(0.9)},
    {"gb300", "fp8", "GB300-279GB", "gb200-nvl72", 72, sharesOfH100(1.375)},
    {"gb300", "mxfp8", "GB300-279GB", "gb200-nvl72", 72, sharesOfH100(1.275)}};

/// Each GPU has all layers whole.
bool choosesNemoShares(const NvidiaRun& run) {
    return run.tensor == 1 && run.stages == 1 && run.context == 1 && !run.sharded;
}

NvidiaTable nemoTable() {
    return {.set = "nemo",
            .measured = "tokens_per_s",
            .quantity = MeasuredQuantity::tokensPerSOfGpu,
            .machines = nemoMachines,
            .isCalibratedOn = choosesNemoShares};
}

}  // namespace

std::vector<RowCalibration> nemoCalibrations() { return nvidiaCalibrations(nemoTable()); }

MeasuredSet nemoSet() {
    return {
        .id = "nemo",
        .title =
            "NVIDIA NeMo: GPT, Llama and Nemotron of 5B to 405B on up to 1,024 H100, B200, GB200 and GB300",
        .source =
            "NVIDIA/NeMo, docs/source/performance/performance_summary.md at 070a0bb (24.07); "
            "NVIDIA-NeMo/Megatron-Bridge, docs/performance-summary-archive.md at 0a25f91 (25.09 to 26.02)",
        .licence = "Apache-2.0",
        .quantity = MeasuredQuantity::tokensPerSOfGpu,
        .basis =
            "The models' shapes, the tables' degrees, and interleaved 1F1B where they have virtual stages; "
            "what attention and memory reach was measured on single operations of an H100. Of what FSDP "
            "sends "
            "for each pass all but what belongs to embedding and head overlaps with computing, nothing else "
            "that is sent. Which blocks are recomputed the tables do not say: none here.",
        .calibration =
            "What 8-bit products reach of the peak at 16 bits, one number of each GPU and way of scaling, "
            "on the 12 rows with all layers whole on each GPU, which are not judged.",
        .rows = measuredNvidiaRows(nemoTable())};
}

}  // namespace stagecraft::experiments
