#pragma once

#include "core/runs/reference_plan.h"
#include "core/runs/standing.h"
#include "views/plot/axes_chart.h"

namespace stagecraft::views::compare {

/// Plans by the share of time that their devices wait and by their peak memory: what schedules trade against
/// each other. Each has its name; hover shows the numbers; a click, or Left, Right and Enter, picks a plan.
/// Plans made for another problem are left out.
class BubbleMemoryChart : public AxesChart {
    Q_OBJECT
public:
    explicit BubbleMemoryChart(QWidget* parent = nullptr);

    /// @param selected index into the runs, or -1
    void setRuns(const PlanRuns& runs, int selected);
    int pointCount() const { return static_cast<int>(points_.size()); }
    /// Where the run of that index is drawn; a null point if it is not.
    QPointF pointOf(int run) const;
    QSize sizeHint() const override { return {460, 260}; }
    QSize minimumSizeHint() const override { return {260, 160}; }

signals:
    void planPicked(int run);

protected:
    void build() override;
    void paintMarks(QPainter& painter) const override;
    void pointTo(const std::optional<QPointF>& position) override;
    bool hit(const QPointF& position) override;
    bool step(QPoint by) override;
    bool pick(Qt::KeyboardModifiers modifiers) override;

private:
    struct Point {
        int run = 0;
        QString title;
        double bubbles = 0;  ///< percent
        double peakBytes = 0;
        Standing standing = Standing::fits;
    };

    QPointF at(const Point& point) const { return pixelsOf(point.bubbles, point.peakBytes); }
    int nearest(const QPointF& position) const;
    void setCurrent(int index);
    QString describe(const Point& point) const;

    std::vector<Point> points_;  ///< by share of bubbles
    int selected_ = -1;          ///< a run
    int current_ = -1;           ///< a point, under the pointer or reached with the keyboard
};

}  // namespace stagecraft::views::compare
