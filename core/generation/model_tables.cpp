#include "core/generation/model_tables.h"

#include "core/base/counted.h"
#include "core/base/units.h"

#include <cmath>

namespace stagecraft::generation {

namespace {

/// Parameters do not depend on the length, but for tables of positions that have to hold it.
TransformerRun shortestRun() { return {.sequenceLength = 1, .predictionLayers = true}; }

double& entryOf(ParameterTable& table, ModelPart part) {
    switch (part) {
        case ModelPart::embedding:
            return table.embedding;
        case ModelPart::attention:
            return table.attention;
        case ModelPart::mlp:
            return table.mlp;
        case ModelPart::experts:
            return table.experts;
        case ModelPart::router:
            return table.router;
        case ModelPart::norm:
            return table.norms;
        case ModelPart::head:
            return table.head;
        case ModelPart::other:
            break;
    }
    return table.other;
}

}  // namespace

double ParameterTable::total() const {
    return embedding + attention + mlp + experts + router + norms + head + other;
}

double ParameterTable::active() const { return total() - idle; }

double ParameterTable::blocks() const { return total() - embedding - head - finalNorm; }

ParameterTable parameterTable(const TransformerModel& model) {
    ParameterTable table;
    for (const NetworkLayer& layer : transformerNetwork(model, shortestRun()).layers) {
        if (layer.role == LayerRole::prediction) {
            table.prediction += layer.parameters();
            continue;
        }
        for (const Operation& operation : layer.operations) {
            entryOf(table, operation.part) += operation.parameters;
            table.idle += operation.idleParameters;
            if (layer.role == LayerRole::head && operation.part == ModelPart::norm)
                table.finalNorm += operation.parameters;
        }
    }
    return table;
}

std::string parametersText(double count) {
    if (count >= 1e12) return formatNumber(count / 1e12) + " T";
    if (count >= 1e9) return formatNumber(count / 1e9) + " B";
    return count >= 1e6 ? formatNumber(count / 1e6) + " M" : grouped(std::llround(count));
}

std::vector<std::pair<std::string, double>> namedParts(const ParameterTable& table) {
    const std::pair<ModelPart, double> all[] = {{ModelPart::embedding, table.embedding},
                                                {ModelPart::attention, table.attention},
                                                {ModelPart::mlp, table.mlp},
                                                {ModelPart::experts, table.experts},
                                                {ModelPart::router, table.router},
                                                {ModelPart::norm, table.norms},
                                                {ModelPart::head, table.head},
                                                {ModelPart::other, table.other}};
    std::vector<std::pair<std::string, double>> parts;
    for (const auto& [part, count] : all)
        if (count > 0) parts.emplace_back(nameOf(modelPartNames, part), count);
    return parts;
}

std::string partsText(const ParameterTable& table) {
    std::string text;
    for (const auto& [name, count] : namedParts(table))
        text += (text.empty() ? "Parameters by part: " : ", ") + name + " " + parametersText(count);
    if (table.idle > 0) text += "; a token takes " + parametersText(table.active()) + " of them";
    if (table.prediction > 0)
        text +=
            "; layers of multi-token prediction have " + parametersText(table.prediction) + " beside them";
    return text + ".";
}

double blockParameters(const TransformerModel& model, int block) {
    for (const NetworkLayer& layer : transformerNetwork(model, shortestRun()).layers)
        if (layer.role == LayerRole::block && block-- == 0) return layer.parameters();
    return 0;
}

FlopTable flopTable(const TransformerModel& model, const TransformerRun& run) {
    FlopTable table;
    for (const NetworkLayer& layer : transformerNetwork(model, run).layers)
        for (const Operation& operation : layer.operations)
            (layer.role == LayerRole::head ? table.head
             : operation.isAttentionCore   ? table.attention
                                           : table.matrices) += operation.flops;
    return table;
}

std::vector<KeptTensor> keptTensors(const NetworkLayer& layer, double elementBytes) {
    std::vector<KeptTensor> kept;
    for (const Operation& operation : layer.operations)
        for (const StoredTensor& tensor : operation.stored)
            kept.push_back({tensor.name, tensor.cause, tensor.bytes(elementBytes)});
    return kept;
}

}  // namespace stagecraft::generation
