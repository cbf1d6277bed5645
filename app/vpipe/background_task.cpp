#include "app/vpipe/background_task.h"

#include "core/simulation/simulator.h"

#include <QElapsedTimer>

namespace stagecraft {

namespace {

constexpr qint64 progressMs = 40;

}  // namespace

BackgroundTask::BackgroundTask(QObject* parent) : QObject(parent) {}

BackgroundTask::~BackgroundTask() { abandon(); }

void BackgroundTask::start(Work work) {
    abandon();
    running_ = true;
    emit started();
    thread_ = std::jthread([this, work = std::move(work), ticket = ticket_](const std::stop_token& stop) {
        run(stop, work, ticket);
    });
}

void BackgroundTask::stop() { thread_.request_stop(); }

void BackgroundTask::abandon() {
    ++ticket_;
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
    running_ = false;
}

/// On the thread; everything else is told by events, which end with this object.
void BackgroundTask::run(const std::stop_token& stop, const Work& work, int ticket) {
    const auto tell = [this, ticket](auto what) {
        QMetaObject::invokeMethod(
            this,
            [this, ticket, what] {
                if (ticket == ticket_) what();
            },
            Qt::QueuedConnection);
    };
    QElapsedTimer since;
    since.start();
    PlanningContext context;
    context.stop = stop;
    context.progress = [&](double fraction) {
        if (since.elapsed() < progressMs) return;
        since.restart();
        tell([this, fraction] { emit progressed(fraction); });
    };
    Deliver deliver;
    bool stopped = false;
    QString failure;
    try {
        deliver = work(context);
    } catch (const Cancelled&) {
        stopped = true;
    } catch (const std::exception& error) {
        failure = QString::fromUtf8(error.what());
    }
    tell([this, deliver, stopped, failure] {
        running_ = false;
        if (deliver) deliver();
        emit ended(stopped, failure);
    });
}

}  // namespace stagecraft
