#include "app/panels/cluster_import.h"

#include "app/panels/import_report.h"
#include "core/editing/cluster_rebase.h"
#include "core/formats/files/import.h"

#include <QFileInfo>

#include <algorithm>
#include <variant>

namespace stagecraft::app::panels {

ClusterImport::ClusterImport(Workspace& workspace, ImportReport& report, QObject* parent)
    : QObject(parent), workspace_(workspace), report_(report) {
    connect(&report_, &ImportReport::answersChanged, this, &ClusterImport::readAgain);
    connect(&workspace_, &Workspace::projectReplaced, this, &ClusterImport::forget);
    connect(workspace_.undoStack(), &QUndoStack::indexChanged, this, &ClusterImport::followUndo);
    connect(&reading_, &Job::ended, this, [this](bool, const QString& failure) {
        if (failure.isEmpty()) return;
        if (!whyIdle().isEmpty()) return show();
        report_.setError(failure);
        emit updated();
    });
}

void ClusterImport::forget() {
    reading_.abandon();
    measuring_.abandon();
    steps_.clear();
}

void ClusterImport::begin(const OpenedTopology& opened) {
    reading_.abandon();
    Step step;
    step.import = ++imports_;
    step.texts = opened.texts;
    const QString first = QFileInfo(QString::fromStdString(opened.texts->front().file)).fileName();
    const int more = int(opened.texts->size()) - 1;
    const QString name = more == 0 ? first : tr("%1 and %n more", nullptr, more).arg(first);
    step.text = tr("Import %1").arg(name);
    const FileKind kind = detectTopology(opened.texts->front().text);
    step.title = tr("%1: %2").arg(name, QString::fromStdString(topologyKindName(kind)));
    step.questions = opened.questions;
    step.imported = opened.imported;
    const Cluster cluster = opened.imported.cluster;
    put(std::move(step), cluster);
}

void ClusterImport::measure(const OpenedMeasurements& opened, const QString& path,
                            const std::vector<std::string>& between) {
    using Result = std::variant<OpenFailure, MeasuredCluster>;
    const Cluster cluster = workspace_.problem().cluster;
    measuring_.start(
        [cluster, opened, path, between]() -> Result {
            try {
                return withMeasurements(cluster, opened.text, path.toStdString(), {between, {}});
            } catch (const std::exception&) {
                return failureOf(path);
            }
        },
        [this, cluster, opened, path, between](const Result& result) {
            const auto* failure = std::get_if<OpenFailure>(&result);
            if (failure)
                emit failed(*failure);
            else if (workspace_.problem().cluster != cluster)
                return measure(opened, path, between);  // it was edited meanwhile
            else
                takeMeasured(std::get<MeasuredCluster>(result), path);
            emit measured(path, !failure);
        });
}

void ClusterImport::takeMeasured(const MeasuredCluster& measured, const QString& path) {
    reading_.abandon();
    Step step;
    step.import = ++imports_;
    const QString name = QFileInfo(path).fileName();
    step.text = tr("Import measurements from %1").arg(name);
    step.title = tr("%1: measurements").arg(name);
    step.imported.cluster = measured.cluster;
    step.imported.notes = measured.notes;
    put(std::move(step), measured.cluster);
}

void ClusterImport::put(Step step, const Cluster& cluster) {
    QUndoStack& undo = *workspace_.undoStack();
    const auto top = [&] { return undo.index() > 0 ? undo.command(undo.index() - 1) : nullptr; };
    const int index = undo.index();
    const QUndoCommand* command = top();
    putting_ = true;
    workspace_.editCluster(cluster, step.text, QStringLiteral("import %1").arg(step.import));
    putting_ = false;
    step.index = undo.index();
    step.command = top();
    const Step* before = current();
    // An answer in a row belongs to the step before, and one that changes nothing makes none.
    if (before && before->import == step.import && step.index == index && step.command == command) {
        step.index = before->index;
        step.command = before->command;
    }
    // What was undone cannot come back.
    std::erase_if(steps_, [&](const Step& other) { return other.index >= step.index; });
    steps_.push_back(std::move(step));
    show();
}

const ClusterImport::Step* ClusterImport::current() const {
    const QUndoStack& undo = *workspace_.undoStack();
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step)
        if (step->index <= undo.index()) return &*step;
    return nullptr;
}

void ClusterImport::followUndo() {
    if (putting_ || steps_.empty()) return;
    const QUndoStack& undo = *workspace_.undoStack();
    // A step whose place on the stack another command has taken was undone for good.
    std::erase_if(steps_, [&](const Step& step) {
        return step.index > 0 && (undo.count() < step.index || undo.command(step.index - 1) != step.command);
    });
    reading_.abandon();
    show();
}

QString ClusterImport::whyIdle() const {
    const Step* step = current();
    if (!step)
        return steps_.empty() ? tr("The import was undone.")
                              : tr("The import was undone. Redo brings it back.");
    // Edits keep what a cluster was made from.
    if (workspace_.problem().cluster.source != step->imported.cluster.source)
        return tr("The cluster has changed since. Import the file again to use it.");
    return {};
}

void ClusterImport::show() {
    const Step* step = current();
    if (step) report_.showImport(step->title, step->questions, step->answers, step->imported);
    report_.setError({});
    report_.setIdle(whyIdle());
}

void ClusterImport::readAgain() {
    const Step* step = current();
    if (!step || !step->texts || !whyIdle().isEmpty()) return show();
    const ParameterValues answers = report_.answers();
    reading_.start([texts = step->texts, answers] { return importClusters(*texts, importOptions(answers)); },
                   [this, answers](const ImportedCluster& imported) { take(imported, answers); });
}

void ClusterImport::take(const ImportedCluster& imported, const ParameterValues& answers) {
    const Step* before = current();
    if (!before || !whyIdle().isEmpty()) return show();
    Step step = *before;
    step.answers = answers;
    step.imported = imported;
    for (Parameter& question : importQuestions(*step.texts, imported)) {
        const auto asked = std::find_if(step.questions.begin(), step.questions.end(),
                                        [&](const Parameter& known) { return known.name == question.name; });
        if (asked == step.questions.end())
            step.questions.push_back(std::move(question));
        else
            *asked = std::move(question);
    }
    report_.setError({});
    const Cluster& now = workspace_.problem().cluster;
    put(std::move(step), rebased(before->imported.cluster, now, imported.cluster));
    emit updated();
}

}  // namespace stagecraft::app::panels
