#include "core/programs/program_description.h"

#include "core/formats/json_reader.h"

#include <algorithm>

namespace stagecraft::programs {

const char* const timeLimitName = "time_limit_s";

Parameter timeLimitParameter() {
    return {timeLimitName, "Time limit", "Seconds after which the program is ended.", 60.0, 0.1, 86400, {}};
}

namespace {

/// Of numbers for which the program gives no bounds.
constexpr double usualBound = 1e9;

bool isName(const std::string& text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char letter) {
        return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '_';
    });
}

/// Of a JSON value: its type is the parameter's.
ParameterValue defaultFromJson(const JsonValue& value) {
    if (value.isBoolean()) return value.boolean();
    if (value.raw().is_number_integer()) return value.integer(std::numeric_limits<int>::min());
    if (value.isNumber()) return value.number();
    return value.text();
}

Parameter parameterFromJson(const JsonValue& value) {
    const JsonObject object(value,
                            {"name", "label", "description", "default", "minimum", "maximum", "choices"});
    Parameter parameter;
    const JsonValue name = object.required("name");
    parameter.name = name.text();
    if (!isName(parameter.name))
        name.fail("'" + parameter.name + "' is no name", "small letters, digits and _");
    if (parameter.name == timeLimitName) name.fail("every program has that parameter", "another name");
    parameter.label = object.textOr("label", parameter.name);
    parameter.description = object.textOr("description", parameter.label);
    const JsonValue given = object.required("default");
    parameter.defaultValue = defaultFromJson(given);
    parameter.minimum = -usualBound;
    parameter.maximum = usualBound;
    if (const auto minimum = object.optional("minimum")) parameter.minimum = minimum->number();
    if (const auto maximum = object.optional("maximum")) parameter.maximum = maximum->number();
    if (const auto choices = object.optional("choices"))
        for (const JsonValue& choice : choices->elements()) parameter.choices.push_back(choice.text());
    try {
        readParameter(parameter, toText(parameter.defaultValue));
    } catch (const std::invalid_argument& error) {
        given.fail(error.what(), "a default that the parameter may have");
    }
    return parameter;
}

ProgramDescription descriptionFromJson(const JsonValue& root, ProgramDescription described) {
    const JsonObject object(root, {"id", "title", "summary", "source", "kind", "parameters"});
    if (const auto id = object.optional("id")) {
        described.id = id->text();
        if (described.id.empty() || described.id.find_first_of(",:/ \t\n") != std::string::npos)
            id->fail("'" + described.id + "' is no id", "a word without blanks, commas, colons and slashes");
    }
    described.title = object.textOr("title", described.title);
    described.summary = object.textOr("summary", "");
    described.source = object.textOr("source", "");
    if (const auto kind = object.optional("kind")) described.kind = kind->choice(programKindNames);
    if (const auto parameters = object.optional("parameters"))
        for (const JsonValue& entry : parameters->elements()) {
            Parameter parameter = parameterFromJson(entry);
            for (const Parameter& other : described.parameters)
                if (other.name == parameter.name)
                    entry.fail("a second parameter is called '" + parameter.name + "'", "a unique name");
            described.parameters.push_back(std::move(parameter));
        }
    return described;
}

/// Any object that says at least what it is; a program that knows no --describe may answer with a plan.
bool isDescription(const nlohmann::json& document) {
    return document.is_object() &&
           (document.contains("id") || document.contains("title") || document.contains("kind"));
}

}  // namespace

ProgramDescription describe(const ProgramFile& program, const WorkContext& context) {
    ProgramDescription described;
    described.id = program.path.stem().string();
    described.title = program.path.filename().string();
    ProgramLimits limits;
    limits.timeS = 5;
    limits.outputBytes = std::size_t{1} << 20;
    WorkContext quiet;
    quiet.stop = context.stop;
    std::string answer;
    try {
        answer = runProgram(program, {"--describe"}, "", limits, quiet);
    } catch (const ProgramFailure&) {
        return described;
    }
    if (!isDescription(nlohmann::json::parse(answer, nullptr, false))) return described;
    const std::string name = program.name + " --describe";
    const nlohmann::json document = parseJson(answer, name);
    return descriptionFromJson(JsonValue(document, name), std::move(described));
}

}  // namespace stagecraft::programs
