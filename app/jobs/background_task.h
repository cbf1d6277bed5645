#pragma once

#include "core/planners/planner.h"

#include <QObject>

#include <functional>
#include <list>
#include <thread>

namespace stagecraft {

/// One computation on a thread of its own. A newer one makes the older one's result void.
class BackgroundTask : public QObject {
    Q_OBJECT

public:
    /// What is done with a result, on the thread of this object.
    using Deliver = std::function<void()>;
    /// Hands over a result before the end; for the work to call, from its own thread.
    using Tell = std::function<void(Deliver)>;
    using Work = std::function<Deliver(const PlanningContext&)>;
    using TellingWork = std::function<Deliver(const PlanningContext&, const Tell&)>;

    explicit BackgroundTask(QObject* parent = nullptr);
    /// Stops and waits for all threads.
    ~BackgroundTask() override;

    void start(Work work);
    void start(TellingWork work);
    /// Asks it to end: `ended` follows.
    void stop();
    /// Asks it to end and hears nothing more of it. Does not wait.
    void abandon();
    bool isRunning() const { return running_; }

signals:
    void started();
    void progressed(double fraction);
    /// After the result was delivered; stopped, or failed with that sentence, there is none.
    void ended(bool stopped, QString failure);

private:
    void run(const std::stop_token& stop, const TellingWork& work, int ticket);
    void post(int ticket, Deliver what);
    void reap(std::thread::id finished);

    std::list<std::jthread> threads_;  ///< the newest last; the others were abandoned and are about to end
    int ticket_ = 0;
    bool running_ = false;
};

}  // namespace stagecraft
