#include "app/document/file_names.h"

#include "core/formats/configurations/configuration_formats.h"
#include "core/formats/profiles/profile_format.h"
#include "core/formats/recordings/import.h"
#include "core/formats/topology/topology_format.h"
#include "views/common/text.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QStringList>

#include <algorithm>

namespace stagecraft::app::document {

namespace {

QString filterOf(const QString& name, const std::vector<std::string>& suffixes) {
    QStringList patterns;
    for (const std::string& suffix : suffixes)
        patterns << QStringLiteral("*.") + QString::fromStdString(suffix);
    return QStringLiteral("%1 (%2);;%3")
        .arg(name, patterns.join(QLatin1Char(' ')),
             QCoreApplication::translate("FileFilters", "All files (*)"));
}

}  // namespace

QString titleOfRecording(const RecordedFiles& recording) {
    const QFileInfo first(QString::fromStdString(recording.files.front()));
    if (recording.files.size() == 1) return first.fileName();
    return QStringLiteral("%1 (%2)").arg(first.dir().dirName(),
                                         countedText(static_cast<qsizetype>(recording.files.size()), "file"));
}

QString profileFilter() {
    return filterOf(QCoreApplication::translate("FileFilters", "Layer profiles"), profileSuffixes());
}

QString clusterFilter() {
    return filterOf(QCoreApplication::translate("FileFilters", "Clusters and topologies"),
                    topologySuffixes());
}

QString anyFilter() {
    std::vector<std::string> all = profileSuffixes();
    std::vector<std::string> others = topologySuffixes();
    for (std::string& suffix : configurationSuffixes()) others.push_back(std::move(suffix));
    for (std::string& suffix : recordingSuffixes()) others.push_back(std::move(suffix));
    for (const std::string& suffix : others)
        if (std::find(all.begin(), all.end(), suffix) == all.end()) all.push_back(suffix);
    return filterOf(QCoreApplication::translate("FileFilters", "All that can be opened"), all);
}

}  // namespace stagecraft::app::document
