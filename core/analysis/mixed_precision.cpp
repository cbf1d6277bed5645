#include "core/analysis/mixed_precision.h"

#include "core/base/units.h"
#include "core/cost/cost_model.h"

namespace stagecraft::analysis {

namespace {

constexpr int halfBytes = 2, fullBytes = 4;

}  // namespace

std::optional<MixedPrecision> mixedPrecision(const CostModel& costs, const Plan& plan,
                                             const Metrics& metrics) {
    const Problem& problem = costs.problem();
    if (problem.profile.elementBytes != halfBytes || problem.setup.precision != StatePrecision::uniform)
        return std::nullopt;
    const double states = optimizerStateFactor(problem.setup.optimizer);  // numbers per parameter
    MixedPrecision mixed;
    mixed.countedBytes = halfBytes * (2 + states);
    mixed.neededBytes = 2 * halfBytes + fullBytes * (1 + states);
    mixed.fullGradientsBytes = mixed.neededBytes + fullBytes - halfBytes;
    std::vector<double> more(problem.cluster.devices.size(), 0.0);
    for (int stage = 0; stage < plan.stageCount(); ++stage) {
        const double parameters = costs.heldParameterBytes(plan, stage) / halfBytes;
        for (const int device : plan.stages[static_cast<std::size_t>(stage)].devices)
            more[static_cast<std::size_t>(device)] += parameters * (mixed.neededBytes - mixed.countedBytes);
    }
    const auto share = [](double bytes, double limit) { return limit > 0 ? bytes / limit : 0; };
    for (const DeviceMetrics& device : metrics.devices) {
        const double peak = device.peakMemoryBytes + more[static_cast<std::size_t>(device.device)];
        if (device.limitBytes > 0 && peak > device.limitBytes) mixed.fits = false;
        const double mine = share(peak, device.limitBytes), most = share(mixed.peakBytes, mixed.limitBytes);
        if (mine < most || (mine == most && peak <= mixed.peakBytes)) continue;
        mixed.device = device.device;
        mixed.peakBytes = peak;
        mixed.limitBytes = device.limitBytes;
    }
    return mixed;
}

std::string MixedPrecision::sentence(const DeviceList& devices) const {
    std::string text =
        "Memory understated: the profile is in 2-byte elements, and " + formatNumber(countedBytes) +
        " bytes per parameter are counted. Mixed precision keeps " + formatNumber(neededBytes) + " (" +
        formatNumber(fullGradientsBytes) + " with gradients in 4 bytes): " + formatBytes(peakBytes) + " on " +
        devices[static_cast<std::size_t>(device)].id;
    if (!(limitBytes > 0)) return text + ".";
    return text + (fits ? ", which fits into its " : ", which does not fit into its ") +
           formatBytes(limitBytes) + ".";
}

}  // namespace stagecraft::analysis
