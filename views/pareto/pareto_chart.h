#pragma once

#include "views/pareto/pareto_figure.h"
#include "views/plot/axes_chart.h"

#include <functional>

class QCPGraph;

namespace stagecraft::views::pareto {

/// One point of one curve.
struct ParetoPlace {
    int series = -1;
    int point = -1;
    bool operator==(const ParetoPlace&) const = default;
    explicit operator bool() const { return series >= 0; }
};

/// Throughput versus memory on the screen. Hover, or Left and Right and Up and Down for the other curve,
/// describes a plan; a click or Enter picks it.
class ParetoChart : public AxesChart {
    Q_OBJECT
public:
    explicit ParetoChart(QWidget* parent = nullptr);

    /// What the options say of size and type is for print.
    void setSeries(std::vector<ParetoSeries> series, const ParetoFigureOptions& options);
    const ParetoFigureOptions& options() const { return options_; }
    /// Says more about a plan than its numbers; plain text.
    void setDescriber(std::function<QString(const ParetoPoint&)> describe) { more_ = std::move(describe); }
    /// Rings around the points that answer a question, and the question as a line across the chart.
    void setAsked(double memoryBytes, double periodS, std::vector<ParetoPlace> answers);

    QPointF pointOf(const ParetoPlace& place) const;  ///< in pixels
    ParetoPlace current() const { return current_; }
    QString describe(const ParetoPlace& place) const;  ///< rich text
    QSize sizeHint() const override { return {640, 400}; }
    QSize minimumSizeHint() const override { return {320, 200}; }

signals:
    void picked(stagecraft::views::pareto::ParetoPlace place);

protected:
    void build() override;
    void paintMarks(QPainter& painter) const override;
    void pointTo(const std::optional<QPointF>& position) override;
    bool hit(const QPointF& position) override;
    bool step(QPoint by) override;
    bool pick(Qt::KeyboardModifiers modifiers) override;

private:
    QCPGraph* plotStairs(const ParetoSeries& series, bool expected);
    const ParetoPoint& at(const ParetoPlace& place) const;
    ParetoPlace nearest(const QPointF& position) const;
    ParetoPlace nextTo(QPoint by) const;
    void setCurrent(const ParetoPlace& place);

    std::vector<ParetoSeries> series_;
    ParetoFigureOptions options_;
    std::function<QString(const ParetoPoint&)> more_;
    ParetoPlace current_;
    double askedBytes_ = 0, askedPeriodS_ = 0;
    std::vector<ParetoPlace> answers_;
};

}  // namespace stagecraft::views::pareto
