// For how long the window cannot answer at most, in CPU of its thread, while the sample for BERT-large on 8
// servers of 4 GPUs is opened, planned by all planners, each tab turned to, and the theme switched. The times
// printed are those of the longest stretch. And how long the program takes from its start until the first
// card can be clicked, in CPU of a process of its own, with its memory once that sample is open. Run: ./dev
// bench window
#include "tests/app/window_stretch.h"
#include "tests/support/window_rooms.h"
#include "views/common/theme.h"

#include <QProcess>
#include <QUndoStack>

#include <benchmark/benchmark.h>

#include <sys/resource.h>

#include <fstream>
#include <iostream>
#include <string_view>

namespace stagecraft {
namespace {

void longestStretch(benchmark::State& state, double WindowStretches::*of) {
    for (auto _ : state)
        state.SetIterationTime(windowStretches(QStringLiteral("sample:bert-large-8x4")).*of / 1e3);
}

constexpr const char* startOnly = "--start-only";

double processCpuMs() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto ms = [](const timeval& time) {
        return 1e3 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_usec);
    };
    return ms(used.ru_utime) + ms(used.ru_stime);
}

double residentMib() {
    std::ifstream statm("/proc/self/statm");
    double all = 0, resident = 0;
    statm >> all >> resident;
    constexpr double pageMib = 4096.0 / (1 << 20);
    return resident * pageMib;
}

/// A process of its own: what the program does until its window is painted and its first card can be clicked,
/// and then with that sample open and drawn. Prints the CPU time in ms and the memory in MiB.
int startOnce(int argc, char** argv) {
    const PrivateHome home;
    QApplication application(argc, argv);
    views::common::applyTheme(application, views::common::ThemeChoice::light);
    MainWindow window;
    window.resize(1280, 800);
    window.show();
    const QString card = QStringLiteral("sample:fig2-toy");
    auto* first = window.findChild<QAbstractButton*>(card);
    while (!first || !first->isVisible() || !first->isEnabled() || first->visibleRegion().isEmpty())
        QCoreApplication::processEvents();
    window.grab();
    const double usableMs = processCpuMs();
    click(window, card);
    QTest::qWait(1000);
    std::cout << usableMs << ' ' << residentMib() << std::endl;
    window.workspace().undoStack()->setClean();
    return 0;
}

void startUp(benchmark::State& state) {
    for (auto _ : state) {
        QProcess process;
        process.start(QCoreApplication::applicationFilePath(), {QLatin1String(startOnly)});
        process.waitForFinished();
        const QList<QByteArray> printed = process.readAllStandardOutput().simplified().split(' ');
        state.SetIterationTime(printed.value(0).toDouble() / 1e3);
        state.counters["resident MiB"] = printed.value(1).toDouble();
    }
}

}  // namespace
}  // namespace stagecraft

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    if (argc == 2 && std::string_view(argv[1]) == stagecraft::startOnly)
        return stagecraft::startOnce(argc, argv);
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
    benchmark::RegisterBenchmark("starting, until the first card can be clicked", stagecraft::startUp)
        ->Iterations(1)
        ->Repetitions(5)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
