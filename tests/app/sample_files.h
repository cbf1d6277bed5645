#pragma once

#include "tests/support/window_rooms.h"

#include <QString>

#include <string>

namespace stagecraft::testing {

/// A file of the samples, "fig2-toy.stagecraft.json".
inline std::string samplePath(const std::string& name) {
    return std::string(STAGECRAFT_SOURCE_DIR) + "/samples/" + name;
}

inline const std::string toyFile = samplePath("fig2-toy.stagecraft.json");
inline const std::string xpipeFile = samplePath("xpipe-fig1.stagecraft.json");
inline const std::string vpipeBertFile = samplePath("vpipe-bert.stagecraft.json");
/// The smallest sample's button on the start page.
inline const QString toyCard = QStringLiteral("sample:fig2-toy");

}  // namespace stagecraft::testing
