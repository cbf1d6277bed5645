#include "views/experiments/results_drawing.h"

#include "core/base/text_parts.h"

#include <algorithm>

namespace stagecraft::views::experiments {

namespace {

/// Asked for each value of an axis in every frame.
bool isPlainNumber(const std::string& label) { return wholeNumber(label).has_value(); }

}  // namespace

QColor seriesColour(std::size_t planner, bool dark) {
    const QColor colours[] = {dark ? QColor(0x56, 0xB4, 0xE9) : QColor(0x00, 0x72, 0xB2),
                              QColor(0xD5, 0x5E, 0x00),
                              QColor(0x00, 0x9E, 0x73),
                              QColor(0xE6, 0x9F, 0x00),
                              QColor(0xCC, 0x79, 0xA7),
                              dark ? QColor(0x00, 0x72, 0xB2) : QColor(0x56, 0xB4, 0xE9),
                              dark ? QColor(0xF0, 0xE4, 0x42) : QColor(0x40, 0x40, 0x40),
                              dark ? QColor(0xEE, 0x99, 0xAA) : QColor(0x88, 0x22, 0x55),
                              dark ? QColor(0xBB, 0xCC, 0x33) : QColor(0x77, 0x77, 0x11),
                              dark ? QColor(0xBB, 0xBB, 0xBB) : QColor(0x88, 0x88, 0x88),
                              dark ? QColor(0xAA, 0x99, 0xEE) : QColor(0x33, 0x22, 0x88)};
    static_assert(std::size(colours) % plotSigns == 1, "colour and sign repeat together late");
    return colours[planner % std::size(colours)];
}

QString metricText(const Grid& grid, const ChartChoice& choice) {
    QString text = QString::fromStdString(metricDescriptions()[metricIndex(choice.metric)].title);
    const auto label = [&](std::size_t planner) {
        return QString::fromStdString(grid.experiment().planners[planner].label);
    };
    if (choice.kind == ChartKind::heat) text += QStringLiteral(", ") + label(choice.planner);
    if (!choice.relativeTo) return text;
    return text +
           (choice.kind == ChartKind::heat ? QStringLiteral(" over %1") : QStringLiteral(" over that of %1"))
               .arg(label(*choice.relativeTo));
}

QString axisText(const Axis& axis) {
    const bool plain =
        !axis.unit.empty() && std::all_of(axis.values.begin(), axis.values.end(),
                                          [](const AxisValue& value) { return isPlainNumber(value.label); });
    const QString name = QString::fromStdString(axis.name);
    return plain ? QStringLiteral("%1 (%2)").arg(name, QString::fromStdString(axis.unit)) : name;
}

}  // namespace stagecraft::views::experiments
