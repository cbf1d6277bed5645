#include "app/training/training_job.h"

#include "app/training/training_plan.h"
#include "core/base/units.h"
#include "core/training/training_settings.h"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <mutex>

namespace stagecraft::app::training {

using stagecraft::training::Comparison;
using stagecraft::training::ComparisonCallbacks;
using stagecraft::training::EpochResult;
using stagecraft::training::Policy;
using stagecraft::training::PolicyRuns;
using stagecraft::training::TrainingChoice;
using stagecraft::training::TrainingError;
using stagecraft::training::TrainingRun;

namespace {

constexpr int newsMs = 50;
/// Before that the time left is a guess.
constexpr double leastToGuess = 0.02;
constexpr qint64 leastMsToGuess = 500;

}  // namespace

/// Between the thread that trains and the one that shows it.
class TrainingJob::Feed {
public:
    struct BatchNews {
        Policy policy;
        int seed, iteration;
        double loss;
    };
    struct EpochNews {
        Policy policy;
        int seed;
        EpochResult result;
    };
    struct PreparedNews {
        PolicyRuns runs;
        int iterations;
    };

    /// What has happened since somebody last looked.
    struct News {
        std::optional<QString> settings;
        int epochs = 0, seeds = 0;
        std::vector<PreparedNews> prepared;
        std::vector<BatchNews> batches;
        std::vector<EpochNews> epochsDone;
        int runsDone = 0;
    };

    template <typename Tell>
    void tell(Tell tell) {
        const std::lock_guard lock(mutex_);
        tell(news_);
    }
    News take() {
        const std::lock_guard lock(mutex_);
        return std::exchange(news_, {});
    }
    void setPaused(bool paused) {
        const std::lock_guard lock(mutex_);
        paused_ = paused;
        resumed_.notify_all();
    }
    void waitWhilePaused(const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        resumed_.wait(lock, stop, [this] { return !paused_; });
    }

    void train(const TrainingRequest& request, const std::stop_token& stop) {
        const PlannedProblem chosen = request.plan ? PlannedProblem{*request.problem, *request.plan}
                                                   : planToTrain(*request.problem, usualStages, stop);
        const int microbatches = setupOf(chosen.plan, chosen.problem.setup).microbatches;
        const TrainingChoice choice = stagecraft::training::trainingChoice(request.values, microbatches);
        const QString text =
            QString::fromStdString(trainingText(chosen.problem, chosen.plan, choice.settings, choice.seeds));
        tell([&](News& news) {
            news.settings = text;
            news.epochs = choice.settings.epochs;
            news.seeds = choice.seeds;
        });
        // A thread each, so that the curves of all grow side by side.
        const Comparison comparison{request.policies, choice.seeds, static_cast<int>(request.policies.size()),
                                    true};
        const std::vector<PolicyRuns> runs = stagecraft::training::compare(
            chosen.problem, chosen.plan, choice.settings, comparison, callbacks(stop));
        if (std::all_of(runs.begin(), runs.end(), [](const PolicyRuns& each) { return each.runs.empty(); }))
            throw TrainingError(runs.front().refusal);
    }

private:
    ComparisonCallbacks callbacks(const std::stop_token& stop) {
        ComparisonCallbacks callbacks;
        callbacks.stop = stop;
        callbacks.prepared = [this](const PolicyRuns& runs, int iterations) {
            tell([&](News& news) { news.prepared.push_back({runs, iterations}); });
        };
        callbacks.batch = [this, stop](Policy policy, int seed, int iteration, double loss) {
            waitWhilePaused(stop);
            tell([&](News& news) { news.batches.push_back({policy, seed, iteration, loss}); });
        };
        callbacks.epoch = [this, stop](Policy policy, int seed, const EpochResult& result) {
            waitWhilePaused(stop);
            tell([&](News& news) { news.epochsDone.push_back({policy, seed, result}); });
        };
        callbacks.finished = [this](Policy, int, const TrainingRun&) {
            tell([](News& news) { ++news.runsDone; });
        };
        return callbacks;
    }

    std::mutex mutex_;
    std::condition_variable_any resumed_;
    bool paused_ = false;
    News news_;
};

TrainingJob::TrainingJob(QObject* parent) : QObject(parent) {
    timer_.setInterval(newsMs);
    connect(&timer_, &QTimer::timeout, this, &TrainingJob::takeNews);
    connect(&job_, &Job::ended, this, [this](bool, const QString& failure) { end(failure); });
}

void TrainingJob::start(TrainingRequest request) {
    request_ = std::move(request);
    reached_ = {{}, request_.title, {}, 0, 0};
    stopped_ = false;
    runsDone_ = runsInAll_ = 0;
    batchesDone_ = batchesInAll_ = 0;
    lastSeed_ = lastEpoch_ = 0;
    workedMs_ = 0;
    clock_.start();
    feed_ = std::make_shared<Feed>();
    job_.start(
        [feed = feed_, asked = request_](const JobContext& context) { feed->train(asked, context.stop); });
    timer_.start();
    setState(State::running);
}

void TrainingJob::pause() {
    if (state_ != State::running) return;
    feed_->setPaused(true);
    workedMs_ += clock_.elapsed();
    setState(State::paused);
    emit progressed();
}

void TrainingJob::resume() {
    if (state_ != State::paused) return;
    clock_.restart();
    feed_->setPaused(false);
    setState(State::running);
}

void TrainingJob::stop() {
    if (state_ == State::idle) return;
    stopped_ = true;
    job_.stop();
}

void TrainingJob::abandon() {
    job_.abandon();
    timer_.stop();
    feed_.reset();
    reached_ = {};
    setState(State::idle);
}

void TrainingJob::takeNews() {
    Feed::News news = feed_->take();
    if (news.settings) {
        reached_.settings = *news.settings;
        reached_.epochs = news.epochs;
        reached_.seeds = news.seeds;
    }
    for (Feed::PreparedNews& each : news.prepared) {
        if (each.runs.refusal.empty()) {
            each.runs.runs.resize(static_cast<std::size_t>(reached_.seeds));
            runsInAll_ += reached_.seeds;
            batchesInAll_ += double(each.iterations) * reached_.seeds;
        }
        reached_.runs.push_back(std::move(each.runs));
    }
    const auto runOf = [this](Policy policy, int seed) -> TrainingRun& {
        const auto own = std::find_if(reached_.runs.begin(), reached_.runs.end(),
                                      [&](const PolicyRuns& each) { return each.policy == policy; });
        return own->runs[static_cast<std::size_t>(seed)];
    };
    for (const Feed::BatchNews& each : news.batches)
        runOf(each.policy, each.seed).addBatchLoss(each.iteration, each.loss);
    batchesDone_ += static_cast<double>(news.batches.size());
    for (const Feed::EpochNews& each : news.epochsDone) {
        runOf(each.policy, each.seed).epochs.push_back(each.result);
        lastSeed_ = each.seed;
        lastEpoch_ = each.result.epochsDone;
    }
    runsDone_ += news.runsDone;
    if (!news.batches.empty() || !news.epochsDone.empty() || !news.prepared.empty() ||
        state_ == State::running)
        emit progressed();
}

void TrainingJob::end(const QString& failure) {
    timer_.stop();
    takeNews();
    if (state_ == State::running) workedMs_ += clock_.elapsed();
    setState(State::idle);
    emit ended(failure);
}

void TrainingJob::setState(State state) {
    if (state_ == state) return;
    state_ = state;
    emit stateChanged();
}

double TrainingJob::fraction() const { return batchesInAll_ > 0 ? batchesDone_ / batchesInAll_ : 0; }

QString TrainingJob::where() const {
    if (runsInAll_ == 0) return state_ == State::idle ? QString() : tr("Simulating the plan…");
    const QString runs = tr("%1 of %2 runs done").arg(runsDone_).arg(runsInAll_);
    const QString place = tr("seed %1, epoch %2 of %3").arg(lastSeed_).arg(lastEpoch_).arg(reached_.epochs);
    const qint64 worked = workedMs_ + (state_ == State::running ? clock_.elapsed() : 0);
    if (state_ == State::idle)
        return stopped_
                   ? tr("Stopped: %1, %2").arg(runs, place)
                   : tr("%1 in %2").arg(runs, QString::fromStdString(formatSeconds(double(worked) / 1e3)));
    if (state_ == State::paused) return tr("Paused: %1, %2").arg(runs, place);
    QString text = runs + QStringLiteral(" · ") + place;
    const double done = fraction();
    if (done > leastToGuess && worked > leastMsToGuess)
        text += tr(" · %1 s left").arg(std::ceil(double(worked) / 1e3 * (1 - done) / done));
    return text;
}

}  // namespace stagecraft::app::training
