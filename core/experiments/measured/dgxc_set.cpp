// NVIDIA's performance recipes of DGX Cloud: the same models on one to 288 servers.
#include "core/experiments/measured/measured_data.h"
#include "core/experiments/measured/nvidia_run.h"
#include "core/experiments/measured/sets.h"

#include <algorithm>

namespace stagecraft::experiments {

namespace {

/// A GPU with products of so many bits, by the table's "gpu" and "precision".
struct DgxcMachine {
    const char *gpu, *precision, *name, *machine;
    int gpusOfMachine;
    CalibratedShares shares;
};
constexpr DgxcMachine dgxcMachines[] = {
    {"h100", "bf16", "H100-SXM5-80GB", "dgx-h100", 8, sharesOfH100(0.75)},
    {"h100", "fp8", "H100-SXM5-80GB", "dgx-h100", 8, sharesOfH100(1.225)},
    {"gb200", "bf16", "GB200-186GB", "gb200-nvl72", 72, sharesOfH100(0.575)},
    {"gb200", "fp8", "GB200-186GB", "gb200-nvl72", 72, sharesOfH100(1.0625)}};

/// A row of dgxc.csv.
struct DgxcRow {
    std::string release;
    DgxcMachine machine;
    NvidiaRun run;
    double seconds = 0;

    std::string name() const { return release + ": " + run.words(); }
    /// Where least is sent between servers: on H100 on one alone, on GB200 with most microbatches a copy.
    bool isCalibratedOn() const {
        return run.gpus == 8 || (machine.gpusOfMachine > 8 && run.gpus == 128 && run.samples == 512);
    }
};

std::vector<DgxcRow> dgxcRows() {
    std::vector<DgxcRow> rows;
    for (const MeasuredCells& cells : measuredTable("measured/published/dgxc.csv")) {
        const auto whole = [&](const char* name) { return std::stoi(cells.at(name)); };
        const DgxcMachine& machine = *std::ranges::find_if(dgxcMachines, [&](const DgxcMachine& one) {
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
                         .layers = whole("layers")},
                        std::stod(cells.at("seconds"))});
    }
    return rows;
}

std::vector<MeasuredRow> measuredDgxcRows(const std::function<CalibratedShares(const DgxcRow&)>& sharesOf) {
    std::vector<MeasuredRow> rows;
    for (const DgxcRow& row : dgxcRows())
        rows.push_back(
            {.name = row.name(),
             .measured = row.seconds,
             .isCalibratedOn = row.isCalibratedOn(),
             .project = [row, shares = sharesOf(row)] { return projectOfNvidiaRun(row.run, shares); }});
    return rows;
}

}  // namespace

std::vector<RowCalibration> dgxcCalibrations() {
    std::vector<RowCalibration> all;
    for (const DgxcMachine& machine : dgxcMachines)
        all.push_back({std::string("dgxc, ") + machine.gpu + " " + machine.precision,
                       MeasuredQuantity::iterationS,
                       machine.shares,
                       {{&CalibratedShares::products, 0.0125}},
                       [machine](const CalibratedShares& shares) {
                           std::vector<MeasuredRow> rows =
                               measuredDgxcRows([&](const DgxcRow&) { return shares; });
                           const std::string own = std::string(" ") + machine.name + ", " + machine.precision;
                           std::erase_if(rows, [&](const MeasuredRow& row) {
                               return !row.isCalibratedOn || row.name.find(own) == std::string::npos;
                           });
                           return rows;
                       }});
    return all;
}

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
        .rows = measuredDgxcRows([](const DgxcRow& row) { return row.machine.shares; })};
}

}  // namespace stagecraft::experiments
