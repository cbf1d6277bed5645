#pragma once

#include "app/rooms.h"
#include "core/experiments/cell_result.h"
#include "core/experiments/grid.h"
#include "views/common/job.h"

#include <QElapsedTimer>
#include <QObject>

#include <memory>
#include <utility>
#include <vector>

namespace stagecraft::app::experiments {

/// A run of a grid in the background: first everything that the cache knows, then the rest, each cell as it
/// is done. What is done is in the cache at once, so that a run that was ended continues where it stopped.
class SweepRun : public QObject {
    Q_OBJECT
public:
    using Cells = std::vector<std::pair<std::size_t, CellResult>>;

    explicit SweepRun(QObject* parent = nullptr);
    void start(std::shared_ptr<const Grid> grid);
    /// Only what the cache knows is reported.
    void lookUp(std::shared_ptr<const Grid> grid);
    void stop() { job_.stop(); }
    void abandon() { job_.abandon(); }
    bool isRunning() const { return job_.isRunning() && running_; }

    std::size_t done() const { return done_; }
    std::size_t known() const { return known_; }
    std::size_t failed() const { return failed_; }
    double share() const;      ///< of all plans, as progress() counts them
    QString progress() const;  ///< "640 of 840 plans, 312 already known, about 2 min left"
    QString summary() const;   ///< once it has ended

signals:
    void started();
    void found(const stagecraft::app::experiments::SweepRun::Cells& cells);
    void ended(bool stopped, const QString& failure);
    void lookedUp();

private:
    void begin(std::shared_ptr<const Grid> grid, bool running);
    void take(const Cells& cells, bool reused);
    void work(const Grid& grid, bool running, const JobContext& context);

    Job job_;
    std::shared_ptr<const Grid> grid_;
    bool running_ = false;  ///< and not only looking up
    std::size_t done_ = 0, known_ = 0, failed_ = 0;
    std::vector<double> costs_;
    double costToRun_ = 0, costRun_ = 0;
    QElapsedTimer since_;  ///< since the first cell that is not known
};

}  // namespace stagecraft::app::experiments
