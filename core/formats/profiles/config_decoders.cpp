#include "core/formats/profiles/config_families.h"
#include "core/formats/profiles/described_model.h"

#include <algorithm>

namespace stagecraft::formats {

namespace {

/// RMS norms, rotary positions, gated feed-forward networks, no biases: Llama and what followed it.
void readLlamaLike(ConfigFields& fields, TransformerModel& model) {
    readShape(fields, model);
    readVocabulary(fields, model);
    readActivation(fields, model, "silu");
    readDropouts(fields, model);
    model.norm = NormKind::rms;
    model.gated = true;
    model.rotary = true;
    const bool attention = fields.flagOr({"attention_bias"}, false);
    model.biases = {attention, attention, fields.flagOr({"mlp_bias"}, false)};
}

void readLlama(ConfigFields& fields, TransformerModel& model) {
    readLlamaLike(fields, model);
    readInnerWidth(fields, model, 0);
    readWindow(fields, model, nullptr);
}

void readExperts(ConfigFields& fields, TransformerModel& model, const ConfigFields::Names& width) {
    Experts& experts = model.experts;
    experts.count = fields.required(
        {"num_experts", "num_local_experts", "n_routed_experts", "num_routed_experts"}, mostExperts);
    const ConfigFields::Names active = {"num_experts_per_tok", "num_experts_per_token", "moe_topk",
                                        "top_k_experts"};
    experts.active = fields.required(active, mostExperts);
    if (experts.active > experts.count)
        fields.fail(active, "a token takes " + std::to_string(experts.active) + " experts",
                    "at most as many as there are, " + std::to_string(experts.count));
    experts.width = fields.required(width, mostInnerWidth);
}

void readMixtral(ConfigFields& fields, TransformerModel& model) {
    readLlama(fields, model);
    readExperts(fields, model, {"intermediate_size"});
}

/// Biases of queries, keys and values, and a window in the last layers if it is wanted.
void readQwenShape(ConfigFields& fields, TransformerModel& model) {
    readLlamaLike(fields, model);
    const bool wanted = fields.flagOr({"use_sliding_window"}, false);
    const int full = fields.numberOr({"max_window_layers"}, model.layers, mostBlocks);
    const bool listed = fields.object().has("layer_types");
    readWindow(fields, model, nullptr);
    if (!wanted) model.window = 0;
    if (listed) return;
    for (int layer = 0; layer < model.layers; ++layer)
        model.windowed[static_cast<std::size_t>(layer)] = layer >= full;
}

void readQwen2(ConfigFields& fields, TransformerModel& model) {
    readQwenShape(fields, model);
    model.biases = {.queryKeyValue = true};
    readInnerWidth(fields, model, 0);
}

void readQwen3(ConfigFields& fields, TransformerModel& model) {
    readQwenShape(fields, model);
    readInnerWidth(fields, model, 0);
    model.queryKeyNorm = true;
}

/// Every so many layers have experts, those apart that are named.
void readSparseSteps(ConfigFields& fields, TransformerModel& model) {
    const int step = fields.numberOr({"decoder_sparse_step"}, 1, mostBlocks);
    if (step == 0) fields.fail({"decoder_sparse_step"}, "the number is 0", "1 or more");
    std::set<int> dense;
    for (int layer = 0; layer < model.layers; ++layer)
        if ((layer + 1) % step != 0) dense.insert(layer);
    if (const auto named = fields.take({"mlp_only_layers"}))
        for (const JsonValue& entry : named->elements()) dense.insert(entry.index(model.layers, "layer"));
    model.experts.denseLayers.assign(dense.begin(), dense.end());
}

void readQwen2Moe(ConfigFields& fields, TransformerModel& model) {
    readQwen2(fields, model);
    readExperts(fields, model, {"moe_intermediate_size"});
    readSparseSteps(fields, model);
    model.experts.sharedWidth = fields.numberOr({"shared_expert_intermediate_size"}, 0, mostInnerWidth);
    model.experts.sharedGate = model.experts.sharedWidth > 0;
}

void readQwen3Moe(ConfigFields& fields, TransformerModel& model) {
    readQwen3(fields, model);
    readExperts(fields, model, {"moe_intermediate_size"});
    readSparseSteps(fields, model);
}

void readLatent(ConfigFields& fields, TransformerModel& model) {
    LatentAttention latent;
    latent.keyValueRank = fields.required({"kv_lora_rank"}, mostHiddenSize);
    latent.queryRank = fields.numberOr({"q_lora_rank"}, 0, mostHiddenSize);
    latent.plainWidth = fields.required({"qk_nope_head_dim"}, mostHiddenSize);
    latent.rotaryWidth = fields.required({"qk_rope_head_dim"}, mostHiddenSize);
    latent.valueWidth = fields.required({"v_head_dim"}, mostHiddenSize);
    fields.numberOr({"qk_head_dim"}, 0, mostHiddenSize);  // the sum of the two
    model.latent = latent;
}

/// "n_routed_experts": null is a dense model; without the field there is something wrong.
void readDeepSeekExperts(ConfigFields& fields, TransformerModel& model) {
    const bool dense =
        fields.object().has("n_routed_experts") && fields.object().member("n_routed_experts").raw().is_null();
    const int first = fields.numberOr({"first_k_dense_replace"}, 0, mostBlocks);
    const int step = std::max(1, fields.numberOr({"moe_layer_freq"}, 1, mostBlocks));
    const int shared = fields.numberOr({"n_shared_experts", "num_shared_experts"}, 0, mostExperts);
    model.experts.routerBias = fields.textOr({"topk_method"}, "") == "noaux_tc";
    if (dense) {
        fields.take({"moe_intermediate_size"});
        fields.take({"num_experts_per_tok"});
        return;
    }
    readExperts(fields, model, {"moe_intermediate_size"});
    if (static_cast<double>(shared) * model.experts.width > mostInnerWidth)
        fields.fail({"n_shared_experts", "num_shared_experts"}, "the shared experts are too large",
                    "an inner width of at most " + std::to_string(mostInnerWidth) + " together");
    model.experts.sharedWidth = shared * model.experts.width;
    for (int layer = 0; layer < model.layers; ++layer)
        if (layer < first || layer % step != 0) model.experts.denseLayers.push_back(layer);
}

/// DeepSeek-MoE, V2, V3 and R1: experts behind some dense layers, latent attention from V2 on.
void readDeepSeek(ConfigFields& fields, TransformerModel& model) {
    if (!fields.object().has("kv_lora_rank")) {
        readLlamaLike(fields, model);
    } else {
        // A head's width is not width / heads here.
        readLatent(fields, model);
        readLlamaLike(fields, model);
    }
    readInnerWidth(fields, model, 0);
    model.predictionLayers = fields.numberOr({"num_nextn_predict_layers"}, 0, 64);
    readDeepSeekExperts(fields, model);
}

void readGemma(ConfigFields& fields, TransformerModel& model) {
    if (!fields.object().has("head_dim"))
        fields.fail({"head_dim"}, "the field 'head_dim' is missing", "the width of a head");
    readLlamaLike(fields, model);
    readInnerWidth(fields, model, 0);
    readActivation(fields, model, "gelu_pytorch_tanh");
}

bool isEven(int layer) { return layer % 2 == 0; }

void readGemma2(ConfigFields& fields, TransformerModel& model) {
    readGemma(fields, model);
    model.form = BlockForm::sandwich;
    readWindow(fields, model, isEven);
}

/// Configurations leave out what is as in the smallest one (Gemma3TextConfig).
void readGemma3(ConfigFields& fields, TransformerModel& model) {
    model.layers = fields.numberOr({"num_hidden_layers"}, 26, mostBlocks);
    model.hidden = fields.numberOr({"hidden_size"}, 2304, mostHiddenSize);
    model.heads = fields.numberOr({"num_attention_heads"}, 8, mostHeads);
    model.keyValueHeads = fields.numberOr({"num_key_value_heads"}, 4, mostHeads);
    model.headWidth = fields.numberOr({"head_dim"}, 256, mostHiddenSize);
    model.vocabulary = fields.numberOr({"vocab_size"}, 262208, mostWords);
    readInnerWidth(fields, model, 9216);
    readActivation(fields, model, "gelu_pytorch_tanh");
    readDropouts(fields, model);
    model.norm = NormKind::rms;
    model.gated = model.rotary = model.queryKeyNorm = true;
    model.form = BlockForm::sandwich;
    const bool bias = fields.flagOr({"attention_bias"}, false);
    model.biases = {.queryKeyValue = bias, .output = bias};
    fields.refuseSet("use_bidirectional_attention", "attention to later tokens is not read");
    const int pattern = fields.numberOr({"sliding_window_pattern", "_sliding_window_pattern"}, 6, mostBlocks);
    const bool listed = fields.object().has("layer_types");
    readWindow(fields, model, nullptr);
    if (model.window == 0 && !fields.object().has("sliding_window")) model.window = 4096;
    for (int layer = 0; layer < model.layers && !listed; ++layer)
        model.windowed[static_cast<std::size_t>(layer)] = pattern == 0 || (layer + 1) % pattern != 0;
}

void readPhi3(ConfigFields& fields, TransformerModel& model) { readLlama(fields, model); }

/// Layer norms, biases and no gate, but grouped heads and rotary positions.
void readStarcoder2(ConfigFields& fields, TransformerModel& model) {
    readShape(fields, model);
    readVocabulary(fields, model);
    readInnerWidth(fields, model, 0);
    readActivation(fields, model, "gelu_pytorch_tanh");
    readDropouts(fields, model);
    readWindow(fields, model, nullptr);
    model.rotary = true;
    const bool bias = fields.flagOr({"use_bias"}, true);
    model.biases = {bias, bias, bias};
    if (const std::string norm = fields.textOr({"norm_type"}, "layer_norm"); norm != "layer_norm")
        fields.fail({"norm_type"}, "no norm is called '" + norm.substr(0, 80) + "'", "layer_norm");
    if (const std::string kind = fields.textOr({"mlp_type"}, "default"); kind != "default")
        fields.fail({"mlp_type"}, "no feed-forward network is called '" + kind.substr(0, 80) + "'",
                    "default");
}

}  // namespace

const std::vector<ConfigFamily>& decoderFamilies() {
    static const std::vector<ConfigFamily> families = {
        {{"llama"}, {"LlamaForCausalLM", "LLaMAForCausalLM"}, "Llama", false, readLlama},
        {{"qwen3"}, {"Qwen3ForCausalLM"}, "Qwen3", false, readQwen3},
        {{"qwen3_moe"}, {"Qwen3MoeForCausalLM"}, "Qwen3 MoE", false, readQwen3Moe},
        {{"qwen2"}, {"Qwen2ForCausalLM"}, "Qwen2", false, readQwen2},
        {{"qwen2_moe"}, {"Qwen2MoeForCausalLM"}, "Qwen2 MoE", false, readQwen2Moe},
        {{"deepseek_v3", "kimi_k2"}, {"DeepseekV3ForCausalLM"}, "DeepSeek-V3", false, readDeepSeek},
        {{"deepseek_v2"}, {"DeepseekV2ForCausalLM"}, "DeepSeek-V2", false, readDeepSeek},
        {{"deepseek"}, {"DeepseekForCausalLM"}, "DeepSeek", false, readDeepSeek},
        {{"mistral"}, {"MistralForCausalLM"}, "Mistral", false, readLlama},
        {{"mixtral"}, {"MixtralForCausalLM"}, "Mixtral", false, readMixtral},
        {{"gemma"}, {"GemmaForCausalLM"}, "Gemma", true, readGemma},
        {{"gemma2"}, {"Gemma2ForCausalLM"}, "Gemma 2", true, readGemma2},
        {{"gemma3_text", "gemma3"}, {"Gemma3ForCausalLM"}, "Gemma 3", true, readGemma3},
        {{"phi3"}, {"Phi3ForCausalLM"}, "Phi-3", false, readPhi3},
        {{"starcoder2"}, {"Starcoder2ForCausalLM"}, "StarCoder2", true, readStarcoder2}};
    return families;
}

}  // namespace stagecraft::formats
