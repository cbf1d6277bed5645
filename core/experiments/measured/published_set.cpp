// Points that papers publish of their largest runs: configurations in samples/configurations.
#include "core/experiments/measured/configured_rows.h"
#include "core/experiments/measured/measured_data.h"
#include "core/experiments/measured/sets.h"

namespace stagecraft::experiments {

namespace {

/// Narayanan et al., SC 2021, Eq. (3): FLOP of an iteration with what is recomputed.
double flopsWithRecomputation(double samples, double tokens, double layers, double hidden, double words) {
    return 96 * samples * tokens * layers * hidden * hidden *
           (1 + tokens / (6 * hidden) + words / (16 * layers * hidden));
}

MeasuredRow publishedRow(const std::string& name, const std::string& file, double teraflops, double flops) {
    return {.name = name, .measured = teraflops, .flops = flops, .project = [file] {
                const std::string path = "configurations/" + file;
                return configuredProject(std::string(measuredData(path)), path);
            }};
}

}  // namespace

MeasuredSet publishedSet() {
    return {
        .id = "published",
        .title = "Llama 3 405B and GPT 1T on 3,072 to 16,384 GPUs",
        .source = "Llama Team, The Llama 3 Herd of Models, 2024, Table 4; Narayanan et al., SC 2021, Table 1",
        .licence = "numbers of papers",
        .quantity = MeasuredQuantity::teraflopsOfGpu,
        .basis =
            "Megatron-LM's arguments in samples/configurations, and an assumed 0.7 of the peak for all "
            "products. Llama 3 ran interleaved, in how many stages a GPU its paper does not say; predicted "
            "is 1F1B, which has more bubbles. TFLOP/s of GPT 1T count what is recomputed (SC 2021, Eq. 3).",
        .calibration = "Nothing is calibrated.",
        .rows = {publishedRow("GPT 1T on 3,072 A100", "gpt-1t-sc21.sh", 163,
                              flopsWithRecomputation(3072, 2048, 128, 25600, 51200)),
                 publishedRow("Llama 3 405B on 8,192 H100", "llama-3-405b-8192.sh", 430, 0),
                 publishedRow("Llama 3 405B on 16,384 H100", "llama-3-405b-16384.sh", 400, 0),
                 publishedRow("Llama 3 405B on 16,384 H100, 131,072 tokens", "llama-3-405b-16384-long.sh",
                              380, 0)}};
}

}  // namespace stagecraft::experiments
