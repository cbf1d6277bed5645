// SimuMax's runs on 8 B200, from efficiencies that were measured one by one.
#include "core/experiments/measured/measured_data.h"
#include "core/experiments/measured/sets.h"
#include "core/formats/files/import.h"
#include "core/formats/profiles/profile_format.h"
#include "core/generation/asked_machines.h"

#include <nlohmann/json.hpp>

#include <numeric>
#include <set>

namespace stagecraft::experiments {

namespace {

constexpr int gpusOfB200Server = 8;
/// What the system file says that copies and the like reach: bandwidth.default's gbps times efficient_factor.
constexpr double memoryOfB200Bps = 8000e9 * 0.666;
/// What the system file says of a collective on the NVLinks of 900 GB/s of one server: bandwidth.gbps times
/// efficient_factor, and latency_us with fixed_latency_us of as many ranks.
struct CollectiveOnB200 {
    double reachedBps = 0, startS = 0;
};
constexpr CollectiveOnB200 allGatherOnB200{900e9 * 0.6735, 32.3e-6};  // a ReduceScatter within 0.1 %
constexpr CollectiveOnB200 allToAllOnB200{900e9 * 0.5968, 7.3e-6}, allToAllOfFour{900e9 * 0.5968, 26.5e-6};

/// A row of simumax-b200.csv.
struct B200Row {
    std::string model;
    int layers = 0, dense = 0, tokens = 0;
    Group group;
    int stages = 0, copies = 0, microbatches = 0;
    double seconds = 0, allocatedGib = 0;

    std::string name() const {
        std::string text = model.substr(0, model.find('_')) + ", " + std::to_string(layers) + " layers, " +
                           (group.dividesLayers() || group.expert > 1 ? groupText(group) + ", " : "");
        if (stages > 1) text += std::to_string(stages) + " stages, ";
        return text + std::to_string(tokens) + " tokens, " + std::to_string(microbatches) + " microbatches";
    }
};

std::vector<B200Row> b200Rows() {
    std::vector<B200Row> rows;
    for (const MeasuredCells& cells : measuredTable("measured/published/simumax-b200.csv")) {
        const auto whole = [&](const char* name) { return std::stoi(cells.at(name)); };
        rows.push_back({cells.at("model"), whole("layers"), whole("dense"), whole("tokens"),
                        Group{whole("tensor"), whole("context"), whole("expert"), whole("tensor") > 1},
                        whole("stages"), whole("copies"), whole("microbatches"),
                        std::stod(cells.at("measured_ms")) / 1e3, std::stod(cells.at("measured_gib"))});
    }
    return rows;
}

nlohmann::json modelOfRow(const B200Row& row) {
    nlohmann::json model =
        nlohmann::json::parse(measuredData("measured/published/simumax/" + row.model + ".json"));
    model["layer_num"] = row.layers;
    if (row.dense > 0) model["dense_layers"] = row.dense;
    return model;
}

/// Numbers that Transformer Engine keeps a placeholder for: the matrices of blocks, each shape once.
double placeholdersOf(const B200Row& row) {
    const nlohmann::json model = modelOfRow(row);
    const auto size = [&](const char* name) { return model.value(name, 0LL); };
    const long long hidden = size("hidden_size"), heads = size("head_num"), ffn = size("intermediate_size");
    std::set<std::pair<long long, long long>> shapes = {{2 * ffn, hidden}, {hidden, ffn}};
    if (model.value("attention_type", "") == "mla") {
        const long long query = size("q_lora_rank"), keyValue = size("kv_lora_rank"),
                        rotary = size("qk_pos_emb_head_dim"), expert = size("moe_ffn_hidden_size"),
                        shared = size("moe_shared_expert_intermediate_size");
        shapes.insert({{query, hidden},
                       {keyValue + rotary, hidden},
                       {heads * (size("qk_head_dim") + rotary), query},
                       {heads * (size("qk_head_dim") + size("v_head_dim")), keyValue},
                       {hidden, heads * size("v_head_dim")},
                       {2 * expert, hidden},
                       {hidden, expert},
                       {2 * shared, hidden},
                       {hidden, shared}});
    } else {
        const long long width = size("head_size");
        shapes.insert({{(heads + 2 * size("kv_head_num")) * width, hidden}, {hidden, heads * width}});
    }
    double numbers = 0;
    for (const auto& [rows, columns] : shapes)
        numbers += static_cast<double>(rows) * static_cast<double>(columns);
    return numbers / row.group.tensor;
}

LayerProfile profileOfB200Row(const B200Row& row) {
    const std::string text = modelOfRow(row).dump();
    const DescribedModel described = profileFormatOf(detectKind(text))->describe(text, row.model).described;
    ParameterValues given = {{"gpu", std::string("B200-SXM-180GB")},
                             {"sequence_length", row.tokens},
                             {"microbatch_size", row.copies},
                             {"experts_on", row.group.expert},
                             {"efficiencies", std::string("measured/published/simumax-system-b200.json")}};
    if (row.copies > 1) given["microbatch_sizes"] = std::string("1");
    return describedProfile(described, given, measuredEfficiencies);
}

/// That which a row's passes have most of.
CollectiveOnB200 collectiveOf(const B200Row& row) {
    if (row.group.expert == 1) return allGatherOnB200;
    return row.group.expert == 4 ? allToAllOfFour : allToAllOnB200;
}

/// Where ranks divide layers, NVLinks have what the row's collectives reach.
Cluster serverOfB200(const B200Row& row) {
    Cluster cluster = machinesAsked("1x dgx-b200").make();
    if (!row.group.dividesLayers() && row.group.expert == 1) return cluster;
    for (Link& link : cluster.links)
        if (link.kind == "nvlink") {
            link.bandwidthBps = collectiveOf(row).reachedBps;
            link.source = "reached by this row's collectives, SimuMax's b200_bf16_ceperm.json";
        }
    return cluster;
}

/// A sample of each copy a microbatch, ZeRO-1, nothing recomputed, equally many layers in each stage.
MeasuredProject projectOnB200(const B200Row& row) {
    MeasuredProject made;
    made.problem.profile = profileOfB200Row(row);
    made.problem.cluster = serverOfB200(row);
    made.problem.setup = {.microbatches = row.microbatches,
                          .optimizer = Optimizer::adam,
                          .precision = StatePrecision::mixed,
                          .zero = ZeroStage::optimizer,
                          .wholeSamples = true,
                          .reservedBytes = 2 * placeholdersOf(row),
                          .collectiveStartS = collectiveOf(row).startS,
                          .updateBytesPerS = memoryOfB200Bps,
                          .gradientPasses = GradientPasses::megatron};
    const int each = made.problem.profile.layerCount() / row.stages, ranks = gpusOfB200Server / row.stages;
    for (int s = 0; s < row.stages; ++s) {
        Stage stage{s * each, (s + 1) * each - 1, std::vector<int>(static_cast<std::size_t>(ranks))};
        std::iota(stage.devices.begin(), stage.devices.end(), s * ranks);
        stage.group = row.group;
        made.plan.stages.push_back(stage);
    }
    made.plan.schedule.order = FamilySchedule{"1f1b", {}};
    return made;
}

MeasuredSet setOnB200() {
    return {.source = "MooreThreads/SimuMax, docs/b200/b200_release_v1.2_summary.json at 4dcaae5",
            .licence = "Apache-2.0"};
}

}  // namespace

MeasuredSet b200Set() {
    MeasuredSet set = setOnB200();
    set.id = "simumax";
    set.title = "SimuMax: slices of Llama 3 and DeepSeek on 8 B200";
    set.basis =
        "The model's shapes, and what a B200 reaches of its peaks by shape, measured on single products, "
        "attentions and copies (configs/system/b200_bf16_ceperm.json); what of NVLink an AllGather reaches, "
        "or with experts an all-to-all, and how long it takes to start, of the same file; the optimizer's "
        "step at what its memory reaches. Context parallelism is predicted as ring attention; the runs "
        "exchanged tokens for heads.";
    set.calibration = "Nothing is calibrated on these runs.";
    for (const B200Row& row : b200Rows())
        set.rows.push_back(
            {.name = row.name(), .measured = row.seconds, .project = [row] { return projectOnB200(row); }});
    return set;
}

MeasuredSet b200MemorySet() {
    MeasuredSet set = setOnB200();
    set.id = "simumax-memory";
    set.title = "SimuMax: memory of the fullest of 8 B200";
    set.quantity = MeasuredQuantity::peakGib;
    set.basis =
        "The model's shapes; Transformer Engine's placeholders of gradients, 2 bytes a number of a block's "
        "matrices, each shape once, are reserved.";
    set.calibration = "Nothing is calibrated.";
    for (const B200Row& row : b200Rows())
        set.rows.push_back({.name = row.name(), .measured = row.allocatedGib, .project = [row] {
                                return projectOnB200(row);
                            }});
    return set;
}

}  // namespace stagecraft::experiments
