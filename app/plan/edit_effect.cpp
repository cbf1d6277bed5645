#include "app/plan/edit_effect.h"

#include "core/base/units.h"

#include <QCoreApplication>
#include <QStringList>

#include <cmath>

namespace stagecraft {

namespace {

constexpr double leastPart = 5e-5;           // a smaller change of time rounds to nothing
constexpr double leastBytes = 512.0 * 1024;  // as does one of memory

QString tr(const char* text) { return QCoreApplication::translate("EditEffect", text); }
QString shown(const std::string& text) { return QString::fromStdString(text); }

QString withSign(double value, const std::string& size) {
    return (value < 0 ? QStringLiteral("−") : QStringLiteral("+")) + shown(size);
}

QString verdict(bool better) { return better ? tr("better") : tr("worse"); }

const DeviceMetrics& fullest(const PlanRun& run) {
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
        if (!(std::abs(change) >= leastPart)) return tr("time unchanged");
        return tr("%1 time (%2), %3")
            .arg(withSign(change, formatPercent(std::abs(change))),
                 shown(formatSeconds(after.iterationTimeS())), verdict(change < 0));
    }
    const double change = is.throughputSamplesPerS / was.throughputSamplesPerS - 1;
    if (!(std::abs(change) >= leastPart)) return tr("samples/s unchanged");
    return tr("%1 samples/s (%2), %3")
        .arg(withSign(change, formatPercent(std::abs(change))), shown(formatNumber(is.throughputSamplesPerS)),
             verdict(change > 0));
}

QString peakEffect(const PlanRun& before, const PlanRun& after) {
    const DeviceMetrics &was = fullest(before), &is = fullest(after);
    const double change = is.peakMemoryBytes - was.peakMemoryBytes;
    if (std::abs(change) < leastBytes) return tr("peak unchanged");
    const Cluster& cluster = after.costs->problem().cluster;
    return tr("%1 peak (%2 on %3), %4")
        .arg(withSign(change, formatBytes(std::abs(change))), shown(formatBytes(is.peakMemoryBytes)),
             shown(cluster.devices[static_cast<std::size_t>(is.device)].id), verdict(change < 0));
}

}  // namespace

QString effectOf(const PlanRun& before, const PlanRun& after) {
    QStringList parts{timeEffect(before, after), peakEffect(before, after)};
    const bool fitted = before.evaluation->metrics.fitsMemory, fits = after.evaluation->metrics.fitsMemory;
    if (fitted && !fits) parts << tr("no longer fits into memory");
    if (!fitted && fits) parts << tr("fits into memory now");
    return parts.join(QStringLiteral("; "));
}

}  // namespace stagecraft
