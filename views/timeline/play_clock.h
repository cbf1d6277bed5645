#pragma once

#include "views/rooms.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

namespace stagecraft::views::timeline {

/// The time of a plan, which runs along with the clock on the wall.
class PlayClock : public QObject {
    Q_OBJECT
public:
    explicit PlayClock(QObject* parent = nullptr);

    /// What there is to play, in seconds of the plan.
    void setSpan(double beginS, double endS);
    double beginS() const { return beginS_; }
    double endS() const { return endS_; }
    /// How long playing all of it takes, in seconds on the wall; 0: as long as it lasts.
    void setWallS(double seconds) { wallS_ = seconds; }
    double wallS() const { return wallS_; }
    /// At the end it begins again.
    void setLoop(bool on) { loop_ = on; }
    bool loops() const { return loop_; }

    double timeS() const { return timeS_; }
    bool isRunning() const { return timer_.isActive(); }

public slots:
    /// Goes there, within the span; a clock that runs runs on from there.
    void setTime(double timeS);
    /// At the end it starts from the beginning.
    void setRunning(bool on);

signals:
    void timeChanged(double timeS);
    void runningChanged(bool on);

private:
    void tick();

    QTimer timer_;
    QElapsedTimer wall_;
    double beginS_ = 0;
    double endS_ = 0;
    double wallS_ = 20;
    double timeS_ = 0;
    bool loop_ = false;
};

}  // namespace stagecraft::views::timeline
