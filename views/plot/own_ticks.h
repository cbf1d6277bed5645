#pragma once

#include "views/figures/plot_frame.h"

#include <qcustomplot.h>

#include <vector>

namespace stagecraft::views::plot {

/// Ticks for QCustomPlot's axes by a rule of ours.
class OwnTicks : public QCPAxisTicker {
public:
    void generate(const QCPRange& range, const QLocale& locale, QChar format, int precision,
                  QVector<double>& values, QVector<double>* subTicks, QVector<QString>* labels) final;

protected:
    virtual std::vector<PlotTick> ticks() const = 0;
};

}  // namespace stagecraft::views::plot
