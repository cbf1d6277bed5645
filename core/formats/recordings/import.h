#pragma once

#include "core/formats/recordings/recording_format.h"

#include <filesystem>
#include <string>
#include <vector>

namespace stagecraft::formats {

/// Reads what ran when from files of a run, in the format that they show: one file a rank, or several ranks
/// in one. Of a folder all files are read that are recordings.
/// Progress is that of the bytes of the files.
/// @throws InputError for no file, files of several formats, and as the formats do; Cancelled
Recording readRecording(const std::vector<std::filesystem::path>& files, const WorkContext& context = {});
/// The same of a text, as if it were a file of that format.
Recording readRecordingText(std::string_view text, const std::string& file, FileKind kind);

/// What a text is by its beginning; unknown if it is no recording.
FileKind detectRecording(std::string_view head);
/// Of a file, gzipped or not; of a folder, what most of its files are.
FileKind recordingKindOf(const std::filesystem::path& path);
/// Whether it is a file of a recording, or a folder with such.
inline bool isRecording(const std::filesystem::path& path) {
    return recordingKindOf(path) != FileKind::unknown;
}
/// Whether a kind of file is a format of recordings.
inline bool isRecording(FileKind kind) { return recordingFormatOf(kind) != nullptr; }

/// Of all formats, each once, for choosing among files: "json", "gz", …
std::vector<std::string> recordingSuffixes();
/// "Trace Event JSON, …", for messages.
std::string namesOfRecordingFormats();

}  // namespace stagecraft::formats
