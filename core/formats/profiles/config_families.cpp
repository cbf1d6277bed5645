#include "core/formats/profiles/config_families.h"

#include "core/base/counted.h"
#include "core/formats/profiles/described_model.h"

#include <algorithm>

namespace stagecraft::formats {

namespace {

const std::vector<const ConfigFamily*>& allFamilies() {
    static const std::vector<const ConfigFamily*> all = [] {
        std::vector<const ConfigFamily*> list;
        for (const auto* families : {&decoderFamilies(), &otherFamilies()})
            for (const ConfigFamily& family : *families) list.push_back(&family);
        return list;
    }();
    return all;
}

const ConfigFamily* familyOfType(const std::string& type) {
    for (const ConfigFamily* family : allFamilies())
        if (std::find(family->types.begin(), family->types.end(), type) != family->types.end()) return family;
    return nullptr;
}

const ConfigFamily* familyOfArchitecture(const std::string& architecture) {
    for (const ConfigFamily* family : allFamilies())
        for (const std::string& beginning : family->architectures)
            if (architecture.starts_with(beginning)) return family;
    return nullptr;
}

/// The first of "architectures"; empty if there is none.
std::string architectureOf(const JsonValue& root) {
    if (!root.has("architectures") || !root.member("architectures").isArray()) return "";
    const std::vector<JsonValue> names = root.member("architectures").elements();
    return names.empty() ? "" : names.front().text();
}

struct ActivationSpelling {
    const char* name;
    Activation activation;
};
constexpr ActivationSpelling activationSpellings[] = {
    {"silu", Activation::silu},         {"swish", Activation::silu},
    {"gelu", Activation::gelu},         {"gelu_new", Activation::gelu},
    {"gelu_fast", Activation::gelu},    {"gelu_pytorch_tanh", Activation::gelu},
    {"relu", Activation::relu},         {"gelu_python", Activation::gelu},
    {"gelu_10", Activation::gelu},      {"quick_gelu", Activation::gelu},
    {"gelu_accurate", Activation::gelu}};

}  // namespace

const ConfigFamily& configFamily(const JsonValue& root, const JsonValue& fields) {
    if (fields.has("model_type") && !fields.member("model_type").raw().is_null()) {
        const std::string& type = fields.member("model_type").text();
        if (const ConfigFamily* family = familyOfType(type)) return *family;
        fields.member("model_type")
            .fail("the model type '" + type.substr(0, 80) + "' is not known" +
                      spellingHint(type, configTypes()),
                  "one of " + joinNames(configTypes()));
    }
    if (const std::string name = architectureOf(root); !name.empty()) {
        if (const ConfigFamily* family = familyOfArchitecture(name)) return *family;
        root.member("architectures")
            .fail("the architecture '" + name.substr(0, 80) + "' is not known",
                  "a field 'model_type', one of " + joinNames(configTypes()));
    }
    fields.fail("the field 'model_type' is missing", "one of " + joinNames(configTypes()));
}

std::vector<std::string> configTypes() {
    std::vector<std::string> types;
    for (const ConfigFamily* family : allFamilies())
        types.insert(types.end(), family->types.begin(), family->types.end());
    return types;
}

void readShape(ConfigFields& fields, TransformerModel& model) {
    model.layers = fields.required(
        {"num_hidden_layers", "n_layer", "n_layers", "num_layers", "num_encoder_layers"}, mostBlocks);
    model.hidden = fields.required({"hidden_size", "n_embd", "d_model", "n_embed"}, mostHiddenSize);
    const ConfigFields::Names heads = {"num_attention_heads", "n_head", "n_heads", "num_heads"};
    model.heads = fields.required(heads, mostHeads);
    const ConfigFields::Names shared = {"num_key_value_heads", "num_kv_heads", "n_head_kv"};
    model.keyValueHeads = fields.numberOr(shared, model.heads, mostHeads);
    if (model.keyValueHeads < 1 || model.heads % model.keyValueHeads != 0)
        fields.fail(shared,
                    counted(model.keyValueHeads, "key and value head does", "key and value heads do") +
                        " not divide " + counted(model.heads, "head"),
                    "heads that share them evenly");
    model.headWidth = fields.numberOr({"head_dim", "d_kv", "kv_channels"}, 0, mostHiddenSize);
    // Latent attention says the widths of its heads itself.
    if (model.headWidth == 0 && !model.latent)
        model.headWidth = headWidthOf(model.hidden, model.heads,
                                      [&](const std::string& problem, const std::string& expected) {
                                          fields.fail(heads, problem, expected);
                                      });
}

void readVocabulary(ConfigFields& fields, TransformerModel& model) {
    model.vocabulary = fields.required({"vocab_size", "padded_vocab_size"}, mostWords);
}

void readInnerWidth(ConfigFields& fields, TransformerModel& model, int fallback) {
    const ConfigFields::Names names = {"intermediate_size", "ffn_dim", "d_ff", "n_inner", "ffn_hidden_size"};
    model.ffn = fallback > 0 ? fields.numberOr(names, fallback, mostInnerWidth)
                             : fields.required(names, mostInnerWidth);
    if (model.ffn == 0) fields.fail(names, "the number is 0", "1 or more");
}

void readActivation(ConfigFields& fields, TransformerModel& model, const std::string& fallback) {
    const ConfigFields::Names names = {"activation", "activation_function", "hidden_act",
                                       "hidden_activation"};
    // Gemma's say both, and the older one otherwise.
    std::string name = fallback;
    for (const std::string& field : names)
        if (const auto value = fields.take({field})) name = value->text();
    for (const ActivationSpelling& spelling : activationSpellings)
        if (name == spelling.name) {
            model.activation = spelling.activation;
            return;
        }
    std::vector<std::string> known;
    for (const ActivationSpelling& spelling : activationSpellings) known.emplace_back(spelling.name);
    fields.fail(names, "no activation is called '" + name.substr(0, 80) + "'", "one of " + joinNames(known));
}

void readDropouts(ConfigFields& fields, TransformerModel& model) {
    model.dropout = fields.anyPositive({"resid_pdrop", "embd_pdrop", "attn_pdrop", "hidden_dropout_prob",
                                        "attention_probs_dropout_prob", "hidden_dropout", "attention_dropout",
                                        "dropout", "dropout_rate", "activation_dropout", "embedding_dropout",
                                        "classifier_dropout", "residual_dropout", "embed_dropout"});
}

void readWindow(ConfigFields& fields, TransformerModel& model, bool (*windowed)(int layer)) {
    model.window = fields.numberOr({"sliding_window", "sliding_window_size"}, 0, mostTokens * 16);
    const auto types = fields.take({"layer_types"});
    for (int layer = 0; layer < model.layers; ++layer) model.windowed.push_back(!windowed || windowed(layer));
    if (!types) return;
    const std::vector<JsonValue> entries = types->elements();
    if (static_cast<int>(entries.size()) != model.layers)
        types->fail(
            (entries.size() == 1 ? "there is " : "there are ") + counted(entries.size(), "entry", "entries"),
            "one for each of the " + counted(model.layers, "layer"));
    for (std::size_t layer = 0; layer < entries.size(); ++layer)
        model.windowed[layer] =
            entries[layer].choice({"full_attention", "sliding_attention"}) == "sliding_attention";
}

}  // namespace stagecraft::formats
