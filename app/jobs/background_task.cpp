#include "app/jobs/background_task.h"

#include "core/simulation/simulator.h"

#include <QElapsedTimer>

namespace stagecraft {

namespace {

constexpr qint64 progressMs = 40;

}  // namespace

BackgroundTask::BackgroundTask(QObject* parent) : QObject(parent) {}

BackgroundTask::~BackgroundTask() {
    abandon();
    threads_.clear();
}

void BackgroundTask::start(Work work) {
    start(TellingWork(
        [work = std::move(work)](const PlanningContext& context, const Tell&) { return work(context); }));
}

void BackgroundTask::start(TellingWork work) {
    abandon();
    running_ = true;
    emit started();
    threads_.emplace_back([this, work = std::move(work), ticket = ticket_](const std::stop_token& stop) {
        run(stop, work, ticket);
    });
}

void BackgroundTask::stop() {
    if (running_) threads_.back().request_stop();
}

void BackgroundTask::abandon() {
    stop();
    ++ticket_;
    running_ = false;
}

/// Events end with this object, so that nothing is delivered to one that is gone.
void BackgroundTask::post(int ticket, Deliver what) {
    QMetaObject::invokeMethod(
        this,
        [this, ticket, what = std::move(what)] {
            if (ticket == ticket_) what();
        },
        Qt::QueuedConnection);
}

/// On the thread.
void BackgroundTask::run(const std::stop_token& stop, const TellingWork& work, int ticket) {
    QElapsedTimer since;
    since.start();
    PlanningContext context;
    context.stop = stop;
    context.progress = [&](double fraction) {
        if (since.elapsed() < progressMs) return;
        since.restart();
        post(ticket, [this, fraction] { emit progressed(fraction); });
    };
    Deliver deliver;
    bool stopped = false;
    QString failure;
    try {
        deliver = work(context, [this, ticket](Deliver early) { post(ticket, std::move(early)); });
    } catch (const Cancelled&) {
        stopped = true;
    } catch (const std::exception& error) {
        failure = QString::fromUtf8(error.what());
    }
    post(ticket, [this, deliver, stopped, failure] {
        running_ = false;
        if (deliver) deliver();
        emit ended(stopped, failure);
    });
    QMetaObject::invokeMethod(
        this, [this, id = std::this_thread::get_id()] { reap(id); }, Qt::QueuedConnection);
}

/// Its last event has come, so that joining it takes no time.
void BackgroundTask::reap(std::thread::id finished) {
    threads_.remove_if([finished](const std::jthread& thread) { return thread.get_id() == finished; });
}

}  // namespace stagecraft
