#pragma once

#include "views/rooms.h"

#include <QSlider>
#include <QWidget>

class QDoubleSpinBox;
class QLabel;
class QTimer;

namespace stagecraft::views::common {
class ElidedLabel;
}

namespace stagecraft::views::pareto {

/// A slider that goes where it is clicked, with a mark that it snaps to.
class MarkedSlider : public QSlider {
    Q_OBJECT
public:
    explicit MarkedSlider(QWidget* parent = nullptr);
    void setMark(int value);  ///< outside of the range: none
    int mark() const { return mark_; }
    /// Where a value is, in pixels from the left edge.
    int pixelOf(int value) const;

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    QSize sizeHint() const override { return {240, 28}; }

private:
    int mark_ = -1;
};

/// Asks for a memory per device: a slider, the number in GiB, and what came of it. While the slider moves
/// `moved` is emitted; once it is let go, or keys have rested, `settled`. Esc before that: `discarded`.
class MemoryLimitBar : public QWidget {
    Q_OBJECT
public:
    explicit MemoryLimitBar(QWidget* parent = nullptr);
    ~MemoryLimitBar() override;

    /// @param ownBytes what the devices have (the least of them), where the mark is; 0: they do not say
    void setRange(double mostBytes, double ownBytes);
    /// Shows a limit without emitting anything.
    void setLimit(double bytes);
    double limitBytes() const { return bytes_; }
    /// Goes back to the limit before it moved, even under a pressed mouse; nothing is emitted.
    void giveUp();
    /// Whether a limit is shown that has not settled.
    bool isMoving() const { return moving_; }

    enum class Activity { none, planning, improving };
    void setActivity(Activity activity);
    /// What prevents a plan; empty: nothing does.
    void setObstacle(const QString& text);
    QString obstacle() const;

signals:
    void moved(double bytes);
    void settled(double bytes);
    void discarded();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void layOut();
    void onSlider(int value);
    void onNumber(double gib);
    void move(double bytes);
    void settle();
    void discard();
    void showLimit();

    MarkedSlider* slider_;
    QDoubleSpinBox* number_;
    QLabel* activity_;
    ElidedLabel* obstacle_;
    QTimer* rest_;
    double bytes_ = 0;
    double before_ = 0;  ///< the limit before it moved
    double own_ = 0;
    double stepBytes_ = 1;
    bool moving_ = false;
    bool showing_ = false;
    bool ignoring_ = false;  ///< of a drag that was given up
};

}  // namespace stagecraft::views::pareto
