// What a plan costs while it is edited: the sample for BERT-large on 8 servers of 4 GPUs is simulated,
// measured and validated again after each move of a boundary. Run: ./dev bench edit
#include "core/base/vector_state.h"
#include "core/editing/plan_edit.h"
#include "tests/support/window_rooms.h"
#include "core/formats/files/project_file.h"
#include "core/planners/planned_run.h"

#include "views/plan/plan_view.h"

#include <QApplication>

#include <benchmark/benchmark.h>

using namespace stagecraft;

namespace {

struct Sample {
    std::shared_ptr<const CostModel> costs;
    Plan plan;

    Sample() {
        const Project project = openProject(STAGECRAFT_SOURCE_DIR "/samples/bert-large-8x4.stagecraft.json");
        costs = std::make_shared<const CostModel>(project.problem);
        const Planner* spp = findPlanner("spp");
        plan = runPlanner(*spp, *costs, defaultValues(spp->description().parameters)).plan;
        freeUpperVectors();  // as a job and an event of the window begin
    }
};

/// Boundary 0 a layer up or down, then the next one, and so on.
Plan moved(const Plan& plan, std::size_t step) {
    const int boundaries = plan.stageCount() - 1;
    const int stage = static_cast<int>(step / 2) % boundaries;
    const Stage &below = plan.stages[static_cast<std::size_t>(stage)],
                &above = plan.stages[static_cast<std::size_t>(stage) + 1];
    const bool up = above.layerCount() > 1 && (step % 2 == 0 || below.layerCount() == 1);
    return up || below.layerCount() > 1 ? editedPlan(plan, MoveBoundary{stage, up ? 1 : -1}) : plan;
}

void simulateAfterABoundaryMoved(benchmark::State& state) {
    const Sample sample;
    std::size_t step = 0;
    std::uint32_t blocks = 0;
    for (auto _ : state) {
        const PlanRun run = evaluatePlan(sample.costs, moved(sample.plan, step++));
        if (!run.ok()) state.SkipWithError(run.result.reason.c_str());
        blocks = run.evaluation->timeline.blockCount();
    }
    state.counters["blocks"] = blocks;
}

/// What of it the thread of the window does: the charts of another run in the place of theirs, painted.
void showAfterABoundaryMoved(benchmark::State& state) {
    const Sample sample;
    std::vector<std::shared_ptr<const PlanRun>> runs;
    for (std::size_t step = 0; step < 14; ++step)
        runs.push_back(std::make_shared<const PlanRun>(evaluatePlan(sample.costs, moved(sample.plan, step))));
    PlanView view;
    view.resize(1280, 700);
    view.show();
    std::size_t step = 0;
    for (auto _ : state) {
        view.setRun(runs[step++ % runs.size()]);
        QApplication::processEvents();
    }
}

void editAlone(benchmark::State& state) {
    const Sample sample;
    std::size_t step = 0;
    for (auto _ : state) benchmark::DoNotOptimize(moved(sample.plan, step++));
}

}  // namespace

BENCHMARK(simulateAfterABoundaryMoved)->Unit(benchmark::kMillisecond);
BENCHMARK(showAfterABoundaryMoved)->Unit(benchmark::kMillisecond);
BENCHMARK(editAlone)->Unit(benchmark::kMicrosecond);

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
