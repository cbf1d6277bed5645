#include "core/base/spelling.h"
#include "core/generation/families.h"
#include "core/generation/generated_profile.h"
#include "core/generation/model_rows.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>

namespace stagecraft::generation {

namespace {

constexpr const char* kernelParameter = "attention";

/// Whole numbers, as architectures are made of, and the kernel of the attention.
class Shapes {
public:
    explicit Shapes(const ParameterValues& values) : values_(values) {}
    int operator[](const char* name) const { return std::get<int>(values_.at(name)); }
    bool isFused() const {
        return std::get<std::string>(values_.at(kernelParameter)) ==
               nameOf(attentionKernelNames, AttentionKernel::fused);
    }
    const ParameterValues& values() const { return values_; }

    ImageShape images() const { return {(*this)["image_size"], (*this)["classes"]}; }
    TransformerShape blocks() const {
        const TransformerShape shape{(*this)["depth"],
                                     (*this)["width"],
                                     (*this)["heads"],
                                     (*this)["inner_width"],
                                     (*this)["sequence_length"],
                                     (*this)["vocabulary"],
                                     values_.contains(kernelParameter) && isFused()};
        if (shape.width % shape.heads != 0)
            throw std::invalid_argument("a width of " + std::to_string(shape.width) +
                                        " cannot be shared among " + std::to_string(shape.heads) +
                                        " heads; expected heads that divide the width");
        return shape;
    }

private:
    const ParameterValues& values_;
};

struct Model {
    ModelDescription description;
    std::function<NetworkDescription(const Shapes&)> build;
};

Parameter whole(const char* name, const char* label, const char* description, int value, int minimum,
                int maximum) {
    return {.name = name,
            .label = label,
            .description = description,
            .defaultValue = value,
            .minimum = static_cast<double>(minimum),
            .maximum = static_cast<double>(maximum)};
}

constexpr int mostTokens = 1 << 20;

std::vector<Parameter> imageParameters(int size, int least) {
    return {whole("image_size", "Image size", "Pixels of a side", size, least, 4096),
            whole("classes", "Classes", "How many the classifier distinguishes", 1000, 2, 1000000)};
}

Parameter depth(const char* what, int value) { return whole("depth", "Depth", what, value, 1, 4096); }
Parameter width(int value) {
    return whole("width", "Width", "Length of the vector of a token", value, 8, 1 << 17);
}
Parameter sequenceLength(int value) {
    return whole("sequence_length", "Sequence length", "Tokens of a sample", value, 1, mostTokens);
}
Parameter vocabulary(int value) {
    return whole("vocabulary", "Vocabulary", "Different tokens", value, 2, 1 << 22);
}

std::vector<Parameter> blockParameters(const TransformerShape& shape) {
    return {depth("Transformer blocks", shape.depth),
            width(shape.width),
            whole("heads", "Heads", "Of the attention; they divide the width", shape.heads, 1, 4096),
            whole("inner_width", "Inner width", "Of the feed-forward network", shape.innerWidth, 1, 1 << 19),
            sequenceLength(shape.sequenceLength),
            vocabulary(shape.vocabulary)};
}

/// SQuAD's usual maximal length is 384; SPP trains its language models on SQuAD 2.0.
constexpr TransformerShape bertLarge(int depth) { return {depth, 1024, 16, 4096, 384, 30522}; }

Model vggModel(int layers) {
    return {{"vgg-" + std::to_string(layers), "Simonyan and Zisserman, 2014", imageParameters(224, 32)},
            layers == 16 ? [](const Shapes& shapes) { return vgg(16, shapes.images()); }
                         : [](const Shapes& shapes) { return vgg(19, shapes.images()); }};
}

Model resnetModel(int layers) {
    Model model{{"resnet-" + std::to_string(layers), "He et al., 2016, with bottleneck blocks",
                 imageParameters(224, 32)},
                [](const Shapes& shapes) { return resnet(152, shapes.images()); }};
    if (layers == 50) model.build = [](const Shapes& shapes) { return resnet(50, shapes.images()); };
    if (layers == 101) model.build = [](const Shapes& shapes) { return resnet(101, shapes.images()); };
    return model;
}

Model bertModel(const char* name, int blocks) {
    return {{name, "Devlin et al., 2018, with an answer head; the large configuration",
             blockParameters(bertLarge(blocks))},
            [](const Shapes& shapes) { return bert(shapes.blocks()); }};
}

std::vector<Parameter> with(std::vector<Parameter> parameters, const std::vector<Parameter>& more) {
    parameters.insert(parameters.end(), more.begin(), more.end());
    return parameters;
}

NetworkDescription amoebaNetOf(const Shapes& shapes) {
    if (shapes["depth"] % 3 != 0)
        throw std::invalid_argument(
            "AmoebaNet-D has three groups of as many cells; expected a depth that 3 divides");
    if (shapes["filters"] % 16 != 0) throw std::invalid_argument("expected filters that 16 divides");
    if (shapes["image_size"] % 32 != 0)
        throw std::invalid_argument(
            "AmoebaNet-D halves images five times; expected an image size that 32 divides");
    return amoebaNetD(shapes["depth"], shapes["filters"], shapes.images());
}

LlamaShape llamaShape(const Shapes& shapes, int experts, int active) {
    const LlamaShape llama{shapes.blocks(), shapes["kv_heads"], experts, active};
    if (llama.blocks.heads % llama.keyValueHeads != 0)
        throw std::invalid_argument("expected kv_heads that divide the heads");
    if (active > experts) throw std::invalid_argument("expected at most as many active experts as there are");
    return llama;
}

Parameter keyValueHeads(int value) {
    return whole("kv_heads", "Key and value heads", "Of the attention; they divide the heads", value, 1,
                 4096);
}

Parameter attentionKernel() {
    return {.name = kernelParameter,
            .label = "Attention",
            .description = "Whether scores are stored for the backward, or fused away as by FlashAttention",
            .defaultValue = std::string(nameOf(attentionKernelNames, AttentionKernel::stored)),
            .choices = allNames(attentionKernelNames)};
}

Model modelOfRow(const ModelRow& row) {
    ModelDescription description{row.name, row.summary, runParameters(row.model, row.length)};
    description.title = row.model.title;
    description.isOfToday = true;
    return {std::move(description), [&row](const Shapes& shapes) {
                return transformerNetwork(row.model, transformerRun(row.model, shapes.values(), row.length));
            }};
}

std::string blocksTitle(const std::string& family, const Shapes& shapes) {
    return family + " (" + std::to_string(shapes["depth"]) + " blocks of " + std::to_string(shapes["width"]) +
           ")";
}

/// The families whose shape is put together from parameters.
std::vector<Model> makeFamilies() {
    const auto llamaOf = [](const Shapes& shapes) {
        return llama(llamaShape(shapes, shapes["experts"], shapes["active_experts"]),
                     blocksTitle(shapes["experts"] > 1 ? "Mixtral" : "Llama", shapes));
    };
    const auto experts = [](int all, int active) -> std::vector<Parameter> {
        return {
            whole("experts", "Experts", "Feed-forward networks of a block", all, 1, 1024),
            whole("active_experts", "Active experts", "Of which a token takes this many", active, 1, 1024)};
    };
    return {
        vggModel(19),
        resnetModel(152),
        {{"inception-v3", "Szegedy et al., 2016", imageParameters(299, 75)},
         [](const Shapes& shapes) { return inceptionV3(shapes.images()); }},
        {{"transformer",
          "Vaswani et al., 2017, the base model; as many blocks in the encoder as in the decoder",
          blockParameters({6, 512, 8, 2048, 384, 41000})},
         [](const Shapes& shapes) { return transformer(shapes.blocks()); }},
        bertModel("bert-large", 24),
        {{"xlnet-large", "Yang et al., 2019", blockParameters({24, 1024, 16, 4096, 384, 32000})},
         [](const Shapes& shapes) { return xlnet(shapes.blocks()); }},
        bertModel("bert-48", 48),
        bertModel("bert-72", 72),
        vggModel(16),
        resnetModel(50),
        resnetModel(101),
        {{"densenet-121", "Huang et al., 2017", imageParameters(224, 32)},
         [](const Shapes& shapes) { return densenet121(shapes.images()); }},
        {{"amoebanet-d", "Real et al., 2019, as GPipe scales it; a graph of thousands of nodes",
          with({whole("depth", "Depth", "Normal cells; 3 divides them", 36, 3, 300),
                whole("filters", "Filters", "Four times the channels of the stem; 16 divides them", 544, 16,
                      8192)},
               imageParameters(224, 32))},
         amoebaNetOf},
        {{"gnmt",
          "Wu et al., 2016, as NVIDIA's GNMT v2; the defaults are DAPPLE's GNMT-16",
          {whole("depth", "Depth", "LSTM layers of the encoder, and of the decoder", 8, 3, 512), width(1024),
           sequenceLength(50), vocabulary(36560)}},
         [](const Shapes& shapes) {
             return gnmt(shapes["depth"], shapes["width"], shapes["sequence_length"], shapes["vocabulary"]);
         }},
        {{"gpt-2", "Radford et al., 2019; the largest, 1.5 B parameters",
          with(blockParameters({48, 1600, 25, 6400, 1024, 50257}), {attentionKernel()})},
         [](const Shapes& shapes) { return gpt(shapes.blocks(), blocksTitle("GPT-2", shapes)); }},
        {{"gpt-3", "Brown et al., 2020; the largest, 175 B parameters",
          with(blockParameters({96, 12288, 96, 49152, 2048, 50257}), {attentionKernel()})},
         [](const Shapes& shapes) { return gpt(shapes.blocks(), blocksTitle("GPT-3", shapes)); }},
        {{"llama", "Touvron et al., 2023; the defaults are Llama 2 7B",
          with(blockParameters({32, 4096, 32, 11008, 4096, 32000}),
               with(with({keyValueHeads(32)}, experts(1, 1)), {attentionKernel()}))},
         llamaOf},
        {{"mixtral", "Jiang et al., 2024; Llama with experts, the defaults are Mixtral 8x7B",
          with(blockParameters({32, 4096, 32, 14336, 4096, 32000}),
               with(with({keyValueHeads(8)}, experts(8, 2)), {attentionKernel()}))},
         llamaOf},
    };
}

const std::vector<Model>& models() {
    static const std::vector<Model> all = [] {
        std::vector<Model> list;
        for (const ModelRow& row : modelRows()) list.push_back(modelOfRow(row));
        for (Model& family : makeFamilies()) list.push_back(std::move(family));
        return list;
    }();
    return all;
}

const Model& modelOf(const std::string& name) {
    for (const Model& model : models())
        if (model.description.name == name) return model;
    throw std::invalid_argument("no model '" + name + "'" + spellingHint(name, modelNames()) +
                                "; expected one of " + joinNames(modelNames()));
}

}  // namespace

const std::vector<ModelDescription>& modelZoo() {
    static const std::vector<ModelDescription> zoo = [] {
        std::vector<ModelDescription> descriptions;
        for (const Model& model : models()) descriptions.push_back(model.description);
        return descriptions;
    }();
    return zoo;
}

std::vector<std::string> modelNames() {
    std::vector<std::string> names;
    for (const Model& model : models()) names.push_back(model.description.name);
    return names;
}

const ModelDescription& modelNamed(const std::string& model) { return modelOf(model).description; }

NetworkDescription network(const std::string& name, const ParameterValues& given) {
    const Model& model = modelOf(name);
    ParameterValues values = defaultValues(model.description.parameters);
    // Through the text, so that values from everywhere pass the same checks.
    for (const auto& [parameter, value] : given)
        setParameter(model.description.parameters, values, parameter + "=" + toText(value));
    NetworkDescription description = model.build(Shapes(values));
    description.model = name;
    if (!description.causalSequence) description.causalSequence = false;
    return description;
}

}  // namespace stagecraft::generation
