#pragma once

#include "views/resources/series_list.h"
#include "views/timeline/time_plot.h"

#include <QWidget>

class QScrollArea;

namespace stagecraft::views::resources {

/// A chart under a Gantt chart, on its time axis, with the list of its series at its left in the width of the
/// lane labels.
class SeriesChart : public QWidget {
    Q_OBJECT
public:
    void setRange(double t0, double t1) { plot_->setRange(t0, t1); }
    /// The read-out of every series follows; none: what sums each up.
    void setCursorTime(std::optional<double> timeS);
    void setLabelWidth(int pixels);
    void setRightMargin(int pixels) { plot_->setRightMargin(pixels); }
    void setListTop(int pixels);  ///< room above the list
    TimePlot& plot() { return *plot_; }

signals:
    void cursorMoved(double timeS);
    void cursorLeft();

protected:
    explicit SeriesChart(QWidget* parent);
    void setList(SeriesList* list);  ///< once; this owns it

    virtual void paintSeries(QPainter& painter, const QRect& area, const TimeAxis& axis) = 0;
    virtual bool hasSeries() const = 0;
    virtual void pickSeries(int series) = 0;   ///< in the list; -1: all
    virtual void hoverSeries(int series) = 0;  ///< in the list; -1: none
    virtual void clickAt(QPointF position) = 0;
    void refresh();

    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void placeAll();

    TimePlot* plot_;
    QScrollArea* scrollArea_;
    SeriesList* list_ = nullptr;
    int labelWidth_ = 150;
    int listTop_ = 0;
};

}  // namespace stagecraft::views::resources
