#include "core/simulation/simulator.h"

#include "core/base/counted.h"
#include "core/training/prepared_training.h"

#include <algorithm>
#include <limits>

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

std::shared_ptr<const Network> networkOf(const TrainingSettings& settings, const DataSet& data, int parts) {
    const int layers = settings.layers > 0 ? settings.layers : std::max(fewestLayers, parts);
    if (layers < parts)
        throw TrainingError("the plan cuts the network into " + counted(parts, "part") + "; expected " +
                            counted(parts, "layer") + " or more, not " + std::to_string(layers));
    const auto inputs = static_cast<int>(data.training.values.rows());
    if (settings.model == ModelKind::perceptron)
        return std::make_shared<const Network>(perceptron(inputs, data.classes, layers, settings.width));
    if (data.imageSide == 0)
        throw TrainingError("a convolutional network needs images, and spirals are points; expected digits");
    if (layers < 2) throw TrainingError("a convolutional network has 2 layers or more, not 1");
    return std::make_shared<const Network>(convolutionalNetwork(data.imageSide, data.classes, layers));
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
    std::shared_ptr<const Network> network = networkOf(settings, *data, partCount(plan));
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

}  // namespace stagecraft::training
