#include "core/training/comparison.h"

#include "core/base/indices.h"
#include "core/training/training.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <numeric>
#include <span>
#include <thread>

namespace stagecraft::training {

namespace {

struct Sum {
    double age = 0, ahead = 0;
    int count = 0;

    void add(int own, const WeightUse& use) {
        age += own - use.version;
        ahead += use.ahead;
        ++count;
    }
    double meanAge() const { return count ? age / count : 0; }
    double meanAhead() const { return count ? ahead / count : 0; }
};

}  // namespace

std::vector<StageStaleness> stalenessOf(const Program& program, int stages) {
    // How many updates of the stage come before that of the mini-batch.
    std::vector<int> before(at(stages) * at(program.iterations), 0), updates(at(stages), 0);
    const auto index = [&](const Step& step) {
        return at(step.stage) * at(program.iterations) + at(step.iteration);
    };
    for (const Step& step : program.steps)
        if (step.kind == StepKind::update) before[index(step)] = updates[at(step.stage)]++;
    std::vector<Sum> forwards(at(stages)), backwards(at(stages));
    for (const Step& step : program.steps) {
        if (step.kind == StepKind::update || step.iteration < program.iterations / 2) continue;
        Sum& sum = (step.kind == StepKind::forward ? forwards : backwards)[at(step.stage)];
        sum.add(before[index(step)], step.weights);
    }
    std::vector<StageStaleness> means;
    for (int stage = 0; stage < stages; ++stage)
        means.push_back({forwards[at(stage)].meanAge(), backwards[at(stage)].meanAge(),
                         forwards[at(stage)].meanAhead(), backwards[at(stage)].meanAhead()});
    return means;
}

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

namespace {

using Epochs = std::span<const EpochResult>;

/// Infinite if no epoch has a finite one.
double leastLoss(Epochs epochs) {
    double least = std::numeric_limits<double>::infinity();
    for (const EpochResult& epoch : epochs)
        if (epoch.validationLoss < least) least = epoch.validationLoss;
    return least;
}

double bestAccuracy(Epochs epochs) {
    double best = 0;
    for (const EpochResult& epoch : epochs) best = std::max(best, epoch.validationAccuracy);
    return best;
}

std::vector<double> finite(std::vector<double> values) {
    std::erase_if(values, [](double value) { return !std::isfinite(value); });
    return values;
}

template <typename Value>
std::vector<double> ofEach(const std::vector<TrainingRun>& runs, Value value) {
    std::vector<double> values;
    for (const TrainingRun& run : runs)
        if (!run.epochs.empty()) values.push_back(value(run.epochs));
    return values;
}

void append(std::string& text, double number) {
    char digits[32];
    text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

}  // namespace

SeedSpread spreadOf(const std::vector<double>& values) {
    SeedSpread spread{std::numeric_limits<double>::quiet_NaN(), 0, static_cast<int>(values.size())};
    if (values.empty()) return spread;
    spread.mean = std::accumulate(values.begin(), values.end(), 0.0) / spread.count;
    if (spread.count < 2) return spread;
    double squares = 0;
    for (const double value : values) squares += (value - spread.mean) * (value - spread.mean);
    spread.deviation = std::sqrt(squares / (spread.count - 1));
    return spread;
}

PolicySummary summaryOf(const PolicyRuns& runs) {
    const auto lastLoss = [](Epochs epochs) { return epochs.back().validationLoss; };
    PolicySummary summary{runs.policy};
    summary.leastLoss = spreadOf(finite(ofEach(runs.runs, leastLoss)));
    summary.bestAccuracy = spreadOf(ofEach(runs.runs, bestAccuracy));
    const std::vector<double> last = ofEach(runs.runs, lastLoss);
    summary.lastLoss = spreadOf(finite(last));
    summary.lastAccuracy =
        spreadOf(ofEach(runs.runs, [](Epochs epochs) { return epochs.back().validationAccuracy; }));
    summary.diverged = static_cast<int>(last.size()) - summary.lastLoss.count;
    return summary;
}

PairedDifference differenceOf(const PolicyRuns& runs, const PolicyRuns& baseline) {
    std::vector<double> losses, accuracies;
    for (std::size_t seed = 0; seed < std::min(runs.runs.size(), baseline.runs.size()); ++seed) {
        const Epochs own = runs.runs[seed].epochs, other = baseline.runs[seed].epochs;
        const std::size_t common = std::min(own.size(), other.size());
        if (common == 0) continue;
        losses.push_back(leastLoss(own.first(common)) - leastLoss(other.first(common)));
        accuracies.push_back(bestAccuracy(own.first(common)) - bestAccuracy(other.first(common)));
    }
    return {spreadOf(finite(losses)), spreadOf(accuracies)};
}

std::string curvesCsv(const std::vector<PolicyRuns>& runs) {
    std::string text =
        "policy,seed,epochs_done,training_loss,training_accuracy,validation_loss,validation_accuracy\n";
    for (const PolicyRuns& policy : runs)
        for (std::size_t seed = 0; seed < policy.runs.size(); ++seed)
            for (const EpochResult& epoch : policy.runs[seed].epochs) {
                text += describe(policy.policy).id + "," + std::to_string(seed) + "," +
                        std::to_string(epoch.epochsDone);
                for (const double number : {epoch.trainingLoss, epoch.trainingAccuracy, epoch.validationLoss,
                                            epoch.validationAccuracy}) {
                    text += ',';
                    append(text, number);
                }
                text += '\n';
            }
    return text;
}

}  // namespace stagecraft::training
