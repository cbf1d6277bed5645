#include "core/training/training.h"

#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/base/work_context.h"
#include "core/simulation/simulator.h"
#include "core/training/data_sets.h"
#include "core/training/small_network.h"
#include "core/training/stage_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

namespace stagecraft::training {

namespace {

/// More would not fit into memory.
constexpr double mostBlocks = 4e7;
constexpr int fewestLayers = 4;

std::shared_ptr<const DataSet> dataOf(const TrainingSettings& settings) {
    constexpr std::uint64_t seed = 0;  // all runs see the same points
    if (settings.data == DataKind::spirals) return std::make_shared<const DataSet>(spirals(seed));
    return {&digits(), [](const DataSet*) {}};
}

std::shared_ptr<const SmallNetwork> networkOf(const TrainingSettings& settings, const DataSet& data,
                                              int parts) {
    const int layers = settings.layers > 0 ? settings.layers : std::max(fewestLayers, parts);
    if (layers < parts)
        throw TrainingError("the plan cuts the network into " + counted(parts, "part") + "; expected " +
                            counted(parts, "layer") + " or more, not " + std::to_string(layers));
    const auto inputs = static_cast<int>(data.training.values.rows());
    if (settings.model == ModelKind::perceptron)
        return std::make_shared<const SmallNetwork>(perceptron(inputs, data.classes, layers, settings.width));
    if (data.imageSide == 0)
        throw TrainingError("a convolutional network needs images, and spirals are points; expected digits");
    if (layers < 2) throw TrainingError("a convolutional network has 2 layers or more, not 1");
    return std::make_shared<const SmallNetwork>(convolutionalNetwork(data.imageSide, data.classes, layers));
}

void requireBatch(const TrainingSettings& settings, int microbatches, int samples) {
    if (settings.batchSize < microbatches)
        throw TrainingError("mini-batches of " + counted(settings.batchSize, "sample") +
                            " cannot be cut into " + counted(microbatches, "microbatch", "microbatches") +
                            "; expected at least a sample for each");
    if (settings.batchSize > samples)
        throw TrainingError("there are only " + counted(samples, "sample") +
                            " to train on; expected mini-batches of at most that, not of " +
                            std::to_string(settings.batchSize));
}

void requireFewBlocks(double iterations, int microbatches, int stages) {
    // Forward, backward and their transfers.
    const double blocks = 4 * iterations * microbatches * stages;
    if (blocks > mostBlocks)
        throw TrainingError(
            "the timeline of " + counted(static_cast<long>(iterations), "mini-batch", "mini-batches") +
            " would have some " + counted(static_cast<long>(blocks), "block") + "; expected at most " +
            std::to_string(static_cast<long>(mostBlocks)) + ": fewer epochs, or larger mini-batches");
}

}  // namespace

Trainee traineeFor(const Plan& plan, const TrainingSettings& settings) {
    std::shared_ptr<const DataSet> data = dataOf(settings);
    std::shared_ptr<const SmallNetwork> network = networkOf(settings, *data, partCount(plan));
    return {std::move(network), std::move(data)};
}

namespace {

/// @param mostSimulated mini-batches
PreparedTraining prepare(const Problem& asked, const Plan& plan, Policy policy,
                         const TrainingSettings& settings, int mostSimulated, const std::stop_token& stop) {
    const Problem problem = problemOf(plan, asked);
    PreparedTraining prepared{policy, settings,
                              planUnder(policy, plan, problem.setup.mode, settings.difference)};
    Trainee trainee = traineeFor(plan, settings);
    prepared.network = std::move(trainee.network);
    prepared.data = std::move(trainee.data);
    prepared.layers = layersOfStages(plan, prepared.network->layerCount());
    const int samples = prepared.data->training.count();
    requireBatch(settings, problem.setup.microbatches, samples);
    prepared.iterationsPerEpoch = samples / settings.batchSize;
    // With a barrier every iteration is like the first.
    const int simulated = policy == Policy::synchronous ? 1 : prepared.iterations();
    requireFewBlocks(simulated, problem.setup.microbatches, plan.stageCount());
    const CostModel costs(problemUnder(policy, problem));
    const Timeline timeline = simulate(costs, prepared.plan, {std::min(simulated, mostSimulated), stop});
    prepared.program = programOf(prepared.plan, timeline, policy, prepared.layers);
    return prepared;
}

}  // namespace

PreparedTraining prepareTraining(const Problem& problem, const Plan& plan, Policy policy,
                                 const TrainingSettings& settings, std::stop_token stop) {
    return prepare(problem, plan, policy, settings, std::numeric_limits<int>::max(), stop);
}

std::optional<std::string> whyUntrainable(const Problem& problem, const Plan& plan, Policy policy,
                                          const TrainingSettings& settings, std::stop_token stop) {
    // By then the pipeline is full, and what it does repeats itself.
    const int enough = 2 * plan.stageCount() + 4;
    try {
        prepare(problem, plan, policy, settings, enough, stop);
        return std::nullopt;
    } catch (const TrainingError& error) {
        return error.what();
    } catch (const SimulationError& error) {
        return error.what();
    }
}

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
            const TrainedLayer& each = network_.layer(layer);
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
    const SmallNetwork& network_;
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
