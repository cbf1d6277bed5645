#pragma once

#include "views/plot/axes_chart.h"
#include "views/training/curves_figure.h"

namespace stagecraft::views::training {

/// The curves of several policies on the screen. Hover, or Left and Right, shows the exact values at an
/// epoch.
class CurveChart : public AxesChart {
    Q_OBJECT
public:
    explicit CurveChart(QWidget* parent = nullptr);

    /// What the options say of size, type and legend is for print.
    void setCurves(const std::vector<stagecraft::training::PolicyRuns>& runs, const CurvesOptions& options);
    const std::vector<CurvesPanel>& panels() const { return curves_; }
    /// Where a policy's mean is, in pixels; a null point if it is not drawn.
    QPointF pointOf(int panel, stagecraft::training::Policy policy, std::size_t index) const;
    /// What is said of a place, as rich text.
    QString describe(int panel, double place) const;
    QSize sizeHint() const override { return {640, 320}; }
    QSize minimumSizeHint() const override { return {320, 160}; }

protected:
    void build() override;
    void paintMarks(QPainter& painter) const override;
    void pointTo(const std::optional<QPointF>& position) override;
    bool step(QPoint by) override;

private:
    void plotBand(std::size_t panel, const CurvesPanel::Curve& curve);
    void plotCurve(std::size_t panel, const CurvesPanel::Curve& curve);
    void pointAt(int panel, double place);
    /// The place with a point that is nearest to one on the panel's axis; 0: there is none.
    double placeNear(const CurvesPanel& panel, double across) const;

    CurvesOptions options_;
    std::vector<CurvesPanel> curves_;
    int panel_ = -1;  ///< that is pointed at
    double place_ = 0;
};

}  // namespace stagecraft::views::training
