#include "core/base/indices.h"
#include "core/base/work_context.h"
#include "core/simulation/simulator.h"
#include "core/training/prepared_training.h"
#include "core/training/sample_order.h"
#include "core/training/stage_weights.h"

#include <cmath>
#include <limits>
#include <map>
#include <tuple>

namespace stagecraft::training {

namespace {

/// What a stage holds of a microbatch between its forward and its backward.
struct InFlight {
    Matrix input;            ///< what came in; after the forward only where it is to run again
    std::vector<Kept> kept;  ///< by layer
    Matrix scores;           ///< of the last stage
    Matrix gradient;         ///< of the stage's output, once it is there
};

struct EpochSums {
    double loss = 0;
    int correct = 0;
};

class Trainer {
public:
    Trainer(const PreparedTraining& prepared, std::uint64_t seed, const TrainingCallbacks& callbacks)
        : prepared_(prepared),
          network_(*prepared.network),
          program_(prepared.program),
          settings_(prepared.settings),
          callbacks_(callbacks),
          order_(prepared.data->training, seed, settings_.batchSize, program_.microbatches) {
        const Vector initial = network_.initialWeights(seed);
        const PredictionRule rule = prepared.policy == Policy::specTrain ? PredictionRule::momentum
                                    : settings_.printedPrediction        ? PredictionRule::adamPrinted
                                                                         : PredictionRule::adam;
        for (const StageLayerRange& layers : prepared.layers)
            weights_.emplace_back(initial.segment(firstWeight(layers), weightCount(layers)),
                                  settings_.optimizer, rule);
        passes_.assign(prepared.layers.size(), 0);
        for (const Step& step : program_.steps)
            if (step.kind == StepKind::forward && step.iteration == 0) ++passes_[at(step.stage)];
    }

    TrainingRun run() {
        const int rounds = program_.repeats ? prepared_.iterations() / program_.iterations : 1;
        for (int round = 0; round < rounds; ++round)
            for (Step step : program_.steps) {
                if (callbacks_.stop.stop_requested()) throw Cancelled();
                step.iteration += round * program_.iterations;
                step.weights.version += round * program_.iterations;
                execute(step);
            }
        TrainingRun finished = std::move(results_);
        Vector newest(network_.weightCount());
        for (std::size_t stage = 0; stage < weights_.size(); ++stage)
            segmentOf(newest, prepared_.layers[stage]) = weights_[stage].newest();
        finished.weights.assign(newest.begin(), newest.end());
        return finished;
    }

private:
    using Place = std::tuple<int, int, int>;  // iteration, microbatch, stage

    Eigen::Index firstWeight(const StageLayerRange& layers) const {
        return network_.firstWeight(layers.first);
    }
    Eigen::Index weightCount(const StageLayerRange& layers) const {
        return network_.firstWeight(layers.end) - firstWeight(layers);
    }
    Eigen::VectorBlock<Vector> segmentOf(Vector& all, const StageLayerRange& layers) const {
        return all.segment(firstWeight(layers), weightCount(layers));
    }
    const StageLayerRange& layersOf(int stage) const { return prepared_.layers[at(stage)]; }
    bool isFirst(int stage) const { return layersOf(stage).first == 0; }
    bool isLast(int stage) const { return layersOf(stage).end == network_.layerCount(); }
    bool runsAgain(int stage) const { return settings_.recompute || program_.recomputes[at(stage)]; }
    int epochOf(int iteration) const { return iteration / prepared_.iterationsPerEpoch; }
    double learningRate(int iteration) const {
        const int drops = settings_.dropEvery > 0 ? epochOf(iteration) / settings_.dropEvery : 0;
        return settings_.optimizer.learningRate * std::pow(0.1, drops);
    }

    void execute(const Step& step) {
        switch (step.kind) {
            case StepKind::forward:
                forward(step);
                break;
            case StepKind::backward:
                backward(step);
                break;
            case StepKind::update:
                update(step);
                break;
        }
        if (!program_.repeats) weights_[at(step.stage)].forgetBelow(step.oldestNeeded);
    }

    std::shared_ptr<const Vector> weightsOf(const Step& step) {
        return weights_[at(step.stage)].of(step.weights, step.iteration, step.kind == StepKind::backward,
                                           passes_[at(step.stage)], learningRate(step.iteration));
    }

    ConstVectorView weightsOfLayer(const Vector& stageWeights, int stage, int layer) const {
        return stageWeights.segment(network_.firstWeight(layer) - firstWeight(layersOf(stage)),
                                    network_.layer(layer).weightCount());
    }

    Matrix through(int stage, const Vector& weights, Matrix values, std::vector<Kept>& kept) const {
        const StageLayerRange& layers = layersOf(stage);
        kept.resize(at(layers.end - layers.first));
        for (int layer = layers.first; layer < layers.end; ++layer)
            values = network_.layer(layer).forward(weightsOfLayer(weights, stage, layer), values,
                                                   kept[at(layer - layers.first)]);
        return values;
    }

    void forward(const Step& step) {
        const int stage = step.stage;
        const Place place(step.iteration, step.microbatch, stage);
        InFlight& own = inFlight_[place];
        Batch batch;
        if (isFirst(stage) || isLast(stage)) batch = order_.batch(step.iteration, step.microbatch);
        if (isFirst(stage)) own.input = std::move(batch.values);
        Matrix output = through(stage, *weightsOf(step), own.input, own.kept);
        if (runsAgain(stage))
            own.kept.clear();
        else
            own.input.resize(0, 0);
        if (!isLast(stage)) {
            inFlight_[Place(step.iteration, step.microbatch, stage + 1)].input = std::move(output);
            return;
        }
        own.scores = std::move(output);
        measure(step, lossOf(own.scores, batch.labels));
    }

    void measure(const Step& step, const Loss& loss) {
        EpochSums& epoch = sums_[epochOf(step.iteration)];
        epoch.loss += loss.sum;
        epoch.correct += loss.correct;
        auto& [sum, seen] = batchLoss_[step.iteration];
        sum += loss.sum;
        if (++seen < program_.microbatches) return;
        const double mean = sum / settings_.batchSize;
        results_.addBatchLoss(step.iteration, mean);
        if (callbacks_.batch) callbacks_.batch(step.iteration, mean);
        batchLoss_.erase(step.iteration);
    }

    /// Of a split backward too the weights' gradients are made here: nobody reads them before the update,
    /// which waits for both halves.
    void backward(const Step& step) {
        const int stage = step.stage;
        const auto entry = inFlight_.find(Place(step.iteration, step.microbatch, stage));
        InFlight& own = entry->second;
        const std::shared_ptr<const Vector> weights = weightsOf(step);
        if (runsAgain(stage)) {
            Matrix output = through(stage, *weights, std::move(own.input), own.kept);
            if (isLast(stage)) own.scores = std::move(output);
        }
        Matrix gradient = isLast(stage)
                              ? lossGradient(own.scores, order_.batch(step.iteration, step.microbatch).labels)
                              : std::move(own.gradient);
        Vector& total = gradientOf(step.iteration);
        const StageLayerRange& layers = layersOf(stage);
        for (int layer = layers.end - 1; layer >= layers.first; --layer) {
            const Layer& each = network_.layer(layer);
            gradient =
                each.backward(weightsOfLayer(*weights, stage, layer), own.kept[at(layer - layers.first)],
                              gradient, total.segment(network_.firstWeight(layer), each.weightCount()));
        }
        inFlight_.erase(entry);
        if (!isFirst(stage))
            inFlight_.at(Place(step.iteration, step.microbatch, stage - 1)).gradient = std::move(gradient);
    }

    Vector& gradientOf(int iteration) {
        const auto [entry, isNew] = gradients_.try_emplace(iteration);
        if (isNew) entry->second.total = Vector::Zero(network_.weightCount());
        return entry->second.total;
    }

    void update(const Step& step) {
        const StageLayerRange& layers = layersOf(step.stage);
        StageWeights& weights = weights_[at(step.stage)];
        gradientOf(step.iteration);
        IterationGradient& all = gradients_.at(step.iteration);
        Vector gradient = segmentOf(all.total, layers) / settings_.batchSize;
        gradient += settings_.optimizer.weightDecay * weights.newest();
        weights.update(gradient, learningRate(step.iteration));
        if (program_.repeats) weights.forgetBelow(step.iteration + 1);
        if (++all.updates == prepared_.plan.stageCount()) gradients_.erase(step.iteration);
        if ((step.iteration + 1) % prepared_.iterationsPerEpoch == 0) snapshot(step, weights.newest());
    }

    void snapshot(const Step& step, const Vector& weights) {
        Snapshot& snapshot = snapshots_[epochOf(step.iteration)];
        if (snapshot.weights.size() == 0) snapshot.weights = Vector(network_.weightCount());
        segmentOf(snapshot.weights, layersOf(step.stage)) = weights;
        if (++snapshot.stages < prepared_.plan.stageCount()) return;
        const Samples& validation = prepared_.data->validation;
        const Loss loss = lossOf(network_.scores(snapshot.weights, validation.values), validation.labels);
        const int epoch = epochOf(step.iteration);
        const EpochSums& sums = sums_[epoch];
        const double seen = double(prepared_.iterationsPerEpoch) * settings_.batchSize;
        results_.epochs.push_back({epoch + 1, sums.loss / seen, sums.correct / seen,
                                   loss.sum / validation.count(), double(loss.correct) / validation.count()});
        snapshots_.erase(epoch);
        sums_.erase(epoch);
        if (callbacks_.epoch) callbacks_.epoch(results_.epochs.back());
    }

    struct IterationGradient {
        Vector total;  ///< summed over the samples
        int updates = 0;
    };
    struct Snapshot {
        Vector weights;
        int stages = 0;
    };

    const PreparedTraining& prepared_;
    const Network& network_;
    const Program& program_;
    const TrainingSettings& settings_;
    const TrainingCallbacks& callbacks_;
    SampleOrder order_;
    std::vector<StageWeights> weights_;
    std::vector<int> passes_;  ///< by stage: microbatches of an iteration
    std::map<Place, InFlight> inFlight_;
    std::map<int, IterationGradient> gradients_;       // by iteration
    std::map<int, std::pair<double, int>> batchLoss_;  // by iteration: sum, microbatches seen
    std::map<int, EpochSums> sums_;                    // by epoch
    std::map<int, Snapshot> snapshots_;                // by epoch
    TrainingRun results_;
};

}  // namespace

void TrainingRun::addBatchLoss(int iteration, double loss) {
    const auto index = static_cast<std::size_t>(iteration);
    // Copies of the network may come to the end of their mini-batches in another order.
    if (index >= batchLosses.size()) batchLosses.resize(index + 1, std::numeric_limits<double>::quiet_NaN());
    batchLosses[index] = loss;
}

TrainingRun train(const PreparedTraining& prepared, std::uint64_t seed, const TrainingCallbacks& callbacks) {
    return Trainer(prepared, seed, callbacks).run();
}

}  // namespace stagecraft::training
