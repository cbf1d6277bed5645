#pragma once

#include "views/gantt/chart_data.h"
#include "views/gantt/time_axis.h"

#include <QImage>
#include <QRect>
#include <QRgb>

#include <memory>
#include <vector>

class QPainter;
class QColor;

namespace stagecraft {

/// What a memory chart shows at the moment.
struct MemoryScene {
    std::shared_ptr<const ChartData> data;
    int series = -1;             ///< the one that is shown stacked by kind; -1: a line for each
    int emphasised = -1;         ///< the one under the pointer in the list
    double askedLimitBytes = 0;  ///< drawn in place of the plan's own, while another is asked for; 0: none

    /// Bytes at the upper edge: the limit if it is near what is used, else a little over the peak.
    double ceilingBytes() const;
    /// The least limit among the devices shown.
    double limitBytes() const;
    QColor colourOf(std::size_t series) const;  ///< of the first stage on its devices
};

class MemoryPainter {
public:
    void paint(QPainter& painter, const MemoryScene& scene, const QRect& area, const TimeAxis& axis);

private:
    void paintLines(const MemoryScene& scene, double columnS, double t0S);
    void paintStack(const MemoryScene& scene, double columnS, double t0S);
    void paintSeries(const MemorySeries& series, QRgb colour, bool faint, double columnS, double t0S);
    int rowOf(double bytes) const;

    QImage image_;
    int thickness_ = 1;
    double ceiling_ = 1;
    std::vector<MemorySeries::Extremes> columns_;
};

}  // namespace stagecraft
