#include "core/training/comparison.h"

#include "core/training/prepared_training.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

namespace stagecraft::training {

namespace {

/// Trains every prepared policy from every seed, each where its turn falls.
class Workers {
public:
    Workers(std::vector<PolicyRuns>& results, const std::vector<PreparedTraining>& prepared,
            const Comparison& comparison, const ComparisonCallbacks& callbacks)
        : results_(results), prepared_(prepared), comparison_(comparison), callbacks_(callbacks) {}

    void run() {
        const auto tasks = static_cast<int>(prepared_.size()) * comparison_.seeds;
        {
            std::vector<std::jthread> threads;
            for (int job = 1; job < std::min(comparison_.jobs, tasks); ++job)
                threads.emplace_back([this, tasks] { work(tasks); });
            work(tasks);
        }
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    void work(int tasks) {
        // Seed after seed, so that early results compare all policies.
        for (int task = next_++; task < tasks && !failed_; task = next_++) try {
                const auto policy = static_cast<std::size_t>(task) % prepared_.size();
                trainOne(prepared_[policy], task / static_cast<int>(prepared_.size()));
            } catch (...) {
                const std::lock_guard lock(mutex_);
                if (!failed_.exchange(true)) failure_ = std::current_exception();
            }
    }

    void trainOne(const PreparedTraining& prepared, int seed) {
        TrainingCallbacks callbacks;
        callbacks.stop = callbacks_.stop;
        if (callbacks_.batch)
            callbacks.batch = [&](int iteration, double loss) {
                const std::lock_guard lock(mutex_);
                callbacks_.batch(prepared.policy, seed, iteration, loss);
            };
        if (callbacks_.epoch)
            callbacks.epoch = [&](const EpochResult& result) {
                const std::lock_guard lock(mutex_);
                callbacks_.epoch(prepared.policy, seed, result);
            };
        TrainingRun run = train(prepared, static_cast<std::uint64_t>(seed), callbacks);
        const std::lock_guard lock(mutex_);
        if (callbacks_.finished) callbacks_.finished(prepared.policy, seed, run);
        const auto own = std::find_if(results_.begin(), results_.end(),
                                      [&](const PolicyRuns& each) { return each.policy == prepared.policy; });
        own->runs[static_cast<std::size_t>(seed)] = std::move(run);
    }

    std::vector<PolicyRuns>& results_;
    const std::vector<PreparedTraining>& prepared_;
    const Comparison& comparison_;
    const ComparisonCallbacks& callbacks_;
    std::atomic<int> next_ = 0;
    std::atomic<bool> failed_ = false;
    std::mutex mutex_;
    std::exception_ptr failure_;
};

}  // namespace

std::vector<PolicyRuns> compare(const Problem& problem, const Plan& plan, const TrainingSettings& settings,
                                const Comparison& comparison, const ComparisonCallbacks& callbacks) {
    std::vector<PolicyRuns> results;
    std::vector<PreparedTraining> prepared;
    for (const Policy policy : comparison.policies) {
        PolicyRuns& own = results.emplace_back();
        own.policy = policy;
        try {
            prepared.push_back(prepareTraining(problem, plan, policy, settings, callbacks.stop));
            own.staleness = stalenessOf(prepared.back().program, plan.stageCount());
        } catch (const TrainingError& error) {
            if (!comparison.whereverPossible) throw;
            own.refusal = error.what();
        }
        if (callbacks.prepared)
            callbacks.prepared(own, own.refusal.empty() ? prepared.back().iterations() : 0);
        if (own.refusal.empty()) own.runs.resize(static_cast<std::size_t>(comparison.seeds));
    }
    Workers(results, prepared, comparison, callbacks).run();
    return results;
}

}  // namespace stagecraft::training
