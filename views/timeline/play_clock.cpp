#include "views/timeline/play_clock.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::views::timeline {

namespace {
constexpr int frameMs = 16;
constexpr double longestTickS = 0.25;  // what a busy machine missed is not jumped over
}  // namespace

PlayClock::PlayClock(QObject* parent) : QObject(parent) {
    timer_.setInterval(frameMs);
    timer_.setTimerType(Qt::PreciseTimer);
    connect(&timer_, &QTimer::timeout, this, &PlayClock::tick);
}

void PlayClock::setSpan(double beginS, double endS) {
    beginS_ = beginS;
    endS_ = std::max(beginS, endS);
    timeS_ = std::clamp(timeS_, beginS_, endS_);
}

void PlayClock::setTime(double timeS) {
    timeS_ = std::clamp(timeS, beginS_, endS_);
    emit timeChanged(timeS_);
}

void PlayClock::setRunning(bool on) {
    if (on == isRunning() || (on && !(beginS_ < endS_))) return;
    if (on) {
        if (timeS_ >= endS_) setTime(beginS_);
        wall_.start();
        timer_.start();
    } else {
        timer_.stop();
    }
    emit runningChanged(on);
}

void PlayClock::tick() {
    const double passedS = std::min(longestTickS, static_cast<double>(wall_.nsecsElapsed()) / 1e9);
    wall_.start();
    const double spanS = endS_ - beginS_;
    const double next = timeS_ + passedS * (wallS_ > 0 ? spanS / wallS_ : 1);
    if (next < endS_) return setTime(next);
    if (loop_) return setTime(beginS_ + std::fmod(next - beginS_, spanS));
    setTime(endS_);
    setRunning(false);
}

}  // namespace stagecraft::views::timeline
