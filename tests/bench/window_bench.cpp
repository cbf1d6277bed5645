// For how long the window cannot answer at most, in CPU of its thread, while the sample for BERT-large on 8
// servers of 4 GPUs is opened, planned by all planners, each tab turned to, and the theme switched. The times
// printed are those of the longest stretch. Run: ./dev bench window
#include "tests/app/window_stretch.h"
#include "tests/support/window_rooms.h"
#include "views/common/theme.h"

#include <QUndoStack>

#include <benchmark/benchmark.h>

namespace stagecraft {
namespace {

void longestStretch(benchmark::State& state, double WindowStretches::*of) {
    for (auto _ : state)
        state.SetIterationTime(windowStretches(QStringLiteral("sample:bert-large-8x4")).*of / 1e3);
}

}  // namespace
}  // namespace stagecraft

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    const stagecraft::PrivateHome home;
    QApplication application(argc, argv);
    stagecraft::views::common::applyTheme(application, stagecraft::views::common::ThemeChoice::light);
    using stagecraft::WindowStretches;
    const std::pair<const char*, double WindowStretches::*> phases[] = {
        {"opening", &WindowStretches::openingMs},
        {"planning", &WindowStretches::planningMs},
        {"turning tabs", &WindowStretches::turningTabsMs},
        {"switching the theme", &WindowStretches::switchingThemeMs}};
    for (const auto& [name, phase] : phases)
        benchmark::RegisterBenchmark(name, stagecraft::longestStretch, phase)
            ->Iterations(1)
            ->Repetitions(5)
            ->UseManualTime()
            ->Unit(benchmark::kMillisecond);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
