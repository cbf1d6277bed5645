// NVIDIA's performance recipes of DGX Cloud: the same models on one to 288 servers.
#include "core/experiments/measured/nvidia_table.h"
#include "core/experiments/measured/sets.h"

namespace stagecraft::experiments {

namespace {

constexpr NvidiaMachine dgxcMachines[] = {
    {"h100", "bf16", "H100-SXM5-80GB", "dgx-h100", 8, sharesOfH100(0.75)},
    {"h100", "fp8", "H100-SXM5-80GB", "dgx-h100", 8, sharesOfH100(1.225)},
    {"gb200", "bf16", "GB200-186GB", "gb200-nvl72", 72, sharesOfH100(0.575)},
    {"gb200", "fp8", "GB200-186GB", "gb200-nvl72", 72, sharesOfH100(1.0625)}};

/// Where least is sent between servers: on H100 on one alone, on GB200 with most microbatches a copy.
bool choosesDgxcShares(const NvidiaRun& run) {
    return run.gpus == 8 || (run.gpusOfMachine > 8 && run.gpus == 128 && run.samples == 512);
}

NvidiaTable dgxcTable() {
    return {
        .set = "dgxc", .measured = "seconds", .machines = dgxcMachines, .isCalibratedOn = choosesDgxcShares};
}

}  // namespace

std::vector<RowCalibration> dgxcCalibrations() { return nvidiaCalibrations(dgxcTable()); }

MeasuredSet dgxcSet() {
    return {
        .id = "dgxc",
        .title = "NVIDIA's recipes: GPT-3, Llama 3.1 and Nemotron of 8B to 405B on 8 to 2,304 H100 and GB200",
        .source =
            "NVIDIA/dgxc-benchmarking, README files of llama3.1, nemotron and nemo_megatron at 143b90d "
            "(24.09, 24.11), 8f5cbb3 (24.12), 0b71cfd, 741c886 and dc1028f",
        .licence = "Apache-2.0",
        .basis =
            "The models' shapes, the tables' degrees, and interleaved 1F1B where they have virtual stages; "
            "what attention and memory reach was measured on single operations of an H100. Nothing that is "
            "sent overlaps with computing. Which blocks are recomputed the tables do not say: none here. "
            "The last step of a run, or from dc1028f on the mean of steps 11 to 44.",
        .calibration =
            "What products reach of the peak at 16 bits, one number of each GPU and precision: of H100 on "
            "the four rows on one server (Llama 3.1 8B), of GB200 on the two with 128 GPUs and a batch of "
            "512, which are not judged.",
        .rows = measuredNvidiaRows(dgxcTable())};
}

}  // namespace stagecraft::experiments
