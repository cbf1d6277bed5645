#pragma once

#include "app/pareto/pareto_curves.h"

#include <QObject>

#include <thread>

namespace stagecraft {

/// Computes both curves away from the GUI thread; points are told as they come.
class ParetoJob : public QObject {
    Q_OBJECT

public:
    explicit ParetoJob(QObject* parent = nullptr);
    /// Stops and waits for the thread.
    ~ParetoJob() override;

    /// Stops what is under way.
    void start(std::shared_ptr<const Problem> problem);
    /// Keeps what has been found; ended() follows.
    void stop();
    /// Stops, and forgets what has been found. Nothing is heard of it any more.
    void abandon();

    bool isRunning() const { return running_; }
    /// Of the last run, whole or not.
    const std::vector<ParetoSeries>& reached() const { return reached_; }
    const std::shared_ptr<const Problem>& problem() const { return problem_; }

signals:
    void progressed(double fraction);
    void found();
    /// @param failure why it broke off; empty: it is done
    void ended(bool stopped, QString failure);

private:
    void work(const std::stop_token& stop, const Problem& problem, int run);
    void take(std::size_t series, const ParetoPoint& point);

    std::jthread thread_;
    std::shared_ptr<const Problem> problem_;
    std::vector<ParetoSeries> reached_;
    int run_ = 0;  ///< what an older one tells is void
    bool running_ = false;
};

}  // namespace stagecraft
