#pragma once

#include "core/formats/native/formats.h"
#include "core/formats/topology/import.h"
#include "tests/support/window_rooms.h"

#include <QDirIterator>
#include <QFile>

#include <string>
#include <utility>
#include <vector>

namespace stagecraft {

/// All that can be read of the topologies of real machines, by path; empty where these files are not at hand.
inline std::vector<std::pair<std::string, Cluster>> filesOfTopologies() {
    std::vector<std::pair<std::string, Cluster>> clusters;
    QDirIterator files(QString(STAGECRAFT_SHARED_DIR) + "/topologies",
                       {"*.xml", "*.txt", "*.json", "*.yml", "*.topo"}, QDir::Files,
                       QDirIterator::Subdirectories);
    while (files.hasNext()) {
        QFile file(files.next());
        if (!file.open(QIODevice::ReadOnly)) continue;
        try {
            const std::string name = file.fileName().toStdString();
            clusters.emplace_back(
                name, readClusters({{name, file.readAll().toStdString()}}, {}, detectTopology).cluster);
        } catch (const std::exception&) {
            continue;  // not all of them are topologies
        }
    }
    return clusters;
}

}  // namespace stagecraft
