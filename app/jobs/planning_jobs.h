#pragma once

#include "app/rooms.h"
#include "core/runs/plan_run.h"

#include <QHash>
#include <QObject>
#include <QString>
#include <QThreadPool>
#include <QTimer>

#include <functional>
#include <memory>
#include <vector>

namespace stagecraft::views::common {
class Job;
}

namespace stagecraft::app::jobs {

using PlanningWork = std::function<PlanRun(const WorkContext&)>;

/// Runs planners and simulations away from the GUI thread, at most two at a time; the rest queue. Signals
/// arrive on the GUI thread, of one job or one group in a turn of its event loop, and of cancelled ones in
/// any. After cancel(), or once a
/// newer job has the same key, nothing of a job is heard any more but that it ended.
class PlanningJobs : public QObject {
    Q_OBJECT

public:
    explicit PlanningJobs(QObject* parent = nullptr);
    /// Cancels everything and waits for the threads.
    ~PlanningJobs() override;

    /// @param group jobs of one group that end within a moment are heard of together; empty: this one is
    /// heard of alone
    /// @return the job's id, never 0
    int start(const QString& key, PlanningWork work, const QString& group = {});
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
    /// All is said of the jobs whose end was heard of since the last time.
    void delivered();

private:
    struct Listed {
        QString key, group;
        Job* job;
        bool cancelled = false;
        std::shared_ptr<const PlanRun> run{};  ///< that is not delivered yet
        QString failure{};
    };
    void cancel(Listed& listed);
    bool isHeard(int id) const;
    std::vector<int> takeNextEnded();
    void deliver();

    QThreadPool pool_;
    QHash<int, Listed> jobs_;
    std::vector<int> ended_;  ///< of jobs_, in the order in which they ended; not delivered yet
    QTimer delivery_;
    int nextId_ = 1;
};

}  // namespace stagecraft::app::jobs
