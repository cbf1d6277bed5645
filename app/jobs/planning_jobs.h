#pragma once

#include "app/rooms.h"
#include "core/runs/plan_run.h"

#include <QHash>
#include <QObject>
#include <QString>
#include <QThreadPool>

#include <functional>
#include <memory>

namespace stagecraft::views::common {
class Job;
}

namespace stagecraft::app::jobs {

using PlanningWork = std::function<PlanRun(const WorkContext&)>;

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

signals:
    /// @param fraction 0 to 1, at most 25 times a second
    void progressed(int id, double fraction);
    /// The progress of a long search.
    void statusChanged(int id, QString sentence);
    void finished(int id, std::shared_ptr<const PlanRun> run);
    /// The work threw; Cancelled is no failure.
    void failed(int id, QString reason);
    /// Always the last signal of a job, whatever became of it.
    void ended(int id);

private:
    struct Listed {
        QString key;
        Job* job;
        bool cancelled = false;
    };
    void cancel(Listed& listed);
    bool isHeard(int id) const;
    void end(int id, const QString& failure);

    QThreadPool pool_;
    QHash<int, Listed> jobs_;
    int nextId_ = 1;
};

}  // namespace stagecraft::app::jobs
