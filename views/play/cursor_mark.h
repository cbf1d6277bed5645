#pragma once

#include "core/base/rooms.h"

#include <QString>
#include <QWidget>

#include <optional>

namespace stagecraft::views {

class TimePlot;

/// Lies over a plot: a line at the instant that is played, with its time.
class CursorMark : public QWidget {
    Q_OBJECT
public:
    explicit CursorMark(TimePlot* plot);
    void setTime(double timeS, const QString& text);
    double timeS() const { return timeS_; }

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    TimePlot* plot_;
    double timeS_ = 0;
    QString text_;
};

/// Where the time is written, on the axis above an area. @param font not bold, as paintCursor has it
QRectF cursorBadge(const QFont& font, const QRectF& area, double x, const QString& text);
/// The line with its time, at `x` of an area; what the mark paints, for pictures that have no widgets.
/// @param width of the line, in pixels
void paintCursor(QPainter& painter, const QRectF& area, double x, const QString& text, double width = 2);

}  // namespace stagecraft::views
