#pragma once

#include "views/rooms.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QSlider;
class QToolButton;

namespace stagecraft::views::timeline {
class PlayClock;
}

namespace stagecraft::views::plan {

/// What a clock is driven with: where it is, how fast it runs, whether it begins again.
class PlayBar : public QWidget {
    Q_OBJECT
public:
    /// The clock must outlive it.
    explicit PlayBar(PlayClock* clock, QWidget* parent = nullptr);
    /// Buttons to play, and for the events before and after; without them where a toolbar has them.
    void addTransport();
    /// After the clock has another span.
    void showTime();
    void faster() { changeSpeed(-1); }
    void slower() { changeSpeed(1); }
    void toggleLoop();

signals:
    void previousWanted();
    void nextWanted();

protected:
    void changeEvent(QEvent* event) override;

private:
    void changeSpeed(int step);
    void refreshIcons();

    PlayClock* clock_;
    QToolButton* previous_ = nullptr;
    QToolButton* play_ = nullptr;
    QToolButton* next_ = nullptr;
    QToolButton* loop_;
    QSlider* slider_;
    QLabel* instant_;
    QComboBox* speed_;
};

}  // namespace stagecraft::views::plan
