#pragma once

#include "views/rooms.h"

#include <QRectF>
#include <QString>
#include <QWidget>

#include <vector>

namespace stagecraft::views::timeline {
class TimePlot;
}

namespace stagecraft::views::stack {

/// Where a plan ends, on the axis that it shares with others.
struct EndMark {
    double timeS = 0;
    QString label;     ///< "SPP 531 ms"
    bool own = false;  ///< of the plan in whose chart it is drawn
};

/// Lies over the plot of one plan of a stack: the ends of all plans, and the blocks that another chart's
/// pointer is on.
class StackMarks : public QWidget {
    Q_OBJECT
public:
    explicit StackMarks(TimePlot* plot);

    void setEnds(std::vector<EndMark> ends);
    void setLit(std::vector<QRectF> blocks);
    const std::vector<EndMark>& ends() const { return ends_; }
    const std::vector<QRectF>& lit() const { return lit_; }

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void paintEnd(QPainter& painter, const EndMark& end) const;

    TimePlot* plot_;
    std::vector<EndMark> ends_;
    std::vector<QRectF> lit_;
};

}  // namespace stagecraft::views::stack
