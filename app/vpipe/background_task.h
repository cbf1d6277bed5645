#pragma once

#include "core/planners/planner.h"

#include <QObject>

#include <functional>
#include <thread>

namespace stagecraft {

/// One computation on a thread of its own. A newer one makes the older one's result void.
class BackgroundTask : public QObject {
    Q_OBJECT

public:
    /// What is done with the result, on the thread of this object.
    using Deliver = std::function<void()>;
    using Work = std::function<Deliver(const PlanningContext&)>;

    explicit BackgroundTask(QObject* parent = nullptr);
    ~BackgroundTask() override;

    void start(Work work);
    /// Asks it to end: `ended` follows.
    void stop();
    /// Ends it and says nothing more.
    void abandon();
    bool isRunning() const { return running_; }

signals:
    void started();
    void progressed(double fraction);
    /// After the result was delivered; stopped, or failed with that sentence, there is none.
    void ended(bool stopped, QString failure);

private:
    void run(const std::stop_token& stop, const Work& work, int ticket);

    std::jthread thread_;
    int ticket_ = 0;
    bool running_ = false;
};

}  // namespace stagecraft
