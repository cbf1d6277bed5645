// What there is to see without a display: what the window would show first.
#include "app/commands/command.h"
#include "app/commands/pictures.h"
#include "app/commands/plan_report.h"
#include "app/document/installed_place.h"
#include "app/document/samples.h"
#include "app/shell/main_window.h"
#include "app/shell/workbench.h"
#include "core/planners/planned_run.h"
#include "views/common/theme.h"

#include <QApplication>
#include <QDir>
#include <QFileInfo>

namespace stagecraft::app::commands {

namespace {

constexpr QSize scheduleSize(1600, 1000), windowSize(1280, 800);

/// Beside the program where that is the build folder of a checkout; else, and where that cannot be written
/// to, in the current folder or among the temporary files.
QString usualFolder() {
    const QString beside = QCoreApplication::applicationDirPath();
    const bool isInstalled = QFileInfo(installedFolder()).isDir();
    if (!isInstalled && QFileInfo(beside).isWritable()) return beside + QStringLiteral("/first-look");
    const QString folder = QStringLiteral("/stagecraft-first-look");
    return (QFileInfo(QDir::currentPath()).isWritable() ? QDir::currentPath() : QDir::tempPath()) + folder;
}

/// Relative to the current folder if it is within.
std::string shownPath(const QString& path) {
    const QString relative = QDir::current().relativeFilePath(path);
    return (relative.startsWith(QLatin1String("..")) ? path : relative).toStdString();
}

std::vector<PlannerOutcome> planWithAll(const Problem& problem) {
    const auto costs = std::make_shared<const CostModel>(problem);
    std::vector<PlannerOutcome> outcomes;
    for (const std::unique_ptr<Planner>& planner : allPlanners())
        outcomes.push_back({planner->description().id, runAndEvaluate(*planner, costs, {})});
    return outcomes;
}

/// The window with the sample and its plans, on the first plan's charts.
QImage windowWith(const Project& project) {
    MainWindow window;
    window.workspace().openProject(project, {});
    waitUntil([&] { return !window.planning().isBusy(); });
    if (!window.workspace().plans().empty()) {
        const int first = window.workspace().plans().front().id;
        window.workbench().showPlan(first);
        waitUntil([&] { return window.workbench().planView(first)->isReady(); });
    }
    return pictureOf(window, windowSize);
}

void explainHowToSeeWindow(const std::string& program, bool displayed, std::ostream& out) {
    if (displayed) {
        out << "The window opens with\n  " << program << "\n";
    } else {
        out << "No display answers here, so the window was drawn off screen. To see and use it:\n"
            << "  ssh -X HOST, then " << program << "\n"
            << "      from a machine with a display\n"
            << "  DISPLAY=:0 " << program << "\n"
            << "      on a display that this machine has, or one that Xvfb or a remote desktop started\n"
            << "  QT_QPA_PLATFORM=vnc " << program << "\n"
            << "      then connect a VNC viewer to port 5900; it asks for no password: trusted networks "
               "only\n";
    }
    out << "Everything else works without a display:\n  " << program << " --help\n";
}

int runTour(const Arguments& arguments, std::ostream& out, std::ostream&) {
    arguments.refuseMoreThan(0);
    const bool displayed = hasDisplay();  // asked before all is drawn off screen
    ensureApplication();
    applyTheme(*qApp, ThemeChoice::light);
    const std::optional<std::string> asked = arguments.text("out");
    const QString folder =
        asked ? QFileInfo(QString::fromStdString(*asked)).absoluteFilePath() : usualFolder();
    const Sample& sample = samples().front();
    out << "The first sample, " << sample.title.toStdString() << ": " << sample.facts.toStdString() << "\n\n"
        << std::flush;

    std::vector<PlannerOutcome> outcomes = planWithAll(sample.project->problem);
    const std::vector<const Planner*> leftOut = takeLeftOut(outcomes);
    printPlanTable(outcomes, leftOut, out);
    Project project = *sample.project;
    project.plans.clear();
    project.notes.clear();
    for (const PlannerOutcome& outcome : outcomes)
        if (outcome.run.ok()) project.plans.push_back(outcome.run.result.plan);

    QDir().mkpath(folder);
    const QString schedule = folder + QStringLiteral("/schedule.png");
    const QString window = folder + QStringLiteral("/window.png");
    const auto first = std::make_shared<const PlanRun>(outcomes.front().run);
    writePicture(schedule.toStdString(), pictureOf(*chartsOf(first, {}), scheduleSize));
    writePicture(window.toStdString(), windowWith(project));
    out << "\nPictures:\n  " << shownPath(schedule) << "  the schedule of " << first->title()
        << " with each GPU's memory\n  " << shownPath(window) << "    the window with all of these plans\n\n";
    explainHowToSeeWindow(shownPath(QCoreApplication::applicationFilePath()), displayed, out);
    return exitDone;
}

}  // namespace

Command tourCommand() {
    return {
        "tour",
        {"[--out FOLDER]"},
        "Plans the first sample and writes pictures of it; runs where there is no display for the window.",
        {{"out", "FOLDER",
          "where the pictures go; default: first-look beside a program that is not installed, else "
          "stagecraft-first-look here"}},
        &runTour};
}

}  // namespace stagecraft::app::commands
