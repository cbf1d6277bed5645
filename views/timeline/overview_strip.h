#pragma once

#include "views/common/job.h"
#include "views/timeline/chart_data.h"
#include "views/timeline/time_axis.h"

#include <QImage>
#include <QWidget>

#include <memory>

namespace stagecraft::views::timeline {

/// The whole run in little, with a brush over the part of it that the charts show. Drag the brush or one of
/// its ends, press beside it to go there, drag over it while everything is shown to mark out what to show.
/// It asks for another range and waits to be given it. The run is drawn once for each size and colouring;
/// what moves is drawn over it.
class OverviewStrip : public QWidget {
    Q_OBJECT
public:
    explicit OverviewStrip(QWidget* parent = nullptr);

    /// @param coloured null: by kind
    void setBlocks(std::shared_ptr<const ChartData> prepared, std::shared_ptr<const ColouredBlocks> coloured);
    /// What the strip shows from edge to edge, and what of it the charts show. Seconds.
    void setRanges(std::pair<double, double> whole, std::pair<double, double> shown);
    /// Pixels of the widget beside the charts' area.
    void setMargins(int left, int right);
    TimeAxis axis() const;
    /// Where the brush is; as wide as the strip while everything is shown.
    QRectF brush() const;
    const QImage& run() const { return run_; }  ///< null until it is drawn
    int drawings() const { return drawings_; }  ///< how often the run was drawn

signals:
    void rangeRequested(double t0, double t1);
    void allRequested();

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    enum class Grip { none, begin, end, middle, fresh };

    bool showsAll() const;
    Grip gripAt(double x) const;
    QRect area() const;
    void drawRun();

    std::shared_ptr<const ChartData> data_;
    std::shared_ptr<const ColouredBlocks> coloured_;
    std::pair<double, double> whole_{0, 1}, shown_{0, 1};
    int left_ = 0;
    int right_ = 0;
    QImage run_;
    QSize asked_;  ///< of the drawing that is there or under way, in device pixels
    int drawings_ = 0;
    Job drawing_;
    Grip grip_ = Grip::none;
    double grippedS_ = 0;                           ///< where the pointer took hold
    std::pair<double, double> grippedRange_{0, 1};  ///< what was shown then
};

}  // namespace stagecraft::views::timeline
