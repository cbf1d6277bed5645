#include "app/experiments/custom_experiments.h"

#include "app/document/file_names.h"
#include "core/experiments/experiment_draft.h"
#include "core/formats/files/import.h"
#include "core/formats/text_file.h"

#include <QDir>
#include <QFileInfo>
#include <QSettings>
#include <QStandardPaths>

namespace stagecraft::app::experiments {

namespace {

constexpr char listKey[] = "experiments/own";
constexpr char namesKey[] = "experiments/ownNames";
constexpr int mostFiles = 12;

/// The list, with the names of what is on it. @param file one whose name is given
void store(const QStringList& files, const QString& file, const QString& name) {
    QSettings settings;
    const QVariantMap before = settings.value(QLatin1String(namesKey)).toMap();
    QVariantMap names;
    for (const QString& each : files)
        if (each == file || before.contains(each)) names[each] = each == file ? name : before[each];
    settings.setValue(QLatin1String(listKey), files);
    settings.setValue(QLatin1String(namesKey), names);
}

}  // namespace

QStringList CustomExperiments::files() {
    QStringList files = QSettings().value(QLatin1String(listKey)).toStringList();
    const QStringList kept = QDir(folder()).entryList({u'*' + experimentSuffix}, QDir::Files, QDir::Time);
    for (const QString& file : kept)
        if (const QString path = folder() + u'/' + file; !files.contains(path)) files << path;
    files.removeIf([](const QString& file) { return !QFileInfo::exists(file); });
    return files;
}

void CustomExperiments::add(const QString& file, const QString& name) {
    QStringList files = CustomExperiments::files();
    files.removeAll(file);
    files.prepend(file);
    store(files.mid(0, mostFiles), file, name);
}

void CustomExperiments::forget(const QString& file) {
    QStringList files = CustomExperiments::files();
    files.removeAll(file);
    store(files, {}, {});
}

QString CustomExperiments::nameOf(const QString& file) {
    const QString name = QSettings().value(QLatin1String(namesKey)).toMap().value(file).toString();
    return name.isEmpty() ? QFileInfo(file).fileName().section(u'.', 0, 0) : name;
}

QString CustomExperiments::folder() {
    return QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) +
           QStringLiteral("/Stagecraft/experiments");
}

bool CustomExperiments::isKept(const QString& file) { return QFileInfo(file).path() == folder(); }

QString CustomExperiments::placeFor(const Experiment& experiment) {
    const QString stem = folder() + u'/' + fileNameOf(QString::fromStdString(experiment.name));
    QString path = stem + experimentSuffix;
    for (int number = 2; QFileInfo::exists(path); ++number)
        path = stem + u'-' + QString::number(number) + experimentSuffix;
    return path;
}

QString CustomExperiments::keep(const Experiment& experiment, const QString& before) {
    QDir().mkpath(folder());
    const QString path = isKept(before) ? before : placeFor(experiment);
    writeFileAtomically(path.toStdString(), writeExperiment(movedTo(experiment, folder().toStdString())));
    return path;
}

void CustomExperiments::rename(const QString& file, const QString& name) {
    const std::string path = file.toStdString(), text = readTextFile(path);
    ExperimentResults results = readExperimentOrResults(text, path);
    results.experiment.name = name.toStdString();
    writeFileAtomically(path, detectKind(text) == FileKind::results ? writeResults(results)
                                                                    : writeExperiment(results.experiment));
}

}  // namespace stagecraft::app::experiments
