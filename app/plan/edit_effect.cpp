#include "app/plan/edit_effect.h"

#include "core/analysis/memory_lack.h"
#include "core/base/units.h"
#include "views/common/text.h"

#include <QCoreApplication>
#include <QStringList>

#include <cmath>

namespace stagecraft::app::plan {

namespace {

constexpr double leastPart = 5e-5;           // a smaller change of time rounds to nothing
constexpr double leastBytes = 512.0 * 1024;  // as does one of memory

QString effectText(const char* text) { return QCoreApplication::translate("EditEffect", text); }

QString withSign(double value, const std::string& size) {
    return (value < 0 ? QStringLiteral("−") : QStringLiteral("+")) + qtText(size);
}

QString verdict(bool better) { return better ? effectText("better") : effectText("worse"); }

const DeviceMetrics& peakDevice(const PlanRun& run) {
    const std::vector<DeviceMetrics>& devices = run.evaluation->metrics.devices;
    return *std::max_element(
        devices.begin(), devices.end(),
        [](const DeviceMetrics& a, const DeviceMetrics& b) { return a.peakMemoryBytes < b.peakMemoryBytes; });
}

QString timeEffect(const PlanRun& before, const PlanRun& after) {
    const bool sameWork = before.costs->problem().samplesPerIteration() * before.perIteration(1) ==
                          after.costs->problem().samplesPerIteration() * after.perIteration(1);
    const Metrics &was = before.evaluation->metrics, &is = after.evaluation->metrics;
    if (sameWork) {
        const double change = after.iterationTimeS() / before.iterationTimeS() - 1;
        if (!(std::abs(change) >= leastPart)) return effectText("time unchanged");
        return effectText("%1 time (%2), %3")
            .arg(withSign(change, formatPercent(std::abs(change))),
                 qtText(formatSeconds(after.iterationTimeS())), verdict(change < 0));
    }
    const double change = is.throughputSamplesPerS / was.throughputSamplesPerS - 1;
    if (!(std::abs(change) >= leastPart)) return effectText("samples/s unchanged");
    return effectText("%1 samples/s (%2), %3")
        .arg(withSign(change, formatPercent(std::abs(change))),
             qtText(formatNumber(is.throughputSamplesPerS)), verdict(change > 0));
}

QString peakEffect(const PlanRun& before, const PlanRun& after) {
    const DeviceMetrics &was = peakDevice(before), &is = peakDevice(after);
    const double change = is.peakMemoryBytes - was.peakMemoryBytes;
    if (std::abs(change) < leastBytes) return effectText("peak unchanged");
    const Cluster& cluster = after.costs->problem().cluster;
    return effectText("%1 peak (%2 on %3), %4")
        .arg(withSign(change, formatBytes(std::abs(change))), qtText(formatBytes(is.peakMemoryBytes)),
             qtText(cluster.devices[static_cast<std::size_t>(is.device)].id), verdict(change < 0));
}

}  // namespace

QString effectOf(const PlanRun& before, const PlanRun& after) {
    QStringList parts{timeEffect(before, after)};
    if (saysMemory(after.costs->problem().profile)) parts << peakEffect(before, after);
    const bool fitted = before.evaluation->metrics.fitsMemory, fits = after.evaluation->metrics.fitsMemory;
    if (fitted && !fits) parts << effectText("no longer fits into memory");
    if (!fitted && fits) parts << effectText("fits into memory now");
    return parts.join(QStringLiteral("; "));
}

}  // namespace stagecraft::app::plan
