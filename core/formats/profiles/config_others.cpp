#include "core/formats/profiles/config_families.h"
#include "core/formats/profiles/described_model.h"

#include <algorithm>

namespace stagecraft::formats {

namespace {

/// Layer norms, and a feed-forward network without a gate, four times as wide as a token unless it says so.
void readGptLike(ConfigFields& fields, TransformerModel& model, const std::string& activation) {
    readShape(fields, model);
    readVocabulary(fields, model);
    readInnerWidth(fields, model, 4 * model.hidden);
    readActivation(fields, model, activation);
    readDropouts(fields, model);
}

void readGpt2(ConfigFields& fields, TransformerModel& model) {
    readGptLike(fields, model, "gelu_new");
    model.biases = {true, true, true};
    model.embedding.positions = fields.numberOr({"n_positions", "max_position_embeddings"}, 1024, mostTokens);
    if (fields.flagOr({"multi_query"}, false)) model.keyValueHeads = 1;
    fields.flagOr({"scale_attn_by_inverse_layer_idx"}, false);
}

void readNeoX(ConfigFields& fields, TransformerModel& model) {
    readGptLike(fields, model, "gelu");
    const bool bias = fields.flagOr({"attention_bias"}, true);
    model.biases = {bias, bias, true};
    model.rotary = true;
    model.form =
        fields.flagOr({"use_parallel_residual"}, true) ? BlockForm::parallelTwoNorms : BlockForm::preNorm;
}

void readGptJ(ConfigFields& fields, TransformerModel& model) {
    readGptLike(fields, model, "gelu_new");
    model.biases = {.ffn = true};
    model.rotary = true;
    model.form = BlockForm::parallel;
    model.head.bias = true;
}

void readOpt(ConfigFields& fields, TransformerModel& model) {
    readGptLike(fields, model, "relu");
    const bool bias = fields.flagOr({"enable_bias"}, true);
    model.biases = {bias, bias, bias};
    model.normScales = fields.flagOr({"layer_norm_elementwise_affine"}, true);
    constexpr int padding = 2;  // rows of the table that no position has
    model.embedding.positions = fields.required({"max_position_embeddings"}, mostTokens) + padding;
    const int width = fields.numberOr({"word_embed_proj_dim"}, model.hidden, mostHiddenSize);
    model.embedding.width = width == model.hidden ? 0 : width;
    if (!fields.flagOr({"do_layer_norm_before"}, true)) {
        model.form = BlockForm::postNorm;
        model.finalNorm = false;
    }
    if (fields.flagOr({"_remove_final_layer_norm"}, false)) model.finalNorm = false;
}

void readBloom(ConfigFields& fields, TransformerModel& model) {
    readGptLike(fields, model, "gelu");
    model.biases = {true, true, true};
    model.embedding.norm = true;
}

void readFalcon(ConfigFields& fields, TransformerModel& model) {
    const bool isNew = fields.flagOr({"new_decoder_architecture"}, false);
    const bool oneHead = fields.flagOr({"multi_query"}, true);
    const bool parallel = fields.flagOr({"parallel_attn"}, true);
    readGptLike(fields, model, "gelu");
    if (!isNew) model.keyValueHeads = oneHead ? 1 : model.heads;
    const bool bias = fields.flagOr({"bias"}, false);
    model.biases = {bias, bias, bias};
    model.rotary = !fields.flagOr({"alibi"}, false);
    const int norms = fields.numberOr({"num_ln_in_parallel_attn"}, isNew ? 2 : 1, 2);
    if (isNew || parallel) model.form = norms == 2 ? BlockForm::parallelTwoNorms : BlockForm::parallel;
}

void readPhi(ConfigFields& fields, TransformerModel& model) {
    readGptLike(fields, model, "gelu_new");
    model.biases = {true, true, true};
    model.rotary = true;
    model.form = BlockForm::parallel;
    model.head.bias = true;
    fields.refuseSet("qk_layernorm", "norms of queries and keys with shifts of their own are not read");
}

bool isNamed(const JsonValue& config, const char* ending) {
    if (!config.has("architectures") || !config.member("architectures").isArray()) return false;
    for (const JsonValue& name : config.member("architectures").elements())
        if (name.text().ends_with(ending)) return true;
    return false;
}

/// "id2label" or "num_labels".
int labelsOf(ConfigFields& fields, int fallback) {
    if (const auto labels = fields.take({"id2label"}); labels && labels->isObject())
        if (const std::size_t count = labels->fieldNames().size(); count > 0) return static_cast<int>(count);
    return fields.numberOr({"num_labels"}, fallback, mostWords);
}

/// For masked words, or with the classifier that "architectures" names; the encoder alone has its pooler.
void readBertHead(ConfigFields& fields, TransformerModel& model) {
    const JsonValue& config = fields.object();
    const bool pretrained = isNamed(config, "ForPreTraining"), words = isNamed(config, "ForMaskedLM");
    const bool classified = isNamed(config, "ForSequenceClassification");
    model.head.vocabulary = model.head.transform = model.head.bias = pretrained || words;
    model.head.pooler = !words;
    model.head.classes = pretrained ? 2 : classified ? labelsOf(fields, 2) : 0;
}

void readBert(ConfigFields& fields, TransformerModel& model) {
    readGptLike(fields, model, "gelu");
    model.biases = {true, true, true};
    model.form = BlockForm::postNorm;
    model.finalNorm = false;
    model.causal = false;
    model.embedding.norm = true;
    model.embedding.positions = fields.required({"max_position_embeddings"}, mostTokens);
    model.embedding.tokenTypes = fields.numberOr({"type_vocab_size"}, 2, mostWords);
    if (const std::string kind = fields.textOr({"position_embedding_type"}, "absolute"); kind != "absolute")
        fields.fail({"position_embedding_type"}, "no positions are called '" + kind.substr(0, 80) + "'",
                    "absolute");
    fields.refuseSet("is_decoder", "a BERT that decodes is not read");
    readBertHead(fields, model);
}

/// An encoder and a decoder with relative positions and no biases (Raffel et al., 2020).
void readT5(ConfigFields& fields, TransformerModel& model) {
    readShape(fields, model);
    readVocabulary(fields, model);
    readInnerWidth(fields, model, 0);
    readDropouts(fields, model);
    model.decoderLayers = fields.numberOr({"num_decoder_layers"}, model.layers, mostBlocks);
    if (model.decoderLayers == 0) fields.fail({"num_decoder_layers"}, "the number is 0", "1 or more");
    model.norm = NormKind::rms;
    model.causal = false;
    model.relativeBuckets = fields.numberOr({"relative_attention_num_buckets"}, 32, mostTokens);
    fields.flagOr({"is_encoder_decoder"}, true);
    const std::string kind = fields.textOr({"feed_forward_proj"}, "relu");
    // These two follow from it.
    fields.textOr({"dense_act_fn"}, "");
    fields.flagOr({"is_gated_act"}, false);
    const std::vector<std::string> known = {"relu", "gated-gelu", "gated-silu"};
    if (std::find(known.begin(), known.end(), kind) == known.end())
        fields.fail({"feed_forward_proj"}, "no feed-forward network is called '" + kind.substr(0, 80) + "'",
                    "one of " + joinNames(known));
    model.gated = kind != "relu";
    model.activation = kind == "relu"         ? Activation::relu
                       : kind == "gated-gelu" ? Activation::gelu
                                              : Activation::silu;
}

/// Patches of an image, with a classifier where "architectures" names one, else with the pooler.
void readVit(ConfigFields& fields, TransformerModel& model) {
    readShape(fields, model);
    readInnerWidth(fields, model, 4 * model.hidden);
    readActivation(fields, model, "gelu");
    readDropouts(fields, model);
    model.causal = false;
    model.image.size = fields.required({"image_size"}, mostHeads);
    const ConfigFields::Names patch = {"patch_size"};
    model.image.patch = fields.required(patch, mostHeads);
    if (model.image.size % model.image.patch != 0 || model.image.size / model.image.patch > 1024)
        fields.fail(patch,
                    "patches of " + std::to_string(model.image.patch) + " pixels do not fill an image of " +
                        std::to_string(model.image.size),
                    "a patch size that divides the image size, at most 1024 times");
    model.image.channels = fields.numberOr({"num_channels"}, 3, 4096);
    model.biases = {fields.flagOr({"qkv_bias"}, true), true, true};
    const bool classified = isNamed(fields.object(), "ForImageClassification");
    model.head.vocabulary = false;
    model.head.classes = classified ? labelsOf(fields, 2) : 0;
    model.head.pooler = !classified;
    const ConfigFields::Names pooled = {"pooler_output_size"};
    if (fields.numberOr(pooled, model.hidden, mostHiddenSize) != model.hidden)
        fields.fail(pooled, "the pooler has another width than a token", std::to_string(model.hidden));
    fields.textOr({"pooler_act"}, "tanh");
}

}  // namespace

const std::vector<ConfigFamily>& otherFamilies() {
    static const std::vector<ConfigFamily> families = {
        {{"gpt2", "gpt_bigcode"}, {"GPT2", "GPTBigCode"}, "GPT-2", true, readGpt2},
        {{"gpt_neox"}, {"GPTNeoX"}, "GPT-NeoX", false, readNeoX},
        {{"gptj"}, {"GPTJ"}, "GPT-J", false, readGptJ},
        {{"opt"}, {"OPT"}, "OPT", true, readOpt},
        {{"bloom"}, {"Bloom"}, "BLOOM", true, readBloom},
        {{"falcon", "RefinedWebModel", "RefinedWeb"},
         {"Falcon", "RWForCausalLM"},
         "Falcon",
         true,
         readFalcon},
        {{"phi"}, {"PhiForCausalLM"}, "Phi", false, readPhi},
        {{"bert", "roberta"}, {"Bert", "Roberta"}, "BERT", true, readBert},
        {{"t5"}, {"T5"}, "T5", true, readT5},
        {{"mt5"}, {"MT5"}, "mT5", false, readT5},
        {{"vit"}, {"ViT"}, "ViT", false, readVit}};
    return families;
}

}  // namespace stagecraft::formats
