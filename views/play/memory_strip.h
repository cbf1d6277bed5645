#pragma once

#include "views/timeline/chart_data.h"
#include "views/timeline/time_axis.h"

#include <QImage>
#include <QPainter>

namespace stagecraft::views::play {

/// The memory of a plan's devices over time, below its lanes: a line for each, in the colour of its stage, as
/// high as the scale of all plans of a picture says, with the limit and the plan's peak. In any thread, but
/// in one at a time.
class MemoryStrip {
public:
    explicit MemoryStrip(std::shared_ptr<const ChartData> data) : data_(std::move(data)) {}

    /// In the painter's font. What comes after `timeS` is faint.
    /// @param fullBytes at the upper edge
    void paint(QPainter& painter, const QRect& area, const TimeAxis& axis, double fullBytes, double timeS);
    /// "peak 385 MiB": the most that one of the devices holds; empty where none holds anything.
    QString peakText() const;

private:
    /// The one with the highest peak; null where none holds anything.
    const MemorySeries* highest() const;
    /// What the lines that were drawn last depend on.
    struct Drawn {
        QRect area;
        double t0 = 0, t1 = 0, fullBytes = 0, scale = 0, line = 0;
        bool dark = false;
        bool operator==(const Drawn&) const = default;
    };
    void drawLines(const Drawn& wanted, const TimeAxis& axis);
    void drawSeries(QPainter& painter, const MemorySeries& series, const TimeAxis& axis);
    /// @returns where it says so; empty if nowhere
    QRectF paintLimit(QPainter& painter, const QRect& area, double fullBytes) const;
    /// At the highest of the curves, beside what has been said of the limit.
    void paintPeak(QPainter& painter, const QRect& area, const TimeAxis& axis, double fullBytes,
                   const QRectF& limit) const;

    std::shared_ptr<const ChartData> data_;
    std::vector<StepSeries::Extremes> columns_;
    Drawn drawn_;
    QImage lines_;
};

}  // namespace stagecraft::views::play
