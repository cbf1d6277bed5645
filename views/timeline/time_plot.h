#pragma once

#include "views/timeline/time_axis.h"

#include <QImage>
#include <QWidget>

#include <functional>
#include <memory>
#include <optional>

namespace stagecraft::views::timeline {

/// A plot with a time axis, drawn through QCustomPlot by a plottable that hands its painter to a function of
/// ours. It turns wheel and mouse into requests for another range and answers none of them itself: whoever
/// owns several plots on one axis sets the same range on all.
class TimePlot : public QWidget {
    Q_OBJECT
public:
    enum class Side { top, bottom };
    /// Draws inside `area` (widget pixels; `axis` maps to the same) and in the band above it, if there is
    /// one. The painter is clipped to both.
    using Paint = std::function<void(QPainter&, const QRect& area, const TimeAxis& axis)>;

    TimePlot(Side axisSide, Paint paint, QWidget* parent = nullptr);
    ~TimePlot() override;

    void setRange(double t0, double t1);
    void setRightMargin(int pixels);
    /// Room between the axis, which is at the top, and the area, for marks of stretches of time.
    void setBandHeight(int pixels);
    int bandHeight() const { return bandHeight_; }
    TimeAxis axis() const;
    QRect area() const;  ///< where data is drawn, in widget pixels

    void replot();  ///< at the next turn of the event loop, once for many calls
    void replotNow();

    /// The line under the pointer, in this plot and in those that share its axis; cheap, nothing is drawn
    /// anew.
    void setCursorTime(std::optional<double> timeS);
    /// An outline around what the pointer is on; empty for none.
    void setHighlight(const QRectF& rectangle);
    /// A range of time that is marked and measured.
    void setMarkedRange(std::optional<std::pair<double, double>> range);
    std::optional<std::pair<double, double>> markedRange() const { return marked_; }
    /// Ends of a range that is dragged out are given to `snap`, which answers with the instant that they
    /// stand for.
    void setSnap(std::function<double(QPointF)> snap) { snap_ = std::move(snap); }

    QImage picture(double scale);  ///< drawn afresh at that scale, without pointer marks

signals:
    void rangeRequested(double t0, double t1);
    void scrollRequested(int pixels);  ///< vertically, positive is down
    void pointerMoved(QPointF position);
    void pointerLeft();
    void clicked(QPointF position);
    void doubleClicked(QPointF position);
    void menuRequested(QPointF position, QPoint globalPosition);  ///< right click, or the menu's key
    void rangeMarked();
    void drawn();  ///< the data, anew

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    struct Plot;
    class Overlay;
    enum class Drag { none, pressed, panning, marking };

    void place();
    void applyTheme();
    double snapped(QPointF position) const { return snap_ ? snap_(position) : axis().toTime(position.x()); }

    std::unique_ptr<Plot> plot_;
    Overlay* overlay_ = nullptr;
    Side side_;
    int rightMargin_ = 0;
    int bandHeight_ = 0;
    Drag drag_ = Drag::none;
    QPoint dragFrom_;
    int dragLastY_ = 0;
    TimeAxis dragAxis_;
    std::function<double(QPointF)> snap_;
    std::optional<std::pair<double, double>> marked_;
};

}  // namespace stagecraft::views::timeline
