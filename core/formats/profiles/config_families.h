#pragma once

#include "core/formats/profiles/config_fields.h"
#include "core/generation/transformer_model.h"

#include <string>
#include <vector>

namespace stagecraft::formats {

/// A family of models as Hugging Face's transformers configures them: what its fields mean, and what those
/// that are missing stand for.
struct ConfigFamily {
    std::vector<std::string> types;          ///< "model_type" of those that are read so
    std::vector<std::string> architectures;  ///< beginnings of "architectures", where there is no type
    std::string title;                       ///< "Qwen3"
    bool tied = false;                       ///< where "tie_word_embeddings" is missing
    /// Fills in all but title and `tied`.
    void (*read)(ConfigFields& fields, TransformerModel& model);
};

/// Rows of config_decoders.cpp and config_others.cpp.
const std::vector<ConfigFamily>& decoderFamilies();
const std::vector<ConfigFamily>& otherFamilies();

/// That of a configuration. @param root the whole file @param fields the part that describes the model
/// @throws InputError for a type that is not known
const ConfigFamily& configFamily(const JsonValue& root, const JsonValue& fields);
/// The types that are read.
std::vector<std::string> configTypes();

// What families share.

/// Layers, width, heads, and the width of a head; "num_hidden_layers" and older names.
void readShape(ConfigFields& fields, TransformerModel& model);
/// Words; for those that have them also rates of dropouts.
void readVocabulary(ConfigFields& fields, TransformerModel& model);
/// The inner width of the feed-forward network; 0: must be given.
void readInnerWidth(ConfigFields& fields, TransformerModel& model, int fallback);
/// "hidden_act" and older names.
void readActivation(ConfigFields& fields, TransformerModel& model, const std::string& fallback);
void readDropouts(ConfigFields& fields, TransformerModel& model);
/// "sliding_window" and "layer_types".
/// @param windowed whether the window holds in a layer, where the file does not say
void readWindow(ConfigFields& fields, TransformerModel& model, bool (*windowed)(int layer));

}  // namespace stagecraft::formats
