#include "views/figures/axis.h"

#include "core/base/units.h"

#include <algorithm>
#include <cmath>

namespace stagecraft {
namespace {

AxisTicks ticksIn(double from, double to, int about, double unit, const QString& name) {
    AxisTicks ticks{{}, unit, name, 0};
    const double range = (to - from) / unit;
    if (!(range > 0) || !std::isfinite(range)) return ticks;
    const double rough = range / std::max(about, 1);
    const double power = std::pow(10, std::floor(std::log10(rough)));
    const double steps[] = {1, 2, 5, 10};
    const double step = power * *std::find_if(std::begin(steps), std::end(steps) - 1,
                                              [&](double s) { return s * power >= rough * (1 - 1e-9); });
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

AxisTicks timeTicks(double from, double to, int about) {
    const double range = to - from;
    if (range >= 2) return ticksIn(from, to, about, 1, "s");
    if (range >= 2e-3) return ticksIn(from, to, about, 1e-3, "ms");
    return ticksIn(from, to, about, 1e-6, QString(QChar(0x00B5)) + "s");
}

AxisTicks byteTicks(double to, int about) {
    if (to >= kib * kib * kib) return ticksIn(0, to, about, kib * kib * kib, "GiB");
    if (to >= kib * kib) return ticksIn(0, to, about, kib * kib, "MiB");
    if (to >= kib) return ticksIn(0, to, about, kib, "KiB");
    return ticksIn(0, to, about, 1, "B");
}

AxisTicks numberTicks(double from, double to, int about, double unit, const QString& unitName) {
    return ticksIn(from, to, about, unit, unitName);
}

}  // namespace stagecraft
