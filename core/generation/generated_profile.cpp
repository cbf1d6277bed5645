#include "core/generation/generated_profile.h"

#include "core/editing/granularity.h"

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

}  // namespace

const std::vector<Parameter>& timingParameters() {
    static const std::vector<Parameter> parameters = makeTimingParameters();
    return parameters;
}

std::vector<Parameter> profileParameters(const std::string& model) {
    std::vector<Parameter> parameters = modelNamed(model).parameters;
    parameters.insert(parameters.end(), timingParameters().begin(), timingParameters().end());
    return parameters;
}

LayerProfile generatedProfile(const std::string& model, const ParameterValues& given) {
    const std::vector<Parameter> parameters = profileParameters(model);
    ParameterValues values = defaultValues(parameters);
    for (const auto& [name, value] : given) setParameter(parameters, values, name + "=" + toText(value));
    ParameterValues shape;
    for (const Parameter& parameter : modelNamed(model).parameters)
        shape[parameter.name] = values.at(parameter.name);

    const std::vector<int> listed = sizesOf(std::get<std::string>(values.at("microbatch_sizes")));
    AnalyticOptions options;
    options.microbatchSize = std::get<int>(values.at("microbatch_size"));
    if (!listed.empty() && !given.contains("microbatch_size")) options.microbatchSize = listed.front();
    options.precision = precisionNamed(std::get<std::string>(values.at("precision")));
    options.matrixEfficiency = std::get<double>(values.at("matrix_efficiency"));
    options.convolutionEfficiency = std::get<double>(values.at("convolution_efficiency"));
    options.memoryEfficiency = std::get<double>(values.at("memory_efficiency"));

    const Granularity granularity = std::get<std::string>(values.at("granularity")) == "finest"
                                        ? Granularity::finest
                                        : Granularity::layers;
    NetworkDescription description = network(model, shape);
    if (granularity == Granularity::finest) description = withOperators(std::move(description));
    const Gpu& gpu = *findGpu(std::get<std::string>(values.at("gpu")));
    const auto made = [&] { return atGranularity(analyticProfile(description, gpu, options), granularity); };
    LayerProfile profile = made();
    std::set<int> others(listed.begin(), listed.end());
    others.erase(profile.microbatchSize);
    for (const int size : others) {
        options.microbatchSize = size;
        addTimes(profile, made());
    }
    return profile;
}

}  // namespace stagecraft::generation
