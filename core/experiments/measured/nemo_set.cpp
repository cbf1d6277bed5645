// NVIDIA's tables of NeMo and Megatron Bridge with 8-bit products.
#include "core/experiments/measured/measured_data.h"
#include "core/experiments/measured/nvidia_run.h"
#include "core/experiments/measured/sets.h"

#include <algorithm>

namespace stagecraft::experiments {

namespace {

/// A GPU and what is around it, by the table's "gpu" and "precision".
struct NemoMachine {
    const char *gpu, *precision, *name, *machine;
    int gpusOfMachine;
    CalibratedShares shares;
};
constexpr NemoMachine nemoMachines[] = {
    {"h100", "fp8", "H100-SXM5-80GB", "dgx-h100", 8, sharesOfH100(0.9375)},
    {"b200", "fp8", "B200-SXM-180GB", "dgx-b200", 8, sharesOfH100(1.1)},
    {"b200", "mxfp8", "B200-SXM-180GB", "dgx-b200", 8, sharesOfH100(1.05)},
    {"gb200", "fp8", "GB200-186GB", "gb200-nvl72", 72, sharesOfH100(0.9875)},
    {"gb200", "mxfp8", "GB200-186GB", "gb200-nvl72", 72, sharesOfH100(0.9)},
    {"gb300", "fp8", "GB300-279GB", "gb200-nvl72", 72, sharesOfH100(1.375)},
    {"gb300", "mxfp8", "GB300-279GB", "gb200-nvl72", 72, sharesOfH100(1.275)}};

/// A row of nemo.csv.
struct NemoRow {
    std::string release;
    NemoMachine machine;
    NvidiaRun run;
    double tokensPerS = 0;  ///< of a GPU

    std::string name() const { return release + ": " + run.words(); }
    /// Each GPU has all layers whole.
    bool isCalibratedOn() const {
        return run.tensor == 1 && run.stages == 1 && run.context == 1 && !run.sharded;
    }
};

std::vector<NemoRow> nemoRows() {
    std::vector<NemoRow> rows;
    for (const MeasuredCells& cells : measuredTable("measured/published/nemo.csv")) {
        const auto whole = [&](const char* name) { return std::stoi(cells.at(name)); };
        const NemoMachine& machine = *std::ranges::find_if(nemoMachines, [&](const NemoMachine& one) {
            return one.gpu == cells.at("gpu") && one.precision == cells.at("precision");
        });
        rows.push_back({cells.at("release"),
                        machine,
                        {.model = cells.at("model"),
                         .gpu = machine.name,
                         .precision = machine.precision,
                         .machine = machine.machine,
                         .gpusOfMachine = machine.gpusOfMachine,
                         .gpus = whole("gpus"),
                         .samples = whole("samples"),
                         .microbatch = whole("microbatch"),
                         .tokens = whole("tokens"),
                         .tensor = whole("tensor"),
                         .stages = whole("stages"),
                         .context = whole("context"),
                         .chunks = whole("chunks"),
                         .sharded = whole("fsdp") == 1},
                        std::stod(cells.at("tokens_per_s"))});
    }
    return rows;
}

std::vector<MeasuredRow> measuredNemoRows(const std::function<CalibratedShares(const NemoRow&)>& sharesOf) {
    std::vector<MeasuredRow> rows;
    for (const NemoRow& row : nemoRows())
        rows.push_back(
            {.name = row.name(),
             .measured = row.tokensPerS,
             .isCalibratedOn = row.isCalibratedOn(),
             .project = [row, shares = sharesOf(row)] { return projectOfNvidiaRun(row.run, shares); }});
    return rows;
}

}  // namespace

std::vector<RowCalibration> nemoCalibrations() {
    std::vector<RowCalibration> all;
    for (const NemoMachine& machine : nemoMachines)
        all.push_back({std::string("nemo, ") + machine.gpu + " " + machine.precision,
                       MeasuredQuantity::tokensPerSOfGpu,
                       machine.shares,
                       {{&CalibratedShares::products, 0.0125}},
                       [machine](const CalibratedShares& shares) {
                           std::vector<MeasuredRow> rows =
                               measuredNemoRows([&](const NemoRow&) { return shares; });
                           const std::string own = std::string(" ") + machine.name + ", " + machine.precision;
                           std::erase_if(rows, [&](const MeasuredRow& row) {
                               return !row.isCalibratedOn || row.name.find(own) == std::string::npos;
                           });
                           return rows;
                       }});
    return all;
}

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
            "what attention and memory reach was measured on single operations of an H100. Of what FSDP sends "
            "for each pass all but what belongs to embedding and head overlaps with computing, nothing else "
            "that is sent. Which blocks are recomputed the tables do not say: none here.",
        .calibration =
            "What 8-bit products reach of the peak at 16 bits, one number of each GPU and way of scaling, "
            "on the 12 rows with all layers whole on each GPU, which are not judged.",
        .rows = measuredNemoRows([](const NemoRow& row) { return row.machine.shares; })};
}

}  // namespace stagecraft::experiments
