#include "core/formats/profiles/config_fields.h"
#include "core/formats/profiles/operator_graph.h"
#include "core/formats/profiles/profile_format.h"

#include <algorithm>

namespace stagecraft::formats {

// The model files of two simulators of training. They say the shape alone; what their programs take for
// granted is taken for granted here.

namespace {

bool isNameOfModel(const std::string& name) {
    return name == "model_name" || name == "model_type" || name == "name" ||
           name == "make_vocab_size_divisible_by";
}

std::string titleIn(const JsonValue& root, const char* field, const std::string& file) {
    if (root.has(field) && root.member(field).raw().is_string())
        return root.member(field).text().substr(0, 60);
    return nameFromFile(file, ".json");
}

void refuseImpossible(const JsonValue& root, const TransformerModel& model) {
    const auto why = whyNoTransformer(model);
    if (!why) return;
    const std::size_t border = why->find("; expected ");
    root.fail(why->substr(0, border), why->substr(border + 11));
}

void readSimuMaxExperts(ConfigFields& fields, TransformerModel& model) {
    Experts& experts = model.experts;
    experts.count = fields.numberOr({"expert_num"}, 0, mostExperts);
    experts.active = fields.numberOr({"topk"}, experts.count > 0 ? 1 : 0, mostExperts);
    experts.width = fields.numberOr({"moe_ffn_hidden_size"}, model.ffn, mostInnerWidth);
    experts.sharedWidth = fields.numberOr({"moe_shared_expert_intermediate_size"}, 0, mostInnerWidth);
    const int dense = fields.numberOr({"dense_layers"}, 0, mostBlocks);
    for (int layer = 0; layer < std::min(dense, model.layers); ++layer) experts.denseLayers.push_back(layer);
}

ModelFile describeSimuMax(std::string_view text, const std::string& file) {
    const nlohmann::json document = parseJson(text, file);
    const JsonValue root(document, file);
    ConfigFields fields(root);
    ModelFile read;
    read.format = "a model of SimuMax";
    TransformerModel& model = read.described.model;
    model.layers = fields.required({"layer_num"}, mostBlocks);
    model.hidden = fields.required({"hidden_size"}, mostHiddenSize);
    model.heads = fields.required({"head_num"}, mostHeads);
    model.keyValueHeads = fields.numberOr({"kv_head_num"}, model.heads, mostHeads);
    model.headWidth = fields.required({"head_size"}, mostHiddenSize);
    model.ffn = fields.required({"intermediate_size"}, mostInnerWidth);
    model.vocabulary = fields.required({"vocab_size"}, mostWords);
    model.gated = fields.flagOr({"use_swiglu"}, false);
    model.activation = model.gated ? Activation::silu : Activation::gelu;
    model.norm = NormKind::rms;
    model.rotary = true;
    model.tied = false;
    readSimuMaxExperts(fields, model);
    const std::string attention = fields.textOr({"attention_type"}, "mha");
    if (attention == "mla")
        model.latent = LatentAttention{
            fields.numberOr({"q_lora_rank"}, 0, mostHiddenSize), fields.required({"kv_lora_rank"}, mostHiddenSize),
            fields.required({"qk_head_dim"}, mostHiddenSize), fields.required({"qk_pos_emb_head_dim"}, mostHiddenSize),
            fields.required({"v_head_dim"}, mostHiddenSize)};
    else if (attention != "mha" && attention != "gqa")
        fields.fail({"attention_type"}, "no attention is called '" + attention.substr(0, 80) + "'",
                    "mha, gqa or mla");
    fields.refuseRest(isNameOfModel, "SimuMax's models");
    refuseImpossible(root, model);
    model.title = titleIn(root, "model_name", file);
    read.notes = {{ImportNote::Kind::assumed,
                   "RMS norms, no biases, and a head with weights of its own: the file does not say"}};
    return read;
}

ImportedProfile readSimuMax(std::string_view text, const std::string& file,
                            const ProfileImportOptions& options) {
    return profileOfModel(describeSimuMax(text, file), file, options);
}

ModelFile describeCalculon(std::string_view text, const std::string& file) {
    const nlohmann::json document = parseJson(text, file);
    const JsonValue root(document, file);
    ConfigFields fields(root);
    ModelFile read;
    read.format = "an application of Calculon";
    TransformerModel& model = read.described.model;
    model.layers = fields.required({"num_blocks"}, mostBlocks);
    model.hidden = fields.required({"hidden"}, mostHiddenSize);
    model.heads = fields.required({"attn_heads"}, mostHeads);
    model.keyValueHeads = model.heads;
    model.headWidth = fields.required({"attn_size"}, mostHiddenSize);
    model.ffn = fields.required({"feedforward"}, mostInnerWidth);
    model.biases = {true, true, true};
    model.dropout = true;
    read.described.length = fields.required({"seq_size"}, mostTokens);
    fields.refuseRest(isNameOfModel, "Calculon's applications");
    model.title = titleIn(root, "name", file);
    model.notes = "Blocks alone: the file has no vocabulary, and Calculon counts neither embedding nor head.";
    read.notes = {{ImportNote::Kind::assumed,
                   "blocks as GPT-3's (layer norms, biases, GELU), without embedding and "
                   "head: the file has no vocabulary"}};
    return read;
}

ImportedProfile readCalculon(std::string_view text, const std::string& file,
                             const ProfileImportOptions& options) {
    return profileOfModel(describeCalculon(text, file), file, options);
}

}  // namespace

ProfileFormat simuMaxModelFormat() {
    return {.ids = {"simumax"},
            .name = "SimuMax model",
            .suffixes = {"json"},
            .outermostFields = {"head_num", "kv_head_num", "layer_num"},
            .read = readSimuMax,
            .describe = describeSimuMax};
}

/// Read with a model alone, by efficiency_file.h.
ProfileFormat simuMaxSystemFormat() {
    return {.ids = {},
            .name = "SimuMax system",
            .suffixes = {"json"},
            .outermostFields = {"sys_name", "accelerator"},
            .refusal = "efficiencies that were measured on a GPU, and no model",
            .expected =
                "the model; they go with it: 'Measured efficiencies' among its parameters, or "
                "--efficiencies FILE"};
}

ProfileFormat calculonModelFormat() {
    return {.ids = {"calculon"},
            .name = "Calculon application",
            .suffixes = {"json"},
            .outermostFields = {"attn_heads", "attn_size", "num_blocks", "feedforward"},
            .read = readCalculon,
            .describe = describeCalculon};
}

}  // namespace stagecraft::formats
