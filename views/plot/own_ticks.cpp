#include "views/plot/own_ticks.h"

namespace stagecraft::views::plot {

void OwnTicks::generate(const QCPRange&, const QLocale&, QChar, int, QVector<double>& values,
                        QVector<double>* subTicks, QVector<QString>* labels) {
    values.clear();
    if (subTicks) subTicks->clear();
    if (labels) labels->clear();
    for (const PlotTick& tick : ticks()) {
        values.append(tick.value);
        if (labels) labels->append(tick.label);
    }
}

}  // namespace stagecraft::views::plot
