#pragma once

#include "core/base/counted.h"
#include "views/rooms.h"
#include "core/base/units.h"
#include "core/model/cluster.h"

#include <QString>
#include <QStringList>

#include <string>
#include <vector>

namespace stagecraft::views::common {

/// UTF-8 text of the core as the window's.
inline QString qtText(const std::string& text) { return QString::fromStdString(text); }

/// The same inside rich text: what would be markup shows as it is written.
inline QString htmlText(const std::string& text) { return qtText(text).toHtmlEscaped(); }

/// counted() as the window's text.
inline QString countedText(long long count, const char* one, const char* many = "") {
    return QString::fromStdString(counted(count, one, many));
}

/// formatBytes() and formatSeconds() as the window's text.
inline QString bytesText(double bytes) { return qtText(formatBytes(bytes)); }
inline QString secondsText(double seconds) { return qtText(formatSeconds(seconds)); }

/// "S3": what a stage is called where there is no room for the word. Servers are s0, s1 and GPUs s0g1, so a
/// number alone or a small letter could be any of them.
inline QString stageMark(int stage) { return QStringLiteral("S%1").arg(stage); }

/// "S0, S2"
inline QString stageMarks(const std::vector<int>& stages, const QString& between = QStringLiteral(", ")) {
    QStringList marks;
    for (const int stage : stages) marks << stageMark(stage);
    return marks.join(between);
}

/// "s0g0 … s0g3 (×4)", "s0g0, s0g1", "s0g0".
QString deviceSummary(const Cluster& cluster, const std::vector<int>& devices);

/// The same and shorter ways to say it, down to "s0g0 (×4)", for places with less room.
QStringList deviceSummaries(const Cluster& cluster, const std::vector<int>& devices);

/// "s0g0–s0g3, s2g1", or "s0g0–3, s2g1" if `brief`: neighbours in the cluster's order are joined.
QString deviceRange(const Cluster& cluster, std::vector<int> devices, bool brief);

/// Every one with its GPU: "s0g0 (V100), s0g1 (V100)".
QString allDevices(const Cluster& cluster, const std::vector<int>& devices);

}  // namespace stagecraft::views::common
