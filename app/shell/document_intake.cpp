#include "app/shell/document_intake.h"

#include "app/document/workspace.h"
#include "app/experiments/experiments_actions.h"
#include "app/experiments/experiments_window.h"
#include "app/recording/recording_page.h"
#include "app/shell/cluster_controller.h"
#include "app/shell/profile_intake.h"
#include "app/shell/session.h"
#include "app/shell/workbench.h"
#include "core/programs/imported_order.h"

#include <QClipboard>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>

namespace stagecraft::app::shell {

DocumentIntake::DocumentIntake(WindowDocument& document, Workbench& workbench, FileController& files,
                               Places places, QWidget* window)
    : QObject(window),
      workspace_(document.workspace),
      problems_(document.problems),
      workbench_(workbench),
      files_(files),
      places_(places),
      window_(window) {
    connect(&opener_, &DocumentOpener::opened, this, &DocumentIntake::take);
    connect(&opener_, &DocumentOpener::cancelled, this, &DocumentIntake::done);
    connect(&opener_, &DocumentOpener::progressed, this, &DocumentIntake::progressed);
    connect(&places_.clusters, &ClusterController::measured, this, &DocumentIntake::done);
    connect(&places_.clusters, &ClusterController::failed, this, &DocumentIntake::failed);
    connect(&files_, &FileController::reloadWanted, this, [this](const QString& path) { openFiles({path}); });
}

void DocumentIntake::openFiles(const QStringList& paths) {
    QStringList absolute;
    for (const QString& path : paths) absolute << QFileInfo(path).absoluteFilePath();
    if (!absolute.isEmpty()) opener_.open(absolute);
}

void DocumentIntake::choose(const QString& title, const QString& filter) {
    openFiles(QFileDialog::getOpenFileNames(window_, title, folder(), filter));
}

void DocumentIntake::chooseFolder() {
    const QString path = QFileDialog::getExistingDirectory(window_, tr("Open recording"), folder());
    if (!path.isEmpty()) openFiles({path});
}

QString DocumentIntake::folder() const {
    return workspace_.path().isEmpty() ? QDir::homePath() : QFileInfo(workspace_.path()).path();
}

void DocumentIntake::importClipboard() {
    const QString text = QGuiApplication::clipboard()->text();
    if (text.trimmed().isEmpty())
        emit failed({tr("Clipboard"), {}, tr("The clipboard holds no text")});
    else
        opener_.openText(text, tr("clipboard"));
}

void DocumentIntake::chooseMeasurements() {
    const QString path = QFileDialog::getOpenFileName(window_, tr("Import measurements"), folder(),
                                                      tr("Measurements (*.txt *.log *.out);;All files (*)"));
    if (!path.isEmpty()) opener_.openMeasurements(path);
}

void DocumentIntake::take(const QString& path, const OpenedDocument& document) {
    const auto* failure = std::get_if<OpenFailure>(&document);
    if (!failure) emit taken();
    if (failure) {
        emit failed(*failure);
    } else if (const auto* project = std::get_if<Project>(&document)) {
        files_.openInstead(*project, path);
    } else if (const auto* plan = std::get_if<PlanFile>(&document)) {
        takePlan(*plan);
    } else if (const auto* profile = std::get_if<ImportedProfile>(&document)) {
        problems_.clearInputs();
        places_.profiles.take(*profile, path);
    } else if (const auto* topology = std::get_if<OpenedTopology>(&document)) {
        takeTopology(*topology);
    } else if (const auto* table = std::get_if<OpenedTable>(&document)) {
        places_.profiles.matchColumns(*table, path);
    } else if (const auto* model = std::get_if<OpenedOnnx>(&document)) {
        places_.profiles.askAbout(questionsAbout(*model, path.toStdString()), path);
    } else if (const auto* described = std::get_if<OpenedModel>(&document)) {
        places_.profiles.askAbout(questionsAbout(*described, path.toStdString()), path);
    } else if (std::holds_alternative<OpenedConfiguration>(document)) {
        emit configurationOpened(path, document);
    } else if (const auto* order = std::get_if<OpenedOrder>(&document)) {
        takeOrder(*order, path);
    } else if (const auto* recording = std::get_if<OpenedRecording>(&document)) {
        takeRecording(*recording);
    } else if (const auto* measurements = std::get_if<OpenedMeasurements>(&document)) {
        files_.endReload();
        return takeMeasurements(*measurements, path);
    } else if (const auto* experiment = std::get_if<OpenedExperiment>(&document)) {
        emit experimentOpened();
        places_.experiments.open().showOpened(path, *experiment->results);
    } else {
        takeCluster(std::get<Cluster>(document));
    }
    files_.endReload();
    emit done(path);
}

namespace {

/// What the recording shows of a plan; nothing of kernels alone.
Project proposedProject(const OpenedRecording& opened) {
    if (opened.proposed) return *opened.proposed;
    return {opened.recorded->recording->title, Preferences::startingProblem(), {}, {}, {}};
}

}  // namespace

void DocumentIntake::takePlan(const PlanFile& file) {
    if (workspace_.isOpen() && workspace_.problem() == file.problem) {
        workbench_.showPlan(workspace_.addPlan(file.plan, file.origin));
        return;
    }
    // A plan belongs to its problem: with another one it is a project of its own.
    files_.openInstead(Project{"", file.problem, {}, {}, {file.plan}, {}, {file.origin}}, {});
}

void DocumentIntake::takeOrder(const OpenedOrder& order, const QString& path) {
    if (!workspace_.isOpen()) {
        emit failed(
            {path, {}, tr("%1: an order of passes needs layers and GPUs: open a project first").arg(path)});
        return;
    }
    try {
        const Plan plan = programs::importedOrder(order.text, path.toStdString(), workspace_.problem());
        workbench_.showPlan(workspace_.addPlan(plan, {}));
    } catch (const std::exception&) {
        emit failed(failureOf(path));
    }
}

void DocumentIntake::takeRecording(const OpenedRecording& opened) {
    std::vector<std::string> files;
    for (const QString& file : opened.files) files.push_back(file.toStdString());
    if (workspace_.isOpen()) {
        workbench_.recording()->open(files, opened.recorded);
        return workbench_.showRecording();
    }
    // A project in which what ran can be planned anew.
    Project project = proposedProject(opened);
    project.recordings = {{files}};
    workbench_.recording()->put(files, opened.recorded);
    files_.open(std::move(project), {});
    workbench_.showRecording();
}

void DocumentIntake::takeCluster(const Cluster& cluster) {
    if (workspace_.isOpen()) {
        workspace_.setCluster(cluster);
    } else {
        Problem problem = Preferences::startingProblem();
        problem.cluster = cluster;
        files_.open(Project{cluster.name, std::move(problem), {}, {}, {}}, {});
    }
    workbench_.showCluster();
}

void DocumentIntake::takeTopology(const OpenedTopology& opened) {
    if (!workspace_.isOpen()) files_.open(Project{"", Preferences::startingProblem(), {}, {}, {}}, {});
    places_.clusters.take(opened);
}

void DocumentIntake::takeMeasurements(const OpenedMeasurements& opened, const QString& path) {
    if (!workspace_.isOpen() || workspace_.problem().cluster.links.empty()) {
        emit failed({path,
                     {},
                     tr("%1: measurements are of the links of a cluster: open or draw that cluster first")
                         .arg(path)});
        emit done(path);
        return;
    }
    places_.clusters.take(opened, path);
}

}  // namespace stagecraft::app::shell
