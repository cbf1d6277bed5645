// How long the training lab takes.
#include "core/training/training.h"
#include "tests/support/every_room.h"

#include <benchmark/benchmark.h>

namespace stagecraft::training {
namespace {

/// Four equal stages, a device each; without a barrier.
Problem fourDevices(int microbatches) {
    Problem problem;
    for (int i = 0; i < 4; ++i) {
        const std::string device = "g" + std::to_string(i);
        problem.profile.layers.push_back({"layer " + std::to_string(i), 1, 2, 100, 10, 10, 50, 1});
        problem.cluster.devices.push_back({device, "s0", "", 1e6, 1.0, 100});
        for (int other = 0; other < i; ++other)
            problem.cluster.links.push_back({"g" + std::to_string(other), device, 1000, 0, ""});
    }
    problem.setup.microbatches = microbatches;
    problem.setup.mode = TrainingMode::asynchronous;
    return problem;
}

Plan fourStages() {
    Plan plan;
    for (int stage = 0; stage < 4; ++stage) plan.stages.push_back({stage, stage, {stage}});
    return plan;
}

/// One epoch of the digits, the simulation included. The aim: below 1 s for the perceptron.
void oneEpoch(benchmark::State& state, ModelKind model) {
    TrainingSettings settings;
    settings.model = model;
    settings.epochs = 1;
    const Problem problem = fourDevices(static_cast<int>(state.range(0)));
    for (auto _ : state) {
        const PreparedTraining prepared = prepareTraining(problem, fourStages(), Policy::xpipe, settings);
        benchmark::DoNotOptimize(train(prepared, 1).epochs.back().validationLoss);
    }
}

BENCHMARK_CAPTURE(oneEpoch, perceptron, ModelKind::perceptron)->Arg(1)->Arg(4)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(oneEpoch, convolutional, ModelKind::convolutional)
    ->Arg(1)
    ->Arg(4)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace stagecraft::training

BENCHMARK_MAIN();
