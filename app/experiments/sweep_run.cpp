#include "app/experiments/sweep_run.h"

#include "app/experiments/run_forecast.h"
#include "app/experiments/sweep_files.h"
#include "core/experiments/result_cache.h"
#include "core/experiments/runner.h"
#include "core/formats/input_error.h"
#include "views/common/text.h"

#include <algorithm>
#include <numeric>
#include <thread>

namespace stagecraft::app::experiments {

namespace {

constexpr qint64 tellMs = 40;

/// Cells on their way to the window's thread, many at a time.
class Basket {
public:
    Basket() { since_.start(); }
    void add(std::size_t cell, const CellResult& result) { cells_.emplace_back(cell, result); }
    bool isDue() const { return since_.elapsed() >= tellMs; }
    SweepRun::Cells take() {
        since_.restart();
        return std::exchange(cells_, {});
    }

private:
    SweepRun::Cells cells_;
    QElapsedTimer since_;
};

}  // namespace

SweepRun::SweepRun(QObject* parent) : QObject(parent) {
    connect(&job_, &Job::ended, this, [this](bool stopped, const QString& failure) {
        if (!running_) {
            emit lookedUp();
            return;
        }
        running_ = false;
        const double cores = std::max(1u, std::thread::hardware_concurrency());
        if (since_.isValid())
            learnSecondsPerCost(static_cast<double>(since_.elapsed()) * 1e-3 * cores, costRun_);
        emit ended(stopped, failure);
    });
}

void SweepRun::start(std::shared_ptr<const Grid> grid) { begin(std::move(grid), true); }
void SweepRun::lookUp(std::shared_ptr<const Grid> grid) { begin(std::move(grid), false); }

void SweepRun::begin(std::shared_ptr<const Grid> grid, bool running) {
    job_.abandon();
    grid_ = std::move(grid);
    running_ = running;
    done_ = known_ = failed_ = 0;
    costs_.clear();
    costToRun_ = costRun_ = 0;
    since_.invalidate();
    job_.start([this, kept = grid_, running](const JobContext& context) { work(*kept, running, context); });
    if (running) emit started();
}

/// On the thread: what it finds is passed to this object's.
void SweepRun::work(const Grid& grid, bool running, const JobContext& context) {
    std::optional<ResultCache> cache;
    try {
        cache.emplace(usualCacheFile(), programRevision());
    } catch (const InputError&) {  // without a cache folder it runs as well
    }
    SweepOptions options;
    options.stop = context.stop;
    options.cache = cache ? &*cache : nullptr;
    std::vector<std::size_t> open = allCells(grid);
    if (cache && cache->size() > 0) {
        options.knownOnly = true;
        std::vector<bool> isKnown(grid.cellCount(), false);
        Basket known;
        options.done = [&](std::size_t cell, const CellResult& result, bool reused) {
            if (!reused) return;
            isKnown[cell] = true;
            known.add(cell, result);
            if (known.isDue()) context.handOver([this, cells = known.take()] { take(cells, true); });
        };
        runCells(grid, open, options);
        std::erase_if(open, [&](std::size_t cell) { return isKnown[cell]; });
        context.handOver([this, cells = known.take()] { take(cells, true); });
    }
    context.throwIfStopped();
    if (!running || open.empty()) return;
    context.handOver([this, costs = roughCosts(grid, context.stop), open] {
        costs_ = costs;
        for (const std::size_t cell : open) costToRun_ += costs_[cell];
        since_.start();
    });
    Basket basket;
    options.knownOnly = false;
    options.done = [&](std::size_t cell, const CellResult& result, bool) {
        basket.add(cell, result);
        if (basket.isDue()) context.handOver([this, cells = basket.take()] { take(cells, false); });
    };
    runCells(grid, open, options);
    context.handOver([this, cells = basket.take()] { take(cells, false); });
    context.throwIfStopped();
}

void SweepRun::take(const Cells& cells, bool reused) {
    done_ += cells.size();
    if (reused) known_ += cells.size();
    for (const auto& [cell, result] : cells) {
        if (result.status == CellStatus::failed || result.status == CellStatus::invalid) ++failed_;
        if (!reused && cell < costs_.size()) costRun_ += costs_[cell];
    }
    emit found(cells);
}

double SweepRun::share() const {
    if (!grid_ || grid_->cellCount() == 0) return 0;
    return static_cast<double>(done_) / static_cast<double>(grid_->cellCount());
}

QString SweepRun::progress() const {
    QString text =
        tr("%L1 of %2").arg(done_).arg(countedText(static_cast<long long>(grid_->cellCount()), "plan"));
    if (known_ > 0) text += tr(", %L1 already known").arg(known_);
    if (failed_ > 0) text += tr(", %L1 failed").arg(failed_);
    constexpr double leastShare = 0.02;  // before that an estimate says nothing
    if (since_.isValid() && costToRun_ > 0 && costRun_ > leastShare * costToRun_) {
        const double elapsed = static_cast<double>(since_.elapsed()) * 1e-3;
        text += QStringLiteral(", ") +
                tr("%1 left").arg(roughTime(elapsed * std::max(0.0, costToRun_ - costRun_) / costRun_));
    }
    return text;
}

QString SweepRun::summary() const {
    QString text = done_ == grid_->cellCount()
                       ? tr("%1, all done").arg(countedText(static_cast<long long>(done_), "plan"))
                       : tr("Stopped after %L1 of %2; Run continues from there")
                             .arg(done_)
                             .arg(countedText(static_cast<long long>(grid_->cellCount()), "plan"));
    if (known_ > 0) text += tr(known_ == 1 ? ", 1 was known" : ", %L1 were known").arg(known_);
    if (failed_ > 0) text += tr(", %L1 failed").arg(failed_);
    return text;
}

}  // namespace stagecraft::app::experiments
