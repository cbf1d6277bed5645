#include "core/generation/network.h"

#include "core/generation/families.h"

#include <numeric>
#include <stdexcept>

namespace stagecraft {

namespace {

template <typename Items, typename Value>
double total(const Items& items, Value value) {
    return std::accumulate(items.begin(), items.end(), 0.0,
                           [&](double sum, const auto& item) { return sum + value(item); });
}

/// SQuAD's usual maximal length; SPP trains its language models on SQuAD 2.0.
constexpr int defaultSequenceLength = 384;

struct Model {
    const char* name;
    int transformerBlocks;  ///< default of NetworkOptions::layers; 0: the depth is fixed
    bool readsText;
    NetworkDescription (*build)(int blocks, int sequenceLength);
};

const Model models[] = {
    {"vgg-19", 0, false, [](int, int) { return vgg19(); }},
    {"resnet-152", 0, false, [](int, int) { return resnet152(); }},
    {"inception-v3", 0, false, [](int, int) { return inceptionV3(); }},
    {"transformer", 0, true, [](int, int length) { return transformerBase(length); }},
    {"bert-large", 24, true, bert},
    {"xlnet-large", 24, true, xlnet},
    {"bert-48", 48, true, bert},
    {"bert-72", 72, true, bert},
};

std::string listOfModels() {
    std::string list;
    for (const std::string& name : modelNames()) list += (list.empty() ? "" : ", ") + name;
    return list;
}

int checkedOption(const std::string& model, const char* option, std::optional<int> given, bool applies,
                  int fallback) {
    if (!given) return fallback;
    if (!applies) throw std::invalid_argument(std::string(option) + " does not apply to " + model);
    if (*given < 1) throw std::invalid_argument(std::string(option) + " must be at least 1");
    return *given;
}

}  // namespace

double NetworkLayer::parameters() const {
    return total(operations, [](const Operation& operation) { return operation.parameters; });
}

double NetworkLayer::forwardFlops() const {
    return total(operations, [](const Operation& operation) { return operation.flops; });
}

double NetworkLayer::storedElements() const {
    return total(operations, [](const Operation& operation) { return operation.storedElements; });
}

double NetworkDescription::parameters() const {
    return total(layers, [](const NetworkLayer& layer) { return layer.parameters(); });
}

double NetworkDescription::forwardFlops() const {
    return total(layers, [](const NetworkLayer& layer) { return layer.forwardFlops(); });
}

std::vector<std::string> modelNames() {
    std::vector<std::string> names;
    for (const Model& model : models) names.emplace_back(model.name);
    return names;
}

NetworkDescription network(const std::string& name, const NetworkOptions& options) {
    for (const Model& model : models) {
        if (name != model.name) continue;
        const int blocks = checkedOption(name, "the number of layers", options.layers,
                                         model.transformerBlocks > 0, model.transformerBlocks);
        const int length = checkedOption(name, "the sequence length", options.sequenceLength, model.readsText,
                                         defaultSequenceLength);
        NetworkDescription description = model.build(blocks, length);
        description.model = name;
        return description;
    }
    throw std::invalid_argument("there is no model '" + name + "'; expected one of " + listOfModels());
}

}  // namespace stagecraft
