#include "views/common/text.h"

#include <algorithm>

namespace stagecraft::views::common {

namespace {

const QString enDash = QChar(0x2013);

QString deviceName(const Cluster& cluster, int device) {
    return QString::fromStdString(cluster.devices[static_cast<std::size_t>(device)].id);
}

QString runOfDevices(const Cluster& cluster, int from, int to, bool brief) {
    const QString first = deviceName(cluster, from), last = deviceName(cluster, to);
    if (from == to) return first;
    if (!brief) return first + enDash + last;
    // A number is never cut in two: s0g8 to s0g11 is "s0g8–11", s0g0 to s1g3 is "s0g0–s1g3".
    qsizetype start = 0;
    for (qsizetype i = 0; i < std::min(first.size(), last.size()) && first[i] == last[i]; ++i)
        if (!first[i].isDigit()) start = i + 1;
    const bool numberOnly =
        std::all_of(last.begin() + start, last.end(), [](QChar c) { return c.isDigit(); });
    return first + enDash + (numberOnly ? last.mid(start) : last);
}

}  // namespace

QStringList deviceSummaries(const Cluster& cluster, const std::vector<int>& devices) {
    if (devices.empty()) return {QString()};
    const QString first = deviceName(cluster, devices.front()), last = deviceName(cluster, devices.back());
    if (devices.size() == 1) return {first};
    const QString count = QStringLiteral(" (×%1)").arg(devices.size());
    if (devices.size() == 2) return {first + ", " + last, first + count};
    return {first + " … " + last + count, first + " … " + last, first + count};
}

QString deviceSummary(const Cluster& cluster, const std::vector<int>& devices) {
    return deviceSummaries(cluster, devices).front();
}

QString deviceRange(const Cluster& cluster, std::vector<int> devices, bool brief) {
    std::sort(devices.begin(), devices.end());
    QStringList runs;
    for (std::size_t i = 0; i < devices.size();) {
        std::size_t last = i;
        while (last + 1 < devices.size() && devices[last + 1] == devices[last] + 1) ++last;
        runs << runOfDevices(cluster, devices[i], devices[last], brief);
        i = last + 1;
    }
    return runs.join(", ");
}

QString allDevices(const Cluster& cluster, const std::vector<int>& devices) {
    QStringList names;
    for (const int device : devices) {
        const Device& it = cluster.devices[static_cast<std::size_t>(device)];
        names << QString::fromStdString(it.gpu.empty() ? it.id : it.id + " (" + it.gpu + ")");
    }
    return names.join(", ");
}

}  // namespace stagecraft::views::common
