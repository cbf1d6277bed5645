#include "core/generation/gpu_speed.h"

#include "core/base/units.h"
#include "core/model/measured_gpus.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace stagecraft::generation {

namespace {

/// Speeds are written with three digits: peaks are not known any better.
double rounded(double ratio) {
    const double scale = std::pow(10.0, 2 - std::floor(std::log10(ratio)));
    return std::round(ratio * scale) / scale;
}

std::string tflops(double flops) { return formatNumber(flops / 1e12); }

double timeOf(const std::vector<RooflineTerm>& terms, double flopsPerS, double bytesPerS) {
    double seconds = 0;
    for (const RooflineTerm& term : terms)
        seconds += std::max(term.flops / flopsPerS, term.bytes / bytesPerS);
    return seconds;
}

/// Whether the terms are those of the layers as they are: they take as long on the GPU of both, to the
/// rounding of times. Layers that were edited since are others.
bool isOfLayers(const LayerProfile& profile, const Gpu& gpu, Precision precision) {
    constexpr double rounding = 0.02;
    double layersS = 0;
    for (const Layer& layer : profile.layers) layersS += layer.forwardS + layer.backwardS;
    const double termsS = timeOf(profile.roofline, peakFlops(gpu, precision), gpu.memoryBandwidthBps);
    return std::abs(termsS - layersS) <= rounding * layersS;
}

/// How much faster the profile's operations are on `gpu` than on `reference`, and what says so; 0: nothing.
SpeedGap gapTo(const LayerProfile& profile, const Gpu& gpu, const Gpu& reference, Precision precision) {
    const double flops = peakFlops(gpu, precision), referenceFlops = peakFlops(reference, precision);
    const std::string at = nameOf(precisionNames, precision);
    SpeedGap gap{gpu.name, 1, 0, ""};
    if (flops <= 0 || referenceFlops <= 0) {
        gap.source = "the catalogue has no peak of " + (flops <= 0 ? gpu.name : reference.name) + " at " + at;
        return gap;
    }
    gap.speed = rounded(flops / referenceFlops);
    gap.source = tflops(flops) + " against " + tflops(referenceFlops) + " TFLOP/s at " + at;
    const double bytes = gpu.memoryBandwidthBps, referenceBytes = reference.memoryBandwidthBps;
    if (!profile.roofline.empty() && bytes > 0 && referenceBytes > 0 &&
        isOfLayers(profile, reference, precision)) {
        gap.speed = rounded(timeOf(profile.roofline, referenceFlops, referenceBytes) /
                            timeOf(profile.roofline, flops, bytes));
        gap.source += " and " + formatBandwidth(bytes) + " against " + formatBandwidth(referenceBytes) +
                      " of memory, by the roofline of each operation";
    } else {
        gap.source += ", the ratio of the peaks";
    }
    gap.source += " (" + gpu.source + "; " + reference.source + ")";
    return gap;
}

/// Of which the profile has times of their own, whatever their speed.
class MeasuredTypes {
public:
    explicit MeasuredTypes(const LayerProfile& profile) : measured_(measuredGpus(profile)) {}
    bool has(const std::string& gpu) {
        if (measured_.empty()) return false;
        const auto [known, isNew] = known_.try_emplace(gpu);
        if (isNew) known->second = !measuredGpuOf(measured_, gpu).empty();
        return known->second;
    }

private:
    std::vector<std::string> measured_;
    std::map<std::string, bool> known_;
};

/// Types of which one may be the profile's, where it does not say which.
std::vector<SpeedGap> unknownTypes(const Cluster& cluster, MeasuredTypes& measured) {
    std::vector<SpeedGap> types;
    for (const Device& device : cluster.devices) {
        if (measured.has(device.gpu)) continue;
        if (device.speed != 1) return {};  // somebody said how fast they are
        if (device.gpu.empty()) continue;
        const auto known = std::ranges::find(types, device.gpu, &SpeedGap::gpu);
        if (known != types.end())
            ++known->devices;
        else
            types.push_back({device.gpu, 1, 0, "nothing says of which GPU the layer times are"});
    }
    return types.size() > 1 ? types : std::vector<SpeedGap>{};
}

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
    MeasuredTypes others(profile);
    if (!reference) return unknownTypes(cluster, others);
    std::vector<SpeedGap> gaps;
    std::string alike;  // the type, looked up last, that has no gap: of most devices it is the same
    for (const Device& device : cluster.devices) {
        if (device.speed != 1 || device.gpu.empty() || device.gpu == alike || others.has(device.gpu))
            continue;
        const auto known = std::ranges::find(gaps, device.gpu, &SpeedGap::gpu);
        if (known != gaps.end()) {
            ++known->devices;
            continue;
        }
        const Gpu* gpu = findPrintedGpu(device.gpu);
        if (gpu == reference) {
            alike = device.gpu;
            continue;
        }
        SpeedGap gap = gpu ? gapTo(profile, *gpu, *reference, measured->precision)
                           : SpeedGap{device.gpu, 1, 0, "it is not in the catalogue"};
        if (gap.speed == 1) continue;
        gap.gpu = device.gpu;
        gaps.push_back(std::move(gap));
    }
    return gaps;
}

std::string describeSpeedGaps(const LayerProfile& profile, const std::vector<SpeedGap>& gaps) {
    if (gaps.empty()) return {};
    const std::optional<ProfileGpu> measured = profileGpu(profile);
    std::string text = measured ? "the layer times are those of a " + measured->gpu + " at " +
                                      nameOf(precisionNames, measured->precision) + ", and the cluster has "
                                : "the cluster has ";
    for (std::size_t i = 0; i < gaps.size(); ++i) {
        const SpeedGap& gap = gaps[i];
        text += (i == 0                 ? ""
                 : i + 1 == gaps.size() ? " and "
                                        : ", ") +
                std::to_string(gap.devices) + " " + gap.gpu + " with speed 1";
        if (gap.speed > 0) text += " where it would be " + formatNumber(gap.speed);
        // Of types that are all as unknown, the last says why.
        if (measured || i + 1 == gaps.size()) text += ": " + gap.source;
    }
    return text;
}

bool haveSpeeds(const std::vector<SpeedGap>& gaps) {
    return std::ranges::any_of(gaps, [](const SpeedGap& gap) { return gap.speed > 0; });
}

Cluster withSpeeds(Cluster cluster, const std::vector<SpeedGap>& gaps) {
    for (Device& device : cluster.devices)
        for (const SpeedGap& gap : gaps)
            if (gap.speed > 0 && device.gpu == gap.gpu && device.speed == 1) {
                device.speed = gap.speed;
                break;
            }
    return cluster;
}

}  // namespace stagecraft::generation
