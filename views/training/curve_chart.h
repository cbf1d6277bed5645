#pragma once

#include "views/training/curves_figure.h"

#include <QWidget>

namespace stagecraft {

/// The curves of several policies on the screen. Hover, or Left and Right, shows the exact values at an
/// epoch.
class CurveChart : public QWidget {
    Q_OBJECT
public:
    explicit CurveChart(QWidget* parent = nullptr);

    /// Size and type are the widget's own, whatever the options say.
    void setCurves(const std::vector<training::PolicyRuns>& runs, const CurvesOptions& options);
    const std::vector<CurvesPanel>& panels() const { return drawing_.panels; }
    /// Where a policy's mean is, in pixels; a null point if it is not drawn.
    QPointF pointOf(int panel, training::Policy policy, std::size_t index) const;
    /// What is said of a place, as rich text.
    QString describe(int panel, double place) const;
    QSize sizeHint() const override { return {640, 320}; }
    QSize minimumSizeHint() const override { return {320, 160}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void redraw();
    void pointAt(int panel, double place);
    /// The place with a point that is nearest to `mm` on the panel's axis; 0: there is none.
    double placeNear(const CurvesPanel& panel, double mm) const;
    QPointF pixels(const QPointF& mm) const;

    std::vector<training::PolicyRuns> runs_;
    CurvesOptions options_;
    CurvesDrawing drawing_;
    int panel_ = -1;  ///< that is pointed at
    double place_ = 0;
};

}  // namespace stagecraft
