#pragma once

#include "core/planners/plan_run.h"

#include <QHash>
#include <QObject>
#include <QString>
#include <QThreadPool>

#include <functional>
#include <memory>
#include <stop_token>

namespace stagecraft {

using PlanningWork = std::function<PlanRun(const PlanningContext&)>;

/// Runs planners and simulations away from the GUI thread, at most two at a time; the rest queue. Signals
/// arrive on the GUI thread. After cancel(), or once a newer job has the same key, nothing of a job is heard
/// any more but that it ended.
class PlanningJobs : public QObject {
    Q_OBJECT

public:
    explicit PlanningJobs(QObject* parent = nullptr);
    /// Cancels everything and waits for the threads.
    ~PlanningJobs() override;

    /// @return the job's id, never 0
    int start(const QString& key, PlanningWork work);
    void cancel(int id);
    void cancelAll();
    /// Asks a search that gets better with time to settle for what it has.
    void takeBest(int id);
    bool isRunning(int id) const { return jobs_.contains(id); }
    int count() const { return static_cast<int>(jobs_.size()); }

signals:
    /// @param fraction 0 to 1, at most 25 times a second
    void progressed(int id, double fraction);
    /// The progress of a long search.
    void told(int id, QString sentence);
    void finished(int id, std::shared_ptr<const PlanRun> run);
    /// The work threw; Cancelled is no failure.
    void failed(int id, QString reason);
    /// Always the last signal of a job, whatever became of it.
    void ended(int id);

private:
    struct Job {
        QString key;
        std::stop_source stop, enough;
    };
    QThreadPool pool_;
    QHash<int, Job> jobs_;
    int nextId_ = 1;
};

}  // namespace stagecraft
