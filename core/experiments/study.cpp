#include "core/experiments/study.h"

#include "core/experiments/experiment_json.h"
#include "core/formats/json_reader.h"
#include "core/formats/profiles/network_script.h"
#include "core/training/training_settings.h"

#include <algorithm>

namespace stagecraft::experiments {

using nlohmann::json;

namespace {

constexpr int mostOperators = 1000;

std::vector<Parameter> trainingFields() {
    std::vector<Parameter> fields = training::trainingParameters();
    std::erase_if(fields, [](const Parameter& parameter) { return parameter.name == "seeds"; });
    return fields;
}

TrainingStudy trainingFromJson(const JsonValue& value) {
    static const std::vector<std::string> own = {"seed", "at_epoch", "target_accuracy"};
    static const std::vector<Parameter> fields = trainingFields();
    std::vector<std::string> all = own;
    for (const Parameter& field : fields) all.push_back(field.name);
    const JsonObject object(value, all);
    TrainingStudy study;
    const json rest = withoutFields(value.raw(), own);
    study.values = parametersFromJson(JsonValue(rest, value.file(), value.pointer()), fields);
    ParameterValues filled = defaultValues(fields);
    for (const auto& [name, one] : study.values) filled[name] = one;
    const int epochs = std::get<int>(filled.at("epochs"));
    if (const auto seed = object.optional("seed")) study.seed = static_cast<std::uint64_t>(seed->integer(0));
    study.targetAccuracy = object.nonNegativeOr("target_accuracy", study.targetAccuracy);
    const auto at = object.optional("at_epoch");
    study.atEpoch = at ? at->integer(1, epochs) : epochs;
    return study;
}

ChangeStudy changeFromJson(const JsonValue& value) {
    const JsonObject object(value, {"duration_s", "events", "at_s", "ideal"});
    ChangeStudy study{networkScriptFromJson(object), object.nonNegativeOr("at_s", 0), {}};
    if (const auto ideal = object.optional("ideal"))
        for (const JsonValue& label : ideal->elements()) study.ideal.push_back(label.text());
    return study;
}

PartitionStudy partitionFromJson(const JsonValue& value) {
    const JsonObject object(value, {"stages", "operators_per_layer", "skips_per_layer", "algorithm"});
    PartitionStudy study;
    study.stages = object.required("stages").integer(1, mostOperators);
    if (const auto count = object.optional("operators_per_layer"))
        study.operatorsPerLayer = count->integer(1, mostOperators);
    if (const auto count = object.optional("skips_per_layer"))
        study.skipsPerLayer = count->integer(0, study.operatorsPerLayer);
    static constexpr EnumName<bool> algorithms[] = {{false, "vpipe"}, {true, "kernighan-lin"}};
    if (const auto algorithm = object.optional("algorithm")) study.plain = algorithm->choice(algorithms);
    return study;
}

}  // namespace

bool ChangeStudy::isIdeal(const std::string& label) const {
    return std::find(ideal.begin(), ideal.end(), label) != ideal.end();
}

const std::vector<std::string>& studyFields() {
    static const std::vector<std::string> fields = {"training", "changes", "partition", "largest_microbatch"};
    return fields;
}

bool readsOff(const std::string& pointer) {
    return pointer == "/training/at_epoch" || pointer == "/changes/at_s";
}

Study studyOfRecipe(const json& recipe, const std::string& file, const std::string& pointer) {
    const JsonValue value(recipe, file, pointer);
    Study study;
    json text = json::object();
    std::string first;
    for (const std::string& field : studyFields()) {
        if (!value.has(field)) continue;
        const JsonValue given = value.member(field);
        const bool both = first == "training" && field == "largest_microbatch";
        if (!first.empty() && !both)
            given.fail("'" + field + "' and '" + first + "' exclude each other", "one of the two");
        first = field;
        if (field == "training") study.training = trainingFromJson(given);
        if (field == "changes") study.change = changeFromJson(given);
        if (field == "partition") study.partition = partitionFromJson(given);
        if (field == "largest_microbatch") study.largestMicrobatch = given.boolean();
        text[field] = given.raw();
    }
    if (!first.empty()) study.text = text.dump();
    return study;
}

}  // namespace stagecraft::experiments
