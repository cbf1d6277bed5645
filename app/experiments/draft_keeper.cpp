#include "app/experiments/draft_keeper.h"

#include "app/experiments/custom_experiments.h"

#include <QFile>

namespace stagecraft::app::experiments {

namespace {

constexpr int pauseMs = 700;  // after the last edit

}  // namespace

DraftKeeper::DraftKeeper(QObject* parent) : QObject(parent) {
    pause_.setSingleShot(true);
    pause_.setInterval(pauseMs);
    connect(&pause_, &QTimer::timeout, this, &DraftKeeper::write);
    connect(&writing_, &Job::ended, this, [this](bool, const QString& failure) {
        if (!failure.isEmpty()) emit failed(failure);
    });
}

void DraftKeeper::begin(const QString& path) {
    flush();
    leave();
    if (CustomExperiments::isKept(path)) path_ = path;
}

void DraftKeeper::take(const Experiment& experiment, bool untouched) {
    if (untouched && !changed_) return;
    if (untouched && (made_ || path_.isEmpty())) {
        const QString path = path_;
        leave();
        if (path.isEmpty()) return;
        QFile::remove(path);
        emit removed(path);
        return;
    }
    changed_ = true;
    waiting_ = true;
    taken_ = std::make_shared<const Experiment>(experiment);
    pause_.start();
}

void DraftKeeper::choosePlace() {
    if (!path_.isEmpty()) return;
    path_ = CustomExperiments::placeFor(*taken_);
    made_ = true;
}

void DraftKeeper::write() {
    choosePlace();
    const int turn = nextTurn();
    writing_.start(
        [turn, turns = turn_, experiment = taken_, path = path_](const JobContext&) {
            const std::lock_guard lock(turns->mutex);
            if (turn == turns->newest) CustomExperiments::keep(*experiment, path);
        },
        [this, experiment = taken_, path = path_] {
            waiting_ = pause_.isActive();
            emit kept(path, QString::fromStdString(experiment->name));
        });
}

QString DraftKeeper::flush() {
    if (!waiting_) return path_;
    pause_.stop();
    writing_.abandon();
    nextTurn();
    waiting_ = false;
    choosePlace();
    try {
        CustomExperiments::keep(*taken_, path_);
        emit kept(path_, QString::fromStdString(taken_->name));
    } catch (const std::exception& error) {
        emit failed(QString::fromUtf8(error.what()));
    }
    return path_;
}

void DraftKeeper::leave() {
    pause_.stop();
    writing_.abandon();
    nextTurn();
    path_.clear();
    made_ = changed_ = waiting_ = false;
    taken_.reset();
}

int DraftKeeper::nextTurn() {
    const std::lock_guard lock(turn_->mutex);
    return ++turn_->newest;
}

}  // namespace stagecraft::app::experiments
