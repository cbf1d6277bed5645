// What torchtitan publishes of its runs with 16-bit products.
#include "core/experiments/measured/block_stages.h"
#include "core/experiments/measured/configured_rows.h"
#include "core/experiments/measured/sets.h"

namespace stagecraft::experiments {

namespace {

MeasuredRow titanRow(int gpus, bool compiled, double tokensPerS) {
    const std::string job =
        "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[optimizer]\nname = \"AdamW\"\n"
        "[training]\nlocal_batch_size = 2\nglobal_batch_size = " +
        std::to_string(2 * gpus) +
        "\nseq_len = 8192\n[parallelism]\ndata_parallel_shard_degree = -1\n"
        "[activation_checkpoint]\nmode = \"selective\"\nselective_ac_option = \"op\"\n";
    return {.name = "Llama 3.1 8B on " + std::to_string(gpus) + " H100, FSDP" +
                    (compiled ? ", torch.compile" : ""),
            .measured = tokensPerS,
            .project = [job, gpus] {
                MeasuredProject made =
                    configuredProject(job, "torchtitan's TOML", std::to_string(gpus / 8) + "x dgx-h100");
                made.problem.setup.zeroOverlap = overlapOfFsdp(made.problem.profile);
                return made;
            }};
}

}  // namespace

MeasuredSet torchtitanSet() {
    return {
        .id = "torchtitan",
        .title = "torchtitan: Llama 3.1 8B on 8 and 128 H100",
        .source =
            "pytorch/torchtitan, benchmarks/llama3_h100_202412_torchtitan.md at 31a17bf, Tables 1 and 3",
        .licence = "BSD-3-Clause",
        .quantity = MeasuredQuantity::tokensPerSOfGpu,
        .basis =
            "torchtitan's options, and an assumed 0.7 of the peak of an H100 for all products; kernels count "
            "as fused, with and without torch.compile. The runs had cards limited to 500 W with slower "
            "memory (2.4 TB/s), and recomputed single operations, which is not counted: they are predicted "
            "far "
            "too fast. Of what FSDP sends for each pass all but what belongs to embedding and head overlaps "
            "with computing. Rows with Float8 are left out, as products are timed at 16 bits.",
        .calibration = "Nothing is calibrated.",
        .rows = {titanRow(8, false, 5762), titanRow(8, true, 6667), titanRow(128, false, 5605),
                 titanRow(128, true, 6514)}};
}

}  // namespace stagecraft::experiments
