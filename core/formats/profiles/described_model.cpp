#include "core/formats/profiles/described_model.h"

#include "core/base/counted.h"
#include "core/formats/profiles/efficiency_file.h"
#include "core/generation/model_tables.h"

#include <set>
#include <stdexcept>

namespace stagecraft::formats {

namespace {

std::string listOfParts(const ParameterTable& table) {
    std::string text;
    for (const auto& [name, count] : namedParts(table))
        text += (text.empty() ? "parameters by part: " : ", ") + name + " " + parametersText(count);
    return text;
}

ImportNote countsOf(const TransformerModel& model, const ParameterTable& table) {
    std::string text = counted(model.layers, "layer") + " of width " + grouped(model.hidden) + ", " +
                       parametersText(table.total()) + " parameters";
    if (table.idle > 0) text += ", of which a token takes " + parametersText(table.active());
    return {ImportNote::Kind::took, text};
}

/// One note for all that was not said.
ImportNote assumptions(const DescribedModel& described, const ParameterValues& given) {
    std::string text;
    const std::set<std::string> named = {"sequence_length", "attention", "prediction_layers", "gpu",
                                         "precision"};
    for (const Parameter& parameter : describedParameters(described)) {
        if (!named.contains(parameter.name) || given.contains(parameter.name)) continue;
        text += (text.empty() ? "" : ", ") + parameter.name + "=" + toText(parameter.defaultValue);
    }
    return {ImportNote::Kind::assumed, text};
}

/// A sentence with "; expected …" as the two parts of a complaint.
[[noreturn]] void refuseValues(const std::string& file, const std::string& sentence) {
    const std::string border = "; expected ";
    const std::size_t at = sentence.find(border);
    if (at == std::string::npos) throw InputError(file, "", sentence, "values that go together");
    throw InputError(file, "", sentence.substr(0, at), sentence.substr(at + border.size()));
}

}  // namespace

ImportedProfile profileOfModel(const ModelFile& model, const std::string& file,
                               const ProfileImportOptions& options) {
    ParameterValues given;
    // A value that this model does not have is of another one: images have no sequence length.
    for (const Parameter& parameter : describedParameters(model.described))
        if (const auto value = options.described.find(parameter.name); value != options.described.end())
            given.insert(*value);
    if (options.microbatchSize > 0) given["microbatch_size"] = options.microbatchSize;
    ImportedProfile imported;
    try {
        imported.profile = describedProfile(model.described, given, readEfficiencyFile);
    } catch (const std::invalid_argument& error) {
        refuseValues(file, error.what());
    }
    const ParameterTable table = parameterTable(model.described.model);
    imported.profile.source += " " + partsText(table) + " The shape is that of " + model.format + ".";
    imported.notes = {countsOf(model.described.model, table),
                      {ImportNote::Kind::derived, listOfParts(table)}};
    imported.notes.insert(imported.notes.end(), model.notes.begin(), model.notes.end());
    if (ImportNote assumed = assumptions(model.described, given); !assumed.text.empty())
        imported.notes.push_back(std::move(assumed));
    return imported;
}

int headWidthOf(int hidden, int heads,
                const std::function<void(const std::string&, const std::string&)>& fail) {
    if (hidden % heads != 0)
        fail(counted(heads, "head does", "heads do") + " not divide a width of " + std::to_string(hidden),
             "heads that divide it, or the width of a head");
    return hidden / heads;
}

std::string titleOf(const std::string& family, const TransformerModel& model) {
    return family + " " + parametersText(parameterTable(model).total());
}

}  // namespace stagecraft::formats
