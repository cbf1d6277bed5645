#include "app/experiments/own_experiments.h"

#include "app/file_name.h"
#include "core/experiments/experiment_draft.h"
#include "core/formats/formats.h"

#include <QDir>
#include <QFileInfo>
#include <QSettings>
#include <QStandardPaths>

namespace stagecraft {

namespace {

constexpr char listKey[] = "experiments/own";
constexpr int mostFiles = 12;
const QString suffix = QStringLiteral(".experiment.json");

}  // namespace

QStringList OwnExperiments::files() {
    QStringList files = QSettings().value(QLatin1String(listKey)).toStringList();
    files.removeIf([](const QString& file) { return !QFileInfo::exists(file); });
    return files;
}

void OwnExperiments::add(const QString& file) {
    QStringList files = OwnExperiments::files();
    files.removeAll(file);
    files.prepend(file);
    QSettings().setValue(QLatin1String(listKey), files.mid(0, mostFiles));
}

void OwnExperiments::forget(const QString& file) {
    QStringList files = OwnExperiments::files();
    files.removeAll(file);
    QSettings().setValue(QLatin1String(listKey), files);
}

QString OwnExperiments::folder() {
    return QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) +
           QStringLiteral("/Stagecraft/experiments");
}

bool OwnExperiments::isKept(const QString& file) { return QFileInfo(file).path() == folder(); }

QString OwnExperiments::keep(const Experiment& experiment, const QString& before) {
    QDir().mkpath(folder());
    const QString stem = folder() + u'/' + fileNameOf(QString::fromStdString(experiment.name));
    QString path = isKept(before) ? before : stem + suffix;
    for (int number = 2; path != before && QFileInfo::exists(path); ++number)
        path = stem + u'-' + QString::number(number) + suffix;
    writeFileAtomically(path.toStdString(), writeExperiment(movedTo(experiment, folder().toStdString())));
    return path;
}

ExperimentResults readExperimentOrResults(const std::string& text, const std::string& path) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    if (detectKind(text) == FileKind::results) return readResults(text, path, folder);
    ExperimentResults results{readExperiment(text, path, folder), {}};
    results.cells.resize(Grid(results.experiment).cellCount());
    return results;
}

}  // namespace stagecraft
