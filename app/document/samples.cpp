#include "app/document/samples.h"

#include "app/document/installed_place.h"
#include "views/common/text.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>
#include <QObject>

#include <algorithm>
#include <tuple>

static void loadSampleResources() { Q_INIT_RESOURCE(samples); }

namespace stagecraft::app::document {
namespace {

const QString folder = QStringLiteral(":/stagecraft/samples");

/// Training as most people do it, then the five papers' first; the others by id.
const QString shownFirst[] = {QStringLiteral("llama-3-8b"), QStringLiteral("bert-large-8x4"),
                              QStringLiteral("llama-3-70b")};
/// Training of today that asks for more to be known, after the others.
const QString shownLast[] = {QStringLiteral("megatron-175b"), QStringLiteral("mixtral-8x7b"),
                             QStringLiteral("shared-nic"), QStringLiteral("fat-tree"),
                             QStringLiteral("rail-fabric")};

Sample read(const QString& fileName) {
    QFile file(folder + '/' + fileName);
    file.open(QIODevice::ReadOnly);
    const QByteArray text = file.readAll();
    Sample sample;
    sample.id = fileName.section('.', 0, 0);
    sample.testbed = sample.id.startsWith(QLatin1String("testbed-"));
    // Resources are in no folder: what they hold is all inline.
    sample.project = std::make_shared<const Project>(
        readProject({text.constData(), static_cast<std::size_t>(text.size())}, fileName.toStdString(), {}));
    const QString name = QString::fromStdString(sample.project->name);
    // The last brackets say where it comes from: "BERT-large on 8 servers (SPP, Sec. V-B)".
    const auto bracket = name.endsWith(')') ? name.lastIndexOf(QLatin1String(" (")) : name.size();
    sample.title = name.left(bracket);
    sample.origin = name.mid(bracket + 2).chopped(bracket < name.size() ? 1 : 0);
    // It begins a sentence, unless it is a name that begins small: "vPipe, Sec. 6".
    const bool isName = sample.origin.size() > 1 && sample.origin[1].isUpper();
    if (!sample.origin.isEmpty() && !isName) sample.origin[0] = sample.origin[0].toUpper();
    const Problem& problem = sample.project->problem;
    sample.facts = QStringList{countedText(problem.profile.layerCount(), "layer"),
                               countedText(problem.cluster.deviceCount(), "GPU"),
                               countedText(problem.setup.microbatches, "microbatch", "microbatches")}
                       .join(QStringLiteral(", "));
    sample.about = QString::fromStdString(problem.profile.source);
    return sample;
}

std::vector<Sample> readAll() {
    loadSampleResources();
    std::vector<Sample> all;
    const QStringList pattern{QStringLiteral("*.stagecraft.json")};
    for (const QString& name : QDir(folder).entryList(pattern, QDir::Files, QDir::Name))
        all.push_back(read(name));
    const auto placeOf = [](const Sample& sample) {
        const auto found = std::find(std::begin(shownFirst), std::end(shownFirst), sample.id);
        const bool isLast =
            std::find(std::begin(shownLast), std::end(shownLast), sample.id) != std::end(shownLast);
        return std::tuple(sample.testbed, isLast, found - std::begin(shownFirst));
    };
    std::stable_sort(all.begin(), all.end(),
                     [&](const Sample& a, const Sample& b) { return placeOf(a) < placeOf(b); });
    return all;
}

}  // namespace

const std::vector<Sample>& samples() {
    static const std::vector<Sample> all = readAll();
    return all;
}

const Sample* findSample(const QString& id) {
    for (const Sample& sample : samples())
        if (sample.id == id) return &sample;
    return nullptr;
}

bool isShippedSample(const QString& path) {
    const QFileInfo file(path);
    if (!findSample(file.fileName().section('.', 0, 0))) return false;
    const QFileInfo installed(installedFolder() + QStringLiteral("/samples/") + file.fileName());
    if (installed.exists() && installed.canonicalFilePath() == file.canonicalFilePath()) return true;
    // Beside the program, or above the folder that it was built in.
    QDir above(QCoreApplication::applicationDirPath());
    constexpr int levels = 4;
    for (int level = 0; level < levels; ++level) {
        const QFileInfo shipped(above.filePath(QStringLiteral("samples/") + file.fileName()));
        if (shipped.exists() && shipped.canonicalFilePath() == file.canonicalFilePath()) return true;
        if (!above.cdUp()) break;
    }
    return false;
}

QString proposedFolder(const QString& projectPath) {
    if (!projectPath.isEmpty() && !isShippedSample(projectPath)) return QFileInfo(projectPath).path();
    const QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    return QFileInfo(documents).isDir() ? documents : QDir::homePath();
}

}  // namespace stagecraft::app::document
