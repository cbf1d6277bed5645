#include "core/generation/gpu_speed.h"

#include "core/base/units.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::generation {

namespace {

/// Speeds are written with three digits: peaks are not known any better.
double rounded(double ratio) {
    const double scale = std::pow(10.0, 2 - std::floor(std::log10(ratio)));
    return std::round(ratio * scale) / scale;
}

std::string tflops(double flops) { return formatNumber(flops / 1e12); }

/// "Measured: torchvision resnet50, input 3x224x224 on Tesla V100-SXM2-16GB, CUDA 11.8, float32": how the
/// profiler in samples/ says it.
std::optional<ProfileGpu> gpuOfMeasurement(const std::string& beginning) {
    const std::size_t cuda = beginning.find(", CUDA "), on = beginning.rfind(" on ", cuda);
    if (!beginning.starts_with("Measured: ") || cuda == std::string::npos || on == std::string::npos)
        return std::nullopt;
    constexpr std::size_t word = std::char_traits<char>::length(" on ");
    const Gpu* gpu = findPrintedGpu(beginning.substr(on + word, cuda - on - word));
    if (!gpu) return std::nullopt;
    const std::string rest = beginning.substr(cuda);
    const std::pair<const char*, Precision> types[] = {
        {", float32", Precision::fp32}, {", float16", Precision::fp16}, {", bfloat16", Precision::bf16}};
    for (const auto& [type, precision] : types)
        if (rest.find(type) != std::string::npos) return ProfileGpu{gpu->name, precision};
    return std::nullopt;
}

/// "BERT-large on V100-SXM2-16GB at fp32, 6 samples": how every profile that is computed here says it.
std::optional<ProfileGpu> gpuOfSource(const std::string& source) {
    constexpr std::size_t sentence = 300;
    const std::string beginning = source.substr(0, sentence);
    if (const auto measured = gpuOfMeasurement(beginning)) return measured;
    for (const Gpu& gpu : gpuCatalogue())
        for (const auto& [precision, name] : precisionNames)
            if (beginning.find(" on " + gpu.name + " at " + name) != std::string::npos)
                return ProfileGpu{gpu.name, precision};
    return std::nullopt;
}

}  // namespace

std::optional<ProfileGpu> profileGpu(const LayerProfile& profile) { return gpuOfSource(profile.source); }

std::vector<SpeedGap> speedGaps(const LayerProfile& profile, const Cluster& cluster) {
    const std::optional<ProfileGpu> measured = profileGpu(profile);
    const Gpu* reference = measured ? findGpu(measured->gpu) : nullptr;
    std::vector<SpeedGap> gaps;
    if (!reference) return gaps;
    const double referenceFlops = peakFlops(*reference, measured->precision);
    for (const Device& device : cluster.devices) {
        if (device.speed != 1) continue;
        const auto known = std::find_if(gaps.begin(), gaps.end(),
                                        [&](const SpeedGap& gap) { return gap.gpu == device.gpu; });
        if (known != gaps.end()) {
            ++known->devices;
            continue;
        }
        const Gpu* gpu = findPrintedGpu(device.gpu);
        if (gpu == reference) continue;
        const double flops = gpu ? peakFlops(*gpu, measured->precision) : 0;
        if (flops <= 0 || referenceFlops <= 0 || rounded(flops / referenceFlops) == 1) continue;
        gaps.push_back({device.gpu, 1, rounded(flops / referenceFlops),
                        tflops(flops) + " against " + tflops(referenceFlops) + " TFLOP/s at " +
                            nameOf(precisionNames, measured->precision) + " (" + gpu->source + "; " +
                            reference->source + ")"});
    }
    return gaps;
}

std::string describeSpeedGaps(const LayerProfile& profile, const std::vector<SpeedGap>& gaps) {
    const std::optional<ProfileGpu> measured = profileGpu(profile);
    if (gaps.empty() || !measured) return {};
    std::string text = "the layer times are those of a " + measured->gpu + " at " +
                       nameOf(precisionNames, measured->precision) + ", and the cluster has ";
    for (std::size_t i = 0; i < gaps.size(); ++i) {
        const SpeedGap& gap = gaps[i];
        text += (i == 0                 ? ""
                 : i + 1 == gaps.size() ? " and "
                                        : ", ") +
                std::to_string(gap.devices) + " " + gap.gpu + " with speed 1 where peaks say " +
                formatNumber(gap.speed) + ": " + gap.source;
    }
    return text;
}

Cluster withSpeeds(Cluster cluster, const std::vector<SpeedGap>& gaps) {
    for (Device& device : cluster.devices)
        for (const SpeedGap& gap : gaps)
            if (device.gpu == gap.gpu && device.speed == 1) {
                device.speed = gap.speed;
                break;
            }
    return cluster;
}

}  // namespace stagecraft::generation
