#pragma once

#include "core/base/rooms.h"
#include "core/model/chart_note.h"
#include "views/timeline/chart_data.h"

#include <QLabel>
#include <QMenu>
#include <QString>
#include <QTimer>
#include <QWidget>

#include <optional>
#include <vector>

class QAction;

namespace stagecraft::views::timeline {
class TimePlot;
}

namespace stagecraft::views::play {

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

/// Says over the middle of its parent, for some seconds, which keys do what.
class KeyCard : public QLabel {
    Q_OBJECT
public:
    explicit KeyCard(QWidget* parent);
    void showKeys(const QStringList& lines);
    /// After the parent has another size.
    void place();

private:
    QTimer timer_;
};

/// A ring around the mouse that the back row sees. Lies over what it points at.
class PointerRing : public QWidget {
    Q_OBJECT
public:
    explicit PointerRing(QWidget* parent);
    /// @param position in the parent
    void moveTo(QPoint position);
    /// @param pixels across
    void setExtent(int pixels);

protected:
    void paintEvent(QPaintEvent* event) override;
};

inline constexpr std::size_t mostPreparedViews = 9;  ///< as many as there are digits

/// A part of a plan's time to which a digit jumps.
struct PreparedView {
    QString name;
    double t0 = 0, t1 = 1;  ///< seconds, what is in view
    double atS = 0;         ///< where playing goes on
};

/// The notes and bookmarks of a plan, by time, each with what the chart showed as it was made; without any
/// the whole run and its warm-up, steady state and cool-down, as far as it has them.
std::vector<PreparedView> preparedViews(const ChartData& data, const std::vector<ChartNote>& notes);

inline constexpr int presentedPoints[] = {18, 22, 28};  ///< sizes of type, for a room that is ever larger

/// What a person wants to see when plans are presented.
struct PresentChoice {
    int typePoints = presentedPoints[0];
    bool memory = true;    ///< below the lanes
    bool cluster = false;  ///< beside them
    bool operator==(const PresentChoice&) const = default;
};

/// What plans are presented with: how large the type is, with memory and cluster or without.
class PresentMenu : public QMenu {
    Q_OBJECT
public:
    explicit PresentMenu(QWidget* parent = nullptr);
    const PresentChoice& choice() const { return choice_; }
    void setChoice(const PresentChoice& choice);
    void nextType();
    void toggleMemory();
    void toggleCluster();

signals:
    void chosen();  ///< by a person

private:
    void choose(const PresentChoice& choice);

    PresentChoice choice_;
    std::vector<QAction*> types_;  ///< by presentedPoints
    QAction* memory_ = nullptr;
    QAction* cluster_ = nullptr;
};

}  // namespace stagecraft::views::play
