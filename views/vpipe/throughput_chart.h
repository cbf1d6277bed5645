#pragma once

#include "views/plot/axes_chart.h"
#include "views/vpipe/throughput_series.h"

namespace stagecraft::views::vpipe {

/// Throughput over time of a network that changes while it trains, and below it the layers of its stages. The
/// pointer, or Left and Right, shows all numbers of a stretch of time.
class ThroughputChart : public AxesChart {
    Q_OBJECT
public:
    explicit ThroughputChart(const QString& name, QWidget* parent = nullptr);

    /// Without points `hint` is shown.
    void setPoints(const std::vector<planners::vpipe::ThroughputPoint>& points, const QString& hint = {});
    const std::vector<ThroughputSpan>& spans() const { return spans_; }
    QString describe(int span) const;         ///< rich text
    int current() const { return current_; }  ///< the span that is described; -1: none
    QRectF spanRect(int span) const;          ///< in pixels
    QSize sizeHint() const override { return {720, 360}; }
    QSize minimumSizeHint() const override { return {280, 240}; }

protected:
    void build() override;
    void paintMarks(QPainter& painter) const override;
    void pointTo(const std::optional<QPointF>& position) override;
    bool step(QPoint by) override;
    bool letGo() override;

private:
    void plotSeries();
    void plotLayers();
    void paintNumbers(QPainter& painter) const;
    void paintChanges(QPainter& painter) const;
    /// @param at where to describe it, on the screen; nothing: below it
    void setCurrent(int span, std::optional<QPoint> at = {});

    std::vector<planners::vpipe::ThroughputPoint> points_;
    std::vector<ThroughputSpan> spans_;
    int current_ = -1;
};

}  // namespace stagecraft::views::vpipe
