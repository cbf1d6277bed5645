#include "views/figures/axis.h"

#include "core/base/nice_steps.h"
#include "core/base/units.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::views::figures {
namespace {

AxisTicks ticksIn(double from, double to, int about, double unit, const QString& name) {
    AxisTicks ticks{{}, unit, name, 0};
    const double range = (to - from) / unit;
    if (!(range > 0) || !std::isfinite(range)) return ticks;
    const double step = niceStep(range / std::max(about, 1));
    ticks.decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
    const double first = std::ceil(from / unit / step - 1e-9);
    for (double k = first; k * step <= to / unit * (1 + 1e-9) + 1e-12; ++k)
        ticks.values.push_back(k * step * unit);
    return ticks;
}

}  // namespace

QString AxisTicks::label(double value) const {
    const QString text = QString::number(value / unit, 'f', decimals);
    return text.startsWith('-') ? QChar(0x2212) + text.mid(1) : text;
}

std::pair<double, QString> readUnit(double most, const std::string& unit) {
    if (unit == "s") {
        if (most >= 2) return {1, QStringLiteral("s")};
        if (most >= 2e-3) return {1e-3, QStringLiteral("ms")};
        return {1e-6, QString(QChar(0x00B5)) + "s"};
    }
    if (unit == shareUnit) return {0.01, QStringLiteral("%")};
    if (unit != "B") return {1, QString::fromStdString(unit)};
    const char* names[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double size = 1;
    std::size_t step = 0;
    for (; step + 1 < std::size(names) && most >= kib * size; ++step) size *= kib;
    return {size, QLatin1String(names[step])};
}

AxisTicks timeTicks(double from, double to, int about) {
    const auto [unit, name] = readUnit(to - from, "s");
    return ticksIn(from, to, about, unit, name);
}

AxisTicks byteTicks(double to, int about) {
    // GiB at most; of a unit there are two at least, so that the numbers say something.
    const auto [unit, name] = readUnit(std::min(to / 2, gib), "B");
    return ticksIn(0, to, about, unit, name);
}

AxisTicks numberTicks(double from, double to, int about, double unit, const QString& unitName) {
    return ticksIn(from, to, about, unit, unitName);
}

}  // namespace stagecraft::views::figures
