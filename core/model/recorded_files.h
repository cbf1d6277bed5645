#pragma once

#include "core/model/chart_note.h"

#include <string>
#include <vector>

namespace stagecraft::model {

/// A run that was recorded, as a project remembers it: where its files are, and the notes on its chart.
struct RecordedFiles {
    std::vector<std::string> files;  ///< a file of each rank, or of all, or a folder with them
    std::vector<ChartNote> notes = {};
    bool operator==(const RecordedFiles&) const = default;
};

}  // namespace stagecraft::model
