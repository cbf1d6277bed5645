#pragma once

#include "core/formats/files/import.h"
#include "core/formats/text_file.h"
#include "tests/support/every_room.h"

#include <algorithm>
#include <string>

namespace stagecraft {

/// A file of tests/data/public, whose README says where such files were seen.
inline std::string publicCase(const std::string& name) {
    return readTextFile(STAGECRAFT_SOURCE_DIR "/tests/data/public/" + name);
}

inline bool saysOf(const ImportedCluster& imported, const std::string& part) {
    return std::any_of(imported.notes.begin(), imported.notes.end(),
                       [&](const ImportNote& note) { return note.text.find(part) != std::string::npos; });
}

/// The link between two ends, in either order; nullptr if there is none.
inline const Link* linkOf(const Cluster& cluster, const std::string& a, const std::string& b) {
    for (const Link& link : cluster.links)
        if ((link.a == a && link.b == b) || (link.a == b && link.b == a)) return &link;
    return nullptr;
}
/// Its bandwidth in bytes per second; 0: there is none.
inline double bpsOf(const Cluster& cluster, const std::string& a, const std::string& b) {
    const Link* link = linkOf(cluster, a, b);
    return link ? link->bandwidthBps : 0;
}

}  // namespace stagecraft
