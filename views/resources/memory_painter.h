#pragma once

#include "views/resources/series_painter.h"
#include "views/timeline/chart_data.h"

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace stagecraft::views::resources {

/// What a memory chart shows at the moment.
struct MemoryScene {
    std::shared_ptr<const ChartData> data;
    int series = -1;               ///< the one that is shown stacked by kind; -1: a line for each
    int emphasised = -1;           ///< the one under the pointer in the list
    double askedLimitBytes = 0;    ///< drawn instead of the plan's own, while another is asked for; 0: none
    std::optional<double> askedS;  ///< the instant of which it was asked what is alive
    std::vector<bool> filtered{};  ///< by series: whether a filter hides its line; empty: it hides none

    bool hides(std::size_t index) const { return index < filtered.size() && filtered[index]; }
    /// Whether the chart draws the series: the one that is selected, else all that no filter hides.
    bool shows(std::size_t index) const {
        return series >= 0 ? static_cast<int>(index) == series : !hides(index);
    }
    /// Bytes at the upper edge: the limit if it is near what is used, else a little over the peak.
    double ceilingBytes() const;
    /// Of the devices shown, by bytes: how many have that limit.
    std::map<double, int> limits() const;
    /// The least of them; 0: none.
    double limitBytes() const;
    /// The one whose peak is described in words: the one shown, else the one under the pointer, else the one
    /// with the highest peak; -1 without any.
    int describedSeries() const;
    QColor colourOf(std::size_t series) const;  ///< of the first stage on its devices
};

/// What the stack of a device has on top: what its plan keeps out of memory.
enum class SavedBand { swap, recompute };
QColor savedColour(SavedBand band);

class MemoryPainter : SeriesPainter {
public:
    void paint(QPainter& painter, const MemoryScene& scene, const QRect& area, const TimeAxis& axis);
    /// Where the highest peak and the limit were written last, on the widget; empty: there was no room, or
    /// none.
    const QRectF& peakNote() const { return peakNote_; }
    const QRectF& limitNote() const { return limitNote_; }

private:
    void paintLines(const MemoryScene& scene, double columnS, double t0S);
    void paintStack(const MemoryScene& scene, double columnS, double t0S);
    void paintSaved(const MemorySeries& series, double columnS, double t0S);
    void paintHatched(std::size_t x, int from, int to, QRgb colour, int lean);
    void paintPeaks(QPainter& painter, const MemoryScene& scene, const QRect& area, const TimeAxis& axis,
                    double left);
    void paintPeakNote(QPainter& painter, const MemorySeries& series, const QPointF& at, const QString& mark,
                       const QRectF& room);
    void paintSeries(const MemorySeries& series, QRgb colour, int wide, double columnS, double t0S);
    static QRgb lineColour(const MemoryScene& scene, std::size_t series);
    QPointF peakPoint(const MemorySeries& series, const QRect& area, const TimeAxis& axis) const;

    std::vector<MemorySeries::Extremes> columns_, keptColumns_;
    /// A line for each limit in sight; the least is written whether it is or not, in sight or above.
    void paintLimits(QPainter& painter, const MemoryScene& scene, const QRect& area, double ceiling);

    QRectF peakNote_, limitNote_;
};

}  // namespace stagecraft::views::resources
