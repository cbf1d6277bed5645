// Korthikanti et al., MLSys 2023, Table 5.
#include "core/experiments/measured/configured_rows.h"
#include "core/experiments/measured/measured_data.h"
#include "core/experiments/measured/sets.h"

namespace stagecraft::experiments {

namespace {

std::string korthikantiArguments(const MeasuredCells& row, const std::string& recomputation) {
    const int chunks = std::stoi(row.at("chunks")), stages = std::stoi(row.at("stages"));
    std::string arguments = "--num-layers " + row.at("layers") + " --hidden-size " + row.at("hidden") +
                            " --num-attention-heads " + row.at("heads") +
                            " --seq-length 2048 --max-position-embeddings 2048 --vocab-size 51200 --bf16 "
                            "--attention-backend unfused --tensor-model-parallel-size " +
                            row.at("tensor") + " --pipeline-model-parallel-size " + row.at("stages") +
                            " --micro-batch-size " + row.at("microbatch") + " --global-batch-size " +
                            row.at("samples") + recomputation;
    if (chunks > 1)
        arguments += " --num-layers-per-virtual-pipeline-stage " +
                     std::to_string(std::stoi(row.at("layers")) / (stages * chunks));
    return arguments;
}

struct KorthikantiColumn {
    const char *name, *title, *arguments;
};
constexpr KorthikantiColumn korthikantiColumns[] = {
    {"full_s", "full recomputation", " --recompute-granularity full --recompute-method uniform"},
    {"both_s", "sequence parallel, selective recomputation",
     " --sequence-parallel --recompute-granularity selective"}};

constexpr KorthikantiColumn activationColumns[] = {
    {"activations_gib", "nothing recomputed", ""},
    {"activations_both_gib", korthikantiColumns[1].title, korthikantiColumns[1].arguments}};

MeasuredRow korthikantiRow(const MeasuredCells& row, const KorthikantiColumn& column) {
    return {.name = row.at("model") + ", " + column.title,
            .measured = std::stod(row.at(column.name)),
            .project = [row, arguments = std::string(column.arguments)] {
                return korthikantiProject(row, arguments);
            }};
}

/// Of Fig. 1, which shows what the paper's formulas give for blocks.
MeasuredSet setOfFigure1() {
    return {.source =
                "Korthikanti et al., Reducing Activation Recomputation in Large Transformer Models, MLSys "
                "2023, Fig. 1; GiB as calculon-ai/calculon has them",
            .licence = "numbers of a paper",
            .calibration = "Nothing is calibrated."};
}

}  // namespace

MeasuredProject korthikantiProject(const MeasuredCells& row, const std::string& recomputation) {
    return configuredProject(korthikantiArguments(row, recomputation), "Megatron-LM's arguments",
                             std::to_string(std::stoi(row.at("gpus")) / 8) + "x dgx-a100");
}

MeasuredSet korthikantiSet() {
    MeasuredSet set{
        .id = "korthikanti",
        .title = "Korthikanti et al.: GPT of 22B to 1T on 8 to 512 A100",
        .source =
            "Korthikanti et al., Reducing Activation Recomputation in Large Transformer "
            "Models, MLSys 2023, Table 5; times as calculon-ai/calculon has them",
        .licence = "numbers of a paper",
        .basis =
            "Megatron-LM's arguments as they are, and an assumed 0.7 of the peak for all products; "
            "nothing overlaps.",
        .calibration = "Nothing is calibrated."};
    for (const MeasuredCells& row : measuredTable("measured/published/korthikanti.csv"))
        for (const KorthikantiColumn& column : korthikantiColumns)
            set.rows.push_back(korthikantiRow(row, column));
    return set;
}

MeasuredSet korthikantiStatesSet() {
    MeasuredSet set = setOfFigure1();
    set.id = "korthikanti-states";
    set.title = "Korthikanti et al.: weights, gradients and optimizer of a GPU's blocks";
    set.quantity = MeasuredQuantity::statesGib;
    set.basis =
        "Megatron-LM's arguments as they are. Worked out in the paper, not measured, of blocks alone: "
        "compared is the GPU with least, which of 22B in one stage has embedding and head too.";
    for (const MeasuredCells& row : measuredTable("measured/published/korthikanti.csv"))
        set.rows.push_back(korthikantiRow(
            row, {"states_gib", korthikantiColumns[1].title, korthikantiColumns[1].arguments}));
    return set;
}

MeasuredSet korthikantiActivationsSet() {
    MeasuredSet set = setOfFigure1();
    set.id = "korthikanti-activations";
    set.title = "Korthikanti et al.: activations of the first stage";
    set.quantity = MeasuredQuantity::waitingActivationsGib;
    set.basis =
        "Megatron-LM's arguments as they are. Worked out in the paper, not measured, of blocks alone; "
        "predicted is the mask of the embedding's dropout beside them, and of 22B in one stage the logits.";
    for (const MeasuredCells& row : measuredTable("measured/published/korthikanti.csv"))
        for (const KorthikantiColumn& column : activationColumns)
            set.rows.push_back(korthikantiRow(row, column));
    return set;
}

}  // namespace stagecraft::experiments
