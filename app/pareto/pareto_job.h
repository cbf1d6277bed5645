#pragma once

#include "app/figures/pareto_curves.h"
#include "views/common/job.h"

namespace stagecraft::app::pareto {

/// Computes both curves away from the GUI thread; points are reported as they come.
class ParetoJob : public QObject {
    Q_OBJECT

public:
    explicit ParetoJob(QObject* parent = nullptr);

    /// Stops what is under way.
    void start(std::shared_ptr<const Problem> problem);
    /// Keeps what has been found; ended() follows.
    void stop() { job_.stop(); }
    /// Stops, and forgets what has been found. Nothing is heard of it any more.
    void abandon();

    bool isRunning() const { return job_.isRunning(); }
    /// Of the last run, whole or not.
    const std::vector<ParetoSeries>& reached() const { return reached_; }
    const std::shared_ptr<const Problem>& problem() const { return problem_; }

signals:
    void progressed(double fraction);
    void found();
    /// @param failure why it broke off; empty: it is done
    void ended(bool stopped, QString failure);

private:
    void take(std::size_t series, const ParetoPoint& point);

    std::shared_ptr<const Problem> problem_;
    std::vector<ParetoSeries> reached_;
    Job job_;  ///< last: ends before what it reports
};

}  // namespace stagecraft::app::pareto
