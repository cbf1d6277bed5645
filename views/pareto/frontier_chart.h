#pragma once

#include "views/plot/axes_chart.h"

#include <utility>
#include <vector>

namespace stagecraft::views::pareto {

/// A plan of the frontier.
struct FrontierMark {
    double across = 0;  ///< bytes, GPUs, GPU seconds or dollars
    double seconds = 0;
    bool isUnbeaten = false;  ///< no plan that takes no more is faster
    QString words;            ///< rich text
};

struct FrontierScene {
    std::vector<FrontierMark> marks;
    /// No plan that takes up to `first` is faster than `second` seconds, from the least; may end in infinity.
    std::vector<std::pair<double, double>> proven;
    QString acrossTitle;
    std::string unit;        ///< of what is taken
    bool isCounted = false;  ///< in whole numbers
};

/// Time of an iteration against what a plan takes: those that nothing beats are joined by stairs, and what is
/// proven is a line below them. Hover, or Left and Right, describes a plan; a click selects it, a double
/// click or Enter opens it.
class FrontierChart : public AxesChart {
    Q_OBJECT
public:
    explicit FrontierChart(QWidget* parent = nullptr);

    void setScene(FrontierScene scene);
    const FrontierScene& scene() const { return scene_; }
    /// -1: none.
    void select(int mark);
    int selected() const { return selected_; }
    QPointF pointOf(int mark) const;  ///< in pixels
    QSize sizeHint() const override { return {640, 360}; }
    QSize minimumSizeHint() const override { return {320, 160}; }

signals:
    void selectedByPerson(int mark);
    void activated(int mark);

protected:
    void build() override;
    void paintMarks(QPainter& painter) const override;
    void pointTo(const std::optional<QPointF>& position) override;
    bool hit(const QPointF& position) override;
    bool step(QPoint by) override;
    bool pick(Qt::KeyboardModifiers modifiers) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;

private:
    void plotProven(const PlotScale& across);
    void plotPlans(const PlotScale& across);
    int nearest(const QPointF& position) const;
    void describe(int mark);

    FrontierScene scene_;
    int selected_ = -1, pointed_ = -1;
};

}  // namespace stagecraft::views::pareto
