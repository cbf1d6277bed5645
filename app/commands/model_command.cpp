// What a model is made of: parameters by part, FLOPs, and what its layers keep.
#include "app/commands/command.h"
#include "app/commands/model_options.h"
#include "app/commands/text_table.h"
#include "core/base/counted.h"
#include "core/base/units.h"
#include "core/formats/files/import.h"
#include "core/formats/json_writer.h"
#include "core/formats/profiles/profile_format.h"
#include "core/generation/group_share.h"
#include "core/generation/model_rows.h"
#include "core/generation/model_tables.h"
#include "core/model/model_names.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <stdexcept>

namespace stagecraft::app::commands {

using nlohmann::ordered_json;

namespace {

/// A model and what was said about how it is trained.
struct ReportedModel {
    DescribedModel described;
    TransformerRun run;
    Precision precision = Precision::bf16;
    GroupDegrees degrees;
    NetworkDescription network;
    ParameterTable parameters;
    FlopTable flops;

    double tokens() const {
        const TransformerModel& model = described.model;
        return model.image.size > 0 ? model.patchTokens() : run.sequenceLength;
    }
};

DescribedModel describedBy(const std::string& word) {
    for (const ModelRow& row : modelRows())
        if (row.name == word) return {row.model, row.length};
    std::vector<std::string> names;
    for (const ModelRow& row : modelRows()) names.push_back(row.name);
    std::error_code error;
    if (!std::filesystem::exists(word, error))
        throw UsageError("'" + word + "' is neither a file nor a model" + spellingHint(word, names) +
                         "; expected a config.json, or one of " + joinNames(names));
    const std::string text = readTextFile(word);
    const ProfileFormat* format = profileFormatOf(detectKind(text));
    if (!format || !format->describe)
        throw InputError(word, "", "this does not describe a transformer",
                         "a config.json of Hugging Face, or a model of SimuMax or Calculon");
    return format->describe(text, word).described;
}

/// "4 data x 8 tensor x 1 context, sequence parallel".
std::string degreesText(const GroupDegrees& degrees) {
    std::string text = std::to_string(degrees.data) + " data x " + std::to_string(degrees.tensor) +
                       " tensor x " + std::to_string(degrees.context) + " context";
    if (degrees.expert > 1) text += ", experts on " + std::to_string(degrees.expert);
    if (degrees.sequenceParallel) text += ", sequence parallel";
    return text;
}

GroupDegrees degreesFrom(const Arguments& arguments, const TransformerModel& model, int tokens) {
    const auto degree = [&](const char* option) { return arguments.integer(option, 1).value_or(1); };
    const GroupDegrees degrees{
        {degree("tensor"), degree("context"), degree("expert"), arguments.has("sequence-parallel")},
        degree("data")};
    if (const auto why = whyNoGroup(model, degrees, tokens)) throw UsageError(*why);
    return degrees;
}

ReportedModel reportedModel(const Arguments& arguments) {
    ReportedModel report;
    report.described = describedBy(arguments.positionalAt(0, "FILE or MODEL"));
    const ParameterValues values = describedValues(arguments);
    report.run = transformerRun(report.described.model, values, report.described.length);
    if (const auto precision = arguments.choice("precision", precisionNames)) report.precision = *precision;
    try {
        report.network = transformerNetwork(report.described.model, report.run);
    } catch (const std::invalid_argument& error) {
        throw UsageError(error.what());
    }
    report.degrees = degreesFrom(arguments, report.described.model, static_cast<int>(report.tokens()));
    report.parameters = parameterTable(report.described.model);
    report.flops = flopTable(report.described.model, report.run);
    return report;
}

/// Layers that keep the same stand for one another: the first of each kind, and how many there are.
std::vector<std::pair<const NetworkLayer*, int>> kindsOfLayers(const ReportedModel& report) {
    std::vector<std::pair<const NetworkLayer*, int>> kinds;
    const auto alike = [](const NetworkLayer& a, const NetworkLayer& b) {
        const std::vector<KeptTensor> first = keptTensors(a, 2), second = keptTensors(b, 2);
        return a.role == b.role && a.parameters() == b.parameters() &&
               std::equal(first.begin(), first.end(), second.begin(), second.end(),
                          [](const KeptTensor& one, const KeptTensor& other) {
                              return one.name == other.name && one.bytes == other.bytes;
                          });
    };
    for (const NetworkLayer& layer : report.network.layers) {
        bool known = false;
        for (auto& [kind, count] : kinds)
            if (!known && alike(*kind, layer)) {
                ++count;
                known = true;
            }
        if (!known) kinds.emplace_back(&layer, 1);
    }
    return kinds;
}

ordered_json sentJson(const SentBytes& sent) {
    return {{"tensor", sent.tensor},
            {"tensor_regather", sent.tensorRegather},
            {"context", sent.context},
            {"expert", sent.expert}};
}

/// What one rank of the group has of each kind of layer, of a microbatch of one sample.
ordered_json rankJson(const ReportedModel& report) {
    const double bytes = elementBytes(report.precision);
    ordered_json layers = ordered_json::array();
    for (const auto& [layer, count] : kindsOfLayers(report)) {
        const RankShare share = rankShare(*layer, report.degrees, 1, bytes);
        layers.push_back(
            {{"first", layer->name},
             {"count", count},
             {"dense_parameters", share.denseParameters},
             {"expert_parameters", share.expertParameters},
             {"stored_bytes", share.keptBytes()},
             {"boundary_bytes", boundaryBytes(*layer, report.degrees, 1, bytes)},
             {"sent_bytes", {{"forward", sentJson(share.forward)}, {"backward", sentJson(share.backward)}}}});
    }
    return {{"data", report.degrees.data},
            {"tensor", report.degrees.tensor},
            {"context", report.degrees.context},
            {"expert", report.degrees.expert},
            {"sequence_parallel", report.degrees.sequenceParallel},
            {"layers", std::move(layers)}};
}

ordered_json modelJson(const ReportedModel& report) {
    const ParameterTable& table = report.parameters;
    ordered_json parts = ordered_json::object();
    for (const auto& [name, count] : namedParts(table)) parts[name] = count;
    ordered_json layers = ordered_json::array();
    for (const auto& [layer, count] : kindsOfLayers(report)) {
        ordered_json kept = ordered_json::array();
        for (const KeptTensor& tensor : keptTensors(*layer, elementBytes(report.precision)))
            kept.push_back({{"name", tensor.name},
                            {"cause", nameOf(activationCauseNames, tensor.cause)},
                            {"bytes", tensor.bytes}});
        layers.push_back({{"first", layer->name},
                          {"count", count},
                          {"parameters", layer->parameters()},
                          {"forward_flops", layer->forwardFlops()},
                          {"stored_bytes", layer->storedBytes(elementBytes(report.precision))},
                          {"stored", std::move(kept)}});
    }
    return {{"model", report.described.model.title},
            {"shape", report.network.notes},
            {"parameters",
             {{"total", table.total()},
              {"active", table.active()},
              {"prediction_layers", table.prediction},
              {"parts", std::move(parts)}}},
            {"tokens", report.tokens()},
            {"forward_flops",
             {{"matrices", report.flops.matrices},
              {"attention", report.flops.attention},
              {"head", report.flops.head},
              {"total", report.flops.forward()}}},
            {"training_flops_per_token", 3 * report.flops.forward() / report.tokens()},
            {"precision", nameOf(precisionNames, report.precision)},
            {"layers", std::move(layers)},
            {"rank", rankJson(report)}};
}

std::string wholeText(double count) { return grouped(std::llround(count)); }

void printParameterTable(const ParameterTable& table, std::ostream& out) {
    TextTable text({"Parameters", "count", "share"});
    for (const auto& [name, count] : namedParts(table))
        text.add({name, wholeText(count), formatPercent(count / table.total())});
    text.add({"total", wholeText(table.total()), parametersText(table.total())});
    if (table.idle > 0)
        text.add(
            {"taken by a token", wholeText(table.active()), formatPercent(table.active() / table.total())});
    if (table.prediction > 0) text.add({"prediction layers, apart", wholeText(table.prediction), ""});
    text.print(out);
}

void printFlopTable(const ReportedModel& report, std::ostream& out) {
    TextTable text({"FLOPs of a sample", "TFLOP", "GFLOP per token"});
    const std::pair<const char*, double> rows[] = {{"products with weights", report.flops.matrices},
                                                   {"attention", report.flops.attention},
                                                   {"head", report.flops.head},
                                                   {"forward", report.flops.forward()},
                                                   {"forward and backward", 3 * report.flops.forward()}};
    for (const auto& [name, flops] : rows)
        text.add({name, formatNumber(flops / 1e12), formatNumber(flops / report.tokens() / 1e9)});
    text.print(out);
}

void printStored(const ReportedModel& report, std::ostream& out) {
    const double bytes = elementBytes(report.precision);
    TextTable text(
        {"Stored of a sample at " + std::string(nameOf(precisionNames, report.precision)), "cause", "bytes"});
    for (const auto& [layer, count] : kindsOfLayers(report)) {
        text.add({layer->name + (count > 1 ? " and " + counted(count - 1, "layer") + " like it" : ""), "",
                  formatBytes(layer->storedBytes(bytes))});
        for (const KeptTensor& tensor : keptTensors(*layer, bytes))
            text.add(
                {"  " + tensor.name, nameOf(activationCauseNames, tensor.cause), formatBytes(tensor.bytes)});
    }
    text.print(out);
}

void printRank(const ReportedModel& report, std::ostream& out) {
    const double bytes = elementBytes(report.precision);
    out << "One rank of " << degreesText(report.degrees)
        << ", for a microbatch of one sample; gradients, which copies sum up, are not counted as sent\n";
    TextTable text({"Layer", "parameters", "stored", "sent forward", "sent backward"});
    for (const auto& [layer, count] : kindsOfLayers(report)) {
        const RankShare share = rankShare(*layer, report.degrees, 1, bytes);
        text.add({layer->name + (count > 1 ? " and " + counted(count - 1, "layer") + " like it" : ""),
                  wholeText(share.denseParameters + share.expertParameters), formatBytes(share.keptBytes()),
                  formatBytes(share.forward.total()), formatBytes(share.backward.total())});
    }
    text.print(out);
}

int runModel(const Arguments& arguments, std::ostream& out, std::ostream&) {
    arguments.refuseMoreThan(1);
    const ReportedModel report = reportedModel(arguments);
    if (arguments.has("json")) {
        out << formatJson(modelJson(report));
        return exitDone;
    }
    out << report.described.model.title << "\n" << report.network.notes << "\n\n";
    printParameterTable(report.parameters, out);
    out << "\n";
    printFlopTable(report, out);
    out << "\n";
    printStored(report, out);
    if (report.degrees.ranks() == 1) return exitDone;
    out << "\n";
    printRank(report, out);
    return exitDone;
}

}  // namespace

Command modelCommand() {
    std::vector<Option> options = {
        {"json", "", "one JSON object instead of tables"},
        {"precision", "NAME",
         "of what is stored, bf16 unless given: " + joinNames(allNames(precisionNames), " | ")}};
    const std::pair<const char*, const char*> degrees[] = {
        {"data", "copies of a stage"},
        {"tensor", "ranks that divide each matrix between them"},
        {"context", "ranks that divide each sample's tokens between them"},
        {"expert", "ranks that divide the experts between them"}};
    for (const auto& [name, what] : degrees)
        options.push_back({name, "N", std::string("a group: ") + what + "; default 1"});
    options.push_back(
        {"sequence-parallel", "",
         "a group: tensor-parallel ranks divide the tokens wherever they do not divide matrices"});
    for (const Option& option : describedOptions())
        if (option.name == "sequence-length" || option.name == "attention" ||
            option.name == "prediction-layers")
            options.push_back(option);
    return {"model",
            {"FILE [OPTIONS]", "MODEL [OPTIONS]"},
            "Shows what a transformer is made of: its parameters by part, the FLOPs of a sample, and what "
            "each kind of "
            "layer keeps for the backward; with the degrees of a group also what one of its ranks has of "
            "each and sends for it. FILE is a config.json of Hugging Face or a model of SimuMax or "
            "Calculon, "
            "MODEL one that the zoo has by its size (llama-3-70b).",
            std::move(options),
            &runModel};
}

}  // namespace stagecraft::app::commands
