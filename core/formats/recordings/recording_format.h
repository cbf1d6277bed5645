#pragma once

#include "core/base/work_context.h"
#include "core/formats/file_kind.h"
#include "core/formats/recordings/recording_file.h"
#include "core/model/recording.h"

#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::formats {

/// All that is to be known of a format that recordings are read from.
struct RecordingFormat {
    std::string id;                     ///< "kineto"
    std::string name;                   ///< "Primus' passes of a rank", for messages
    std::vector<std::string> suffixes;  ///< of its files, as a rule: "json"
    /// @param head what a file says at its beginning, 64 KiB at most
    bool (*recognises)(std::string_view head) = nullptr;
    /// Of all files together, a rank each or several in one. @throws InputError, Cancelled
    Recording (*read)(const std::vector<RecordingFile>& files, const WorkContext& context) = nullptr;
};

/// Null if it is no format of recordings.
const RecordingFormat* recordingFormatOf(FileKind kind);

}  // namespace stagecraft::formats
