#include "core/generation/generated_profile.h"

#include "core/base/counted.h"
#include "core/editing/granularity.h"
#include "core/generation/shared_experts.h"

#include <charconv>
#include <set>
#include <stdexcept>

namespace stagecraft::generation {

namespace {

Parameter efficiency(const char* name, const char* label, const char* description, double value) {
    return {.name = name,
            .label = label,
            .description = description,
            .defaultValue = value,
            .minimum = 0.001,
            .maximum = 1};
}

std::vector<Parameter> makeTimingParameters() {
    const AnalyticOptions defaults;
    Parameter gpu{.name = "gpu",
                  .label = "GPU",
                  .description = "The reference GPU",
                  .defaultValue = std::string("V100-SXM2-16GB")};
    for (const Gpu& known : gpuCatalogue()) gpu.choices.push_back(known.name);
    Parameter precision{
        .name = "precision",
        .label = "Precision",
        .description = "Of products and convolutions; fp16 and bf16 store 2 bytes per element",
        .defaultValue = std::string(nameOf(precisionNames, defaults.precision))};
    precision.choices = allNames(precisionNames);
    return {
        gpu,
        precision,
        {.name = "microbatch_size",
         .label = "Microbatch size",
         .description = "Samples in a microbatch",
         .defaultValue = defaults.microbatchSize,
         .minimum = 1,
         .maximum = 1 << 20},
        {.name = "microbatch_sizes",
         .label = "Further microbatch sizes",
         .description = "Sizes whose times are included, as 1,2,4; without microbatch_size the first is the "
                        "profile's own",
         .defaultValue = std::string()},
        efficiency("matrix_efficiency", "Efficiency of matrix products",
                   "Share of the peak that matrix products reach", defaults.matrixEfficiency),
        efficiency("convolution_efficiency", "Efficiency of convolutions",
                   "Share of the peak that convolutions reach", defaults.convolutionEfficiency),
        efficiency("memory_efficiency", "Efficiency of memory",
                   "Share of the memory bandwidth that is reached", defaults.memoryEfficiency),
        {.name = "efficiencies",
         .label = "Measured efficiencies",
         .description = "A file of shares that were measured by shape, in place of those of matrix products "
                        "and of memory (SimuMax's system file)",
         .defaultValue = std::string(),
         .isFile = true},
        {.name = "experts_on",
         .label = "Experts shared out over",
         .description = "GPUs, for plans with so many expert-parallel ones: each has fewer experts and more "
                        "tokens for each of them, and moves tokens in their order",
         .defaultValue = 1,
         .minimum = 1,
         .maximum = 1 << 14},
        {.name = "granularity",
         .label = "Granularity",
         .description = "finest: each operator of the network is a layer, hundreds or thousands of them",
         .defaultValue = std::string("layers"),
         .choices = {"layers", "finest"}}};
}

std::vector<int> sizesOf(const std::string& list) {
    std::vector<int> sizes;
    const char* at = list.data();
    const char* const end = at + list.size();
    while (at != end) {
        int size = 0;
        const auto [next, error] = std::from_chars(at, end, size);
        const bool more = error == std::errc{} && next != end && *next == ',' && next + 1 != end;
        if (error != std::errc{} || size < 1 || (next != end && !more))
            throw std::invalid_argument("microbatch_sizes cannot be '" + list +
                                        "'; expected whole numbers, 1 or more, with commas between: 1,2,4");
        sizes.push_back(size);
        at = more ? next + 1 : next;
    }
    return sizes;
}

Precision precisionNamed(const std::string& name) {
    if (const Precision* found = findByName(precisionNames, name)) return *found;
    throw std::invalid_argument("no precision '" + name + "'");
}

void addTimes(LayerProfile& profile, const LayerProfile& other) {
    TimesAtSize times{.microbatchSize = other.microbatchSize};
    for (const Layer& layer : other.layers)
        times.layers.push_back({layer.forwardS, layer.backwardS, layer.weightGradientS});
    profile.otherSizes.push_back(std::move(times));
}

/// For models that no GPU of the years before was made for.
std::vector<Parameter> timingOfToday() {
    std::vector<Parameter> parameters = timingParameters();
    for (Parameter& parameter : parameters) {
        if (parameter.name == "gpu") parameter.defaultValue = std::string("H100-SXM5-80GB");
        if (parameter.name == "precision")
            parameter.defaultValue = std::string(nameOf(precisionNames, Precision::bf16));
    }
    return parameters;
}

/// @param values of timingParameters(), among others @param ownSize whether microbatch_size was given
LayerProfile timedProfile(NetworkDescription description, const ParameterValues& values, bool ownSize,
                          const EfficiencyReader& reader) {
    const std::vector<int> listed = sizesOf(std::get<std::string>(values.at("microbatch_sizes")));
    AnalyticOptions options;
    options.microbatchSize = std::get<int>(values.at("microbatch_size"));
    if (!listed.empty() && !ownSize) options.microbatchSize = listed.front();
    options.precision = precisionNamed(std::get<std::string>(values.at("precision")));
    options.matrixEfficiency = std::get<double>(values.at("matrix_efficiency"));
    options.convolutionEfficiency = std::get<double>(values.at("convolution_efficiency"));
    options.memoryEfficiency = std::get<double>(values.at("memory_efficiency"));
    if (const std::string& file = std::get<std::string>(values.at("efficiencies")); !file.empty()) {
        if (!reader) throw std::invalid_argument("no file of efficiencies can be read here: '" + file + "'");
        options.measured = std::make_shared<const MeasuredEfficiencies>(reader(file));
    }

    const Granularity granularity = std::get<std::string>(values.at("granularity")) == "finest"
                                        ? Granularity::finest
                                        : Granularity::layers;
    if (granularity == Granularity::finest) description = withOperators(std::move(description));
    description = withExpertsOn(std::move(description), std::get<int>(values.at("experts_on")));
    const Gpu& gpu = *findGpu(std::get<std::string>(values.at("gpu")));
    const auto made = [&] { return atGranularity(analyticProfile(description, gpu, options), granularity); };
    LayerProfile profile = made();
    std::set<int> others(listed.begin(), listed.end());
    others.erase(profile.microbatchSize);
    for (const int size : others) {
        options.microbatchSize = size;
        addTimes(profile, made());
        if (options.measured)
            profile.source += " With " + counted(size, "sample") + ": " +
                              coverageText(*options.measured, description, size);
    }
    return profile;
}

}  // namespace

const std::vector<Parameter>& timingParameters() {
    static const std::vector<Parameter> parameters = makeTimingParameters();
    return parameters;
}

std::vector<Parameter> profileParameters(const std::string& model) {
    std::vector<Parameter> parameters = modelNamed(model).parameters;
    const std::vector<Parameter> timing = modelNamed(model).isOfToday ? timingOfToday() : timingParameters();
    parameters.insert(parameters.end(), timing.begin(), timing.end());
    return parameters;
}

LayerProfile generatedProfile(const std::string& model, const ParameterValues& given,
                              const EfficiencyReader& reader) {
    const std::vector<Parameter> parameters = profileParameters(model);
    ParameterValues values = defaultValues(parameters);
    for (const auto& [name, value] : given) setParameter(parameters, values, name + "=" + toText(value));
    ParameterValues shape;
    for (const Parameter& parameter : modelNamed(model).parameters)
        shape[parameter.name] = values.at(parameter.name);
    return timedProfile(network(model, shape), values, given.contains("microbatch_size"), reader);
}

std::vector<Parameter> runParameters(const TransformerModel& model, int length) {
    std::vector<Parameter> parameters;
    if (model.image.size == 0)
        parameters.push_back({.name = "sequence_length",
                              .label = "Sequence length",
                              .description = "Tokens of a sample",
                              .defaultValue = length,
                              .minimum = 1,
                              .maximum = 1 << 20});
    parameters.push_back(
        {.name = "attention",
         .label = "Attention",
         .description = "Whether scores are stored for the backward, or fused away as by FlashAttention",
         .defaultValue = std::string(nameOf(attentionKernelNames, AttentionKernel::fused)),
         .choices = allNames(attentionKernelNames)});
    if (model.predictionLayers > 0)
        parameters.push_back({.name = "prediction_layers",
                              .label = "Multi-token prediction",
                              .description = "Whether the layers of multi-token prediction are trained too",
                              .defaultValue = false});
    return parameters;
}

TransformerRun transformerRun(const TransformerModel& model, const ParameterValues& values, int length) {
    ParameterValues all = defaultValues(runParameters(model, length));
    for (auto& [name, value] : all)
        if (const auto given = values.find(name); given != values.end()) value = given->second;
    TransformerRun run;
    if (model.image.size == 0) run.sequenceLength = std::get<int>(all.at("sequence_length"));
    run.attention = *findByName(attentionKernelNames, std::get<std::string>(all.at("attention")));
    if (model.predictionLayers > 0) run.predictionLayers = std::get<bool>(all.at("prediction_layers"));
    return run;
}

std::vector<Parameter> describedParameters(const DescribedModel& described) {
    std::vector<Parameter> parameters = runParameters(described.model, described.length);
    const std::vector<Parameter> timing = timingOfToday();
    parameters.insert(parameters.end(), timing.begin(), timing.end());
    return parameters;
}

LayerProfile describedProfile(const DescribedModel& described, const ParameterValues& given,
                              const EfficiencyReader& reader) {
    const std::vector<Parameter> parameters = describedParameters(described);
    ParameterValues values = defaultValues(parameters);
    for (const auto& [name, value] : given) setParameter(parameters, values, name + "=" + toText(value));
    return timedProfile(
        transformerNetwork(described.model, transformerRun(described.model, values, described.length)),
        values, given.contains("microbatch_size"), reader);
}

}  // namespace stagecraft::generation
