#include "core/base/counted.h"
#include "core/base/text_parts.h"
#include "core/formats/profiles/config_families.h"
#include "core/formats/profiles/operator_graph.h"
#include "core/formats/profiles/profile_format.h"
#include "core/generation/model_tables.h"

#include <algorithm>

namespace stagecraft::formats {

namespace {

/// Fields that change neither the number of parameters nor what a pass over them computes: training, rates,
/// generation, tokens, positions that are computed, how a router weights its choice.
constexpr const char* harmlessFields[] = {"add_cross_attention",
                                          "alibi_bias_max",
                                          "architectures",
                                          "attn_implementation",
                                          "auto_map",
                                          "aux_loss_alpha",
                                          "bad_words_ids",
                                          "begin_suppress_tokens",
                                          "chunk_size_feed_forward",
                                          "decoder_start_token_id",
                                          "diversity_penalty",
                                          "do_sample",
                                          "dtype",
                                          "early_stopping",
                                          "encoder_no_repeat_ngram_size",
                                          "encoder_stride",
                                          "ep_size",
                                          "exponential_decay_length_penalty",
                                          "finetuning_task",
                                          "gradient_checkpointing",
                                          "id2label",
                                          "label2id",
                                          "layer_norm_epsilon",
                                          "layerdrop",
                                          "length_penalty",
                                          "logit_scale",
                                          "masked_softmax_fusion",
                                          "max_length",
                                          "max_sequence_length",
                                          "min_length",
                                          "model_max_length",
                                          "model_type",
                                          "n_ctx",
                                          "n_group",
                                          "no_repeat_ngram_size",
                                          "norm_topk_prob",
                                          "num_beam_groups",
                                          "num_beams",
                                          "num_return_sequences",
                                          "offset_alibi",
                                          "original_max_position_embeddings",
                                          "output_past",
                                          "partial_rotary_factor",
                                          "pretraining_tp",
                                          "problem_type",
                                          "quantization_config",
                                          "query_pre_attn_scalar",
                                          "relative_attention_max_distance",
                                          "reorder_and_upcast_attn",
                                          "repetition_penalty",
                                          "rope_parameters",
                                          "rope_scaling",
                                          "rope_theta",
                                          "rope_local_base_freq",
                                          "rope_interleave",
                                          "rotary",
                                          "rotary_dim",
                                          "rotary_emb_base",
                                          "rotary_pct",
                                          "routed_scaling_factor",
                                          "router_jitter_noise",
                                          "scale_attn_weights",
                                          "scoring_func",
                                          "seq_aux",
                                          "seq_length",
                                          "skip_bias_add",
                                          "skip_bias_add_qkv",
                                          "slow_but_exact",
                                          "suppress_tokens",
                                          "task_specific_params",
                                          "temperature",
                                          "tie_encoder_decoder",
                                          "tokenizer_class",
                                          "top_k",
                                          "top_p",
                                          "topk_group",
                                          "torch_dtype",
                                          "torchscript",
                                          "transformers_version",
                                          "typical_p",
                                          "use_bfloat16",
                                          "use_cache",
                                          "return_dict",
                                          "output_router_logits",
                                          "attention_softmax_in_fp32",
                                          "bias_dropout_fusion",
                                          "use_return_dict",
                                          "cache_implementation",
                                          "prefix",
                                          "initializer_factor",
                                          "apply_residual_connection_post_layernorm",
                                          "_name_or_path",
                                          "unsloth_version",
                                          "unsloth_fixed"};
constexpr std::string_view harmlessEndings[] = {"_token_id", "_token_index", "_eps",   "_epsilon",
                                                "_coef",     "_std",         "_range", "_softcapping",
                                                "_loss",     "_gain"};
constexpr std::string_view harmlessBeginnings[] = {"summary_", "router_aux", "transformers."};

bool isHarmlessField(const std::string& name) {
    return std::find(std::begin(harmlessFields), std::end(harmlessFields), name) !=
               std::end(harmlessFields) ||
           std::any_of(std::begin(harmlessEndings), std::end(harmlessEndings),
                       [&](std::string_view ending) { return name.ends_with(ending); }) ||
           std::any_of(std::begin(harmlessBeginnings), std::end(harmlessBeginnings),
                       [&](std::string_view beginning) { return name.starts_with(beginning); });
}

/// The language model in the configuration of one that sees or hears as well.
constexpr const char* nestedFields[] = {"text_config", "language_config", "llm_config"};

const char* nestedField(const JsonValue& root) {
    for (const char* field : nestedFields)
        if (root.has(field) && root.member(field).isObject()) return field;
    return nullptr;
}

std::string lastPart(const std::string& path) {
    const std::size_t end = path.find_last_not_of('/');
    if (end == std::string::npos) return "";
    const std::size_t slash = path.rfind('/', end);
    return path.substr(slash == std::string::npos ? 0 : slash + 1,
                       end - (slash == std::string::npos ? 0 : slash + 1) + 1);
}

/// "Qwen3-8B" of "Qwen/Qwen3-8B", which some configurations say.
std::string nameIn(const JsonValue& root) {
    if (!root.has("_name_or_path") || !root.member("_name_or_path").raw().is_string()) return "";
    const std::string name = lastPart(root.member("_name_or_path").text());
    return name == "." || name == "config.json" ? "" : name.substr(0, 60);
}

void addNotes(const JsonValue& root, const char* nested, const std::vector<std::string>& unknown,
              std::vector<ImportNote>& notes) {
    std::vector<std::string> beside;
    if (nested)
        for (const std::string& field : root.fieldNames())
            if (field != nested && root.member(field).isObject() && field.ends_with("_config") &&
                field != "quantization_config")
                beside.push_back(field);
    if (!beside.empty())
        notes.push_back(
            {ImportNote::Kind::ignored, "the language model alone is read, not " + joinNames(beside)});
    if (root.has("quantization_config") && !root.member("quantization_config").raw().is_null())
        notes.push_back({ImportNote::Kind::ignored,
                         "quantization_config: all weights count at the precision that is chosen here"});
    if (unknown.empty()) return;
    const std::size_t most = 8;
    std::vector<std::string> listed(unknown.begin(), unknown.begin() + std::min(most, unknown.size()));
    notes.push_back(
        {ImportNote::Kind::ignored,
         "fields that are not known and say nothing of size: " + joinNames(listed) +
             (unknown.size() > most ? " and " + counted(unknown.size() - most, "more", "more") : "")});
}

ModelFile describeHuggingFace(std::string_view text, const std::string& file) {
    const nlohmann::json document = parseJson(text, file);
    const JsonValue root(document, file);
    const char* nested = nestedField(root);
    ConfigFields fields(nested ? root.member(nested) : root);
    const ConfigFamily& family = configFamily(root, nested ? root.member(nested) : root);
    ModelFile read;
    read.format = "a config.json of Hugging Face";
    TransformerModel& model = read.described.model;
    // Some say it beside the language model's own fields.
    if (nested && root.has("tie_word_embeddings") && root.member("tie_word_embeddings").isBoolean())
        model.tied = root.member("tie_word_embeddings").boolean();
    else
        model.tied = family.tied;
    family.read(fields, model);
    model.tied = fields.flagOr({"tie_word_embeddings"}, model.tied);
    const int longest = fields.numberOr({"max_position_embeddings", "n_positions"}, mostTokens, 1 << 30);
    const std::vector<std::string> unknown =
        fields.refuseRest(isHarmlessField, std::string("models of the type ") + family.types.front());
    if (const auto why = whyNoTransformer(model)) {
        const std::size_t border = why->find("; expected ");
        fields.object().fail(why->substr(0, border), why->substr(border + 11));
    }
    constexpr int usualLength = 4096;
    read.described.length = std::max(1, std::min(usualLength, longest));
    if (model.embedding.positions > 0)
        read.described.length = std::min(read.described.length, model.embedding.positions);
    model.title = nameIn(root);
    if (model.title.empty()) model.title = titleOf(family.title, model);
    addNotes(root, nested, unknown, read.notes);
    return read;
}

ImportedProfile readHuggingFace(std::string_view text, const std::string& file,
                                const ProfileImportOptions& options) {
    return profileOfModel(describeHuggingFace(text, file), file, options);
}

}  // namespace

ProfileFormat huggingFaceConfigFormat() {
    return {.ids = {"huggingface"},
            .name = "Hugging Face's config.json",
            .suffixes = {"json"},
            .outermostFields = {"architectures", "num_hidden_layers", "num_attention_heads", "n_layer",
                                "n_embd", "text_config", "transformers_version", "num_key_value_heads",
                                "d_model", "_name_or_path", "max_position_embeddings", "torch_dtype"},
            .read = readHuggingFace,
            .describe = describeHuggingFace};
}

}  // namespace stagecraft::formats
