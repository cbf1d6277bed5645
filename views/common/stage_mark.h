#pragma once

#include "core/base/rooms.h"

#include <QString>
#include <QStringList>

#include <vector>

namespace stagecraft::views {

/// "S3": what a stage is called where there is no room for the word. Servers are s0, s1 and GPUs s0g1, so a
/// number alone or a small letter could be any of them.
inline QString stageMark(int stage) { return QStringLiteral("S%1").arg(stage); }

/// "S0, S2"
inline QString stageMarks(const std::vector<int>& stages, const QString& between = QStringLiteral(", ")) {
    QStringList marks;
    for (const int stage : stages) marks << stageMark(stage);
    return marks.join(between);
}

}  // namespace stagecraft::views
