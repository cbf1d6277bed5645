// vTrain's table of runs of GPT under many degrees.
#include "core/experiments/measured/block_stages.h"
#include "core/experiments/measured/measured_data.h"
#include "core/experiments/measured/sets.h"
#include "core/generation/asked_machines.h"
#include "core/generation/generated_profile.h"
#include "core/generation/gpu_catalogue.h"

namespace stagecraft::experiments {

namespace {

constexpr char gpuOfVtrain[] = "A100-SXM4-80GB";

/// A row of vtrain-multi.csv.
struct VtrainRow {
    std::string model;
    int gpus = 0, samples = 0, microbatch = 0, layers = 0, tensor = 0, data = 0, stages = 0;
    double seconds = 0;

    std::string name() const {
        return model + ", " + std::to_string(gpus) + " GPUs, tensor " + std::to_string(tensor) + ", data " +
               std::to_string(data) + ", stages " + std::to_string(stages) + ", microbatch " +
               std::to_string(microbatch);
    }
};

std::vector<VtrainRow> vtrainRows() {
    const std::map<std::string, std::string> models = {{"3.6", "megatron-3.6b"},
                                                       {"18.4", "megatron-18.4b"},
                                                       {"39.1", "megatron-39.1b"},
                                                       {"175", "gpt-3-175b"}};
    std::vector<VtrainRow> rows;
    for (const MeasuredCells& cells : measuredTable("measured/published/vtrain-multi.csv")) {
        const auto whole = [&](const char* name) { return std::stoi(cells.at(name)); };
        rows.push_back({models.at(cells.at("Parameters (billion)")), whole("# GPUs"), whole("global batch"),
                        whole("micro batch"), whole("# layers"), whole("tensor parallelism"),
                        whole("data parallelism"), whole("pipeline parallelism"),
                        std::stod(cells.at("iteration time (ms)")) / 1e3});
    }
    return rows;
}

/// Shares and latencies of a PCIe card, of the bandwidth that the memory of an SXM module has.
MeasuredEfficiencies efficienciesOfSxm(const std::string& name) {
    MeasuredEfficiencies measured = measuredEfficiencies(name);
    measured.memoryBps = findGpu(gpuOfVtrain)->memoryBandwidthBps;
    return measured;
}

/// As Megatron-LM cuts: equally many blocks in each stage, the embedding with the first, the head with the
/// last.
MeasuredProject projectOfVtrain(const VtrainRow& row) {
    MeasuredProject made;
    Problem& problem = made.problem;
    problem.profile =
        generatedProfile(row.model,
                         {{"gpu", std::string(gpuOfVtrain)},
                          {"precision", std::string("bf16")},
                          {"sequence_length", 2048},
                          {"microbatch_size", row.microbatch * row.data},
                          {"microbatch_sizes", std::to_string(row.microbatch)},
                          {"efficiencies", std::string("measured/published/simumax-system-a100.json")}},
                         efficienciesOfSxm);
    problem.cluster = machinesAsked(std::to_string(row.gpus / 8) + "x dgx-a100").make();
    problem.setup.microbatches = row.samples / (row.microbatch * row.data);
    problem.setup.optimizer = Optimizer::adam;
    problem.setup.precision = StatePrecision::mixed;
    problem.setup.wholeSamples = true;
    problem.setup.collectiveStartS = startOfAllReduceS;
    const std::vector<int> blocks(static_cast<std::size_t>(row.stages), row.layers / row.stages);
    made.plan = planOfBlocks({blocks, row.tensor * row.data, {.tensor = row.tensor}, true},
                             problem.profile.layerCount());
    for (const int end : {0, problem.profile.layerCount() - 1})
        made.plan.memory.layers[end] = LayerMemory::checkpoint;
    return made;
}

}  // namespace

MeasuredSet vtrainSet() {
    MeasuredSet set{
        .id = "vtrain",
        .title = "vTrain: GPT of 3.6B to 175B on 64 to 512 A100",
        .source =
            "Bang et al., vTrain, MICRO 2024; VIA-Research/vTrain, "
            "data/ground_truth_multi.csv at f8dda84",
        .licence = "MIT-type",
        .basis =
            "The model's shapes, what an A100 on PCIe reaches by SimuMax's measurements with the "
            "memory bandwidth of an SXM module, and 27.75 µs for the start of a collective, which "
            "is of 8 B200. Single runs without a spread.",
        .calibration = "Nothing is calibrated on these runs."};
    for (const VtrainRow& row : vtrainRows())
        set.rows.push_back(
            {.name = row.name(), .measured = row.seconds, .project = [row] { return projectOfVtrain(row); }});
    return set;
}

}  // namespace stagecraft::experiments
