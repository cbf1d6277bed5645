#pragma once

#include "app/rooms.h"
#include "core/base/parameters.h"
#include "views/common/job.h"
#include "views/training/training_view.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <optional>

namespace stagecraft::app::training {

/// What to train. It is the job's own: the document may change meanwhile.
struct TrainingRequest {
    std::shared_ptr<const Problem> problem;
    std::optional<Plan> plan;  ///< none: that of the planner `usualStages`
    QString title;             ///< of the plan
    std::vector<stagecraft::training::Policy> policies;
    ParameterValues values;  ///< of stagecraft::training::trainingParameters()
};

/// Trains away from the GUI thread, all policies side by side, and reports its progress.
class TrainingJob : public QObject {
    Q_OBJECT

public:
    enum class State { idle, running, paused };

    explicit TrainingJob(QObject* parent = nullptr);
    /// Stops what is under way.
    void start(TrainingRequest request);
    void pause();
    void resume();
    /// Keeps what has been reached; ended() follows.
    void stop();
    /// Stops, and forgets what has been reached.
    void abandon();

    State state() const { return state_; }
    const TrainingRequest& request() const { return request_; }
    const TrainingShown& reached() const { return reached_; }
    /// Of all mini-batches, 0 to 1.
    double fraction() const;
    /// "2 of 14 runs done · seed 0, epoch 7 of 20 · 12 s left"
    QString where() const;

signals:
    void stateChanged();
    /// At most 20 times a second.
    void progressed();
    /// The last signal of a run. @param failure why it broke off; empty: it is done, or was stopped
    void ended(const QString& failure);

private:
    class Feed;
    void takeNews();
    void end(const QString& failure);
    void setState(State state);

    std::shared_ptr<Feed> feed_;
    Job job_;
    QTimer timer_;  ///< when news are looked for
    State state_ = State::idle;
    TrainingRequest request_;
    TrainingShown reached_;
    bool stopped_ = false;
    int runsDone_ = 0, runsInAll_ = 0;
    double batchesDone_ = 0, batchesInAll_ = 0;
    int lastSeed_ = 0, lastEpoch_ = 0;
    QElapsedTimer clock_;
    qint64 workedMs_ = 0;  ///< before the clock was last started
};

}  // namespace stagecraft::app::training
