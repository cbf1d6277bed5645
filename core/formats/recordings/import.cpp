#include "core/formats/recordings/import.h"

#include "core/base/counted.h"
#include "core/base/text_parts.h"
#include "core/formats/input_error.h"
#include "core/formats/recordings/rank_trace.h"

#include <algorithm>
#include <map>
#include <utility>

namespace stagecraft::formats {

#define STAGECRAFT_DECLARATION(name) RecordingFormat name##Format();
STAGECRAFT_RECORDING_FORMATS(STAGECRAFT_DECLARATION)
#undef STAGECRAFT_DECLARATION

namespace {

namespace fs = std::filesystem;
constexpr std::size_t mostFiles = 4096;

const std::vector<std::pair<FileKind, RecordingFormat>>& recordingFormats() {
#define STAGECRAFT_ROW(name) {FileKind::name, name##Format()},
    static const std::vector<std::pair<FileKind, RecordingFormat>> all = {
        STAGECRAFT_RECORDING_FORMATS(STAGECRAFT_ROW)};
#undef STAGECRAFT_ROW
    return all;
}

}  // namespace

namespace {

/// A number in a name counts as such: rank_2 before rank_10.
bool isBefore(const std::string& a, const std::string& b) {
    const auto isDigit = [](char letter) { return letter >= '0' && letter <= '9'; };
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        if (!isDigit(a[i]) || !isDigit(b[j])) {
            if (a[i] != b[j]) return a[i] < b[j];
            ++i, ++j;
            continue;
        }
        std::size_t endA = i, endB = j;
        while (endA < a.size() && isDigit(a[endA])) ++endA;
        while (endB < b.size() && isDigit(b[endB])) ++endB;
        const auto digits = [](const std::string& text, std::size_t from, std::size_t to) {
            while (from + 1 < to && text[from] == '0') ++from;
            return text.substr(from, to - from);
        };
        const std::string left = digits(a, i, endA), right = digits(b, j, endB);
        if (left != right) return std::pair(left.size(), left) < std::pair(right.size(), right);
        i = endA, j = endB;
    }
    return a.size() < b.size();
}

/// Of many names the first ones.
std::string namesInShort(const std::vector<std::string>& names) {
    constexpr std::size_t most = 4, longest = 40;
    std::string text;
    for (std::size_t i = 0; i < std::min(most, names.size()); ++i)
        text += (i == 0 ? "" : ", ") + inQuotes(names[i], longest);
    return names.size() > most ? text + ", …" : text;
}

/// Names that differ in their numbers alone belong together: files of the ranks of a run.
std::string withoutNumbers(const std::string& name) {
    std::string text;
    for (const char letter : name)
        if (letter < '0' || letter > '9')
            text += letter;
        else if (text.empty() || text.back() != '#')
            text += '#';
    return text;
}

/// Of files that are not one run: which belong together by their names; empty where none differs.
std::string runsAmong(const std::vector<RecordingFile>& files) {
    std::map<std::string, std::vector<std::string>> runs;
    for (const RecordingFile& file : files) runs[withoutNumbers(file.name)].push_back(file.name);
    if (runs.size() < 2) return {};
    const auto largest = std::max_element(runs.begin(), runs.end(), [](const auto& a, const auto& b) {
        return a.second.size() < b.second.size();
    });
    return "; by their names these are " + counted(static_cast<long long>(runs.size()), "run") +
           ", one of them " + namesInShort(largest->second);
}

RecordingFile fileAt(const fs::path& path) { return {path.filename().string(), path}; }

std::vector<RecordingFile> filesIn(const fs::path& folder) {
    std::vector<RecordingFile> files;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error))
        if (entry.is_regular_file(error)) files.push_back(fileAt(entry.path()));
    if (error) throw InputError(folder.string(), "", "cannot be read: " + error.message(), "");
    if (files.size() > mostFiles)
        throw InputError(folder.string(), "", "the folder has more than 4,096 files", "a file for each rank");
    std::sort(files.begin(), files.end(),
              [](const RecordingFile& a, const RecordingFile& b) { return isBefore(a.name, b.name); });
    return files;
}

/// The kind of most files of a folder, and these; others are said to be left out.
struct FolderFiles {
    FileKind kind = FileKind::unknown;
    std::vector<RecordingFile> files;
    std::vector<std::string> others;
};

FolderFiles recordingFilesBeside(const fs::path& folder) {
    std::map<FileKind, std::vector<RecordingFile>> byKind;
    for (RecordingFile& file : filesIn(folder))
        byKind[detectRecording(file.head())].push_back(std::move(file));
    FolderFiles found;
    for (auto& [kind, files] : byKind)
        if (kind != FileKind::unknown && files.size() > found.files.size())
            found.kind = kind, found.files = files;
    for (const auto& [kind, files] : byKind)
        if (kind != found.kind)
            for (const RecordingFile& file : files) found.others.push_back(file.name);
    return found;
}

std::vector<fs::path> foldersIn(const fs::path& folder) {
    std::vector<fs::path> folders;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error))
        if (entry.is_directory(error)) folders.push_back(entry.path());
    std::sort(folders.begin(), folders.end());
    return folders;
}

/// Of a folder that has none but a folder with some, those of that.
/// @throws InputError where several folders in it have some: each may be another run
FolderFiles recordingFilesIn(const fs::path& folder) {
    FolderFiles found = recordingFilesBeside(folder);
    if (!found.files.empty()) return found;
    std::vector<std::string> named;
    for (const fs::path& inner : foldersIn(folder)) {
        FolderFiles own = recordingFilesBeside(inner);
        if (own.files.empty()) continue;
        named.push_back(inner.filename().string());
        found.kind = own.kind;
        found.files = std::move(own.files);
    }
    if (named.size() > 1)
        throw InputError(folder.string(), "", "recordings are in several folders of it",
                         "one run: one of " + namesInShort(named));
    return found;
}

FileKind kindOf(const RecordingFile& file) {
    const std::string head = file.head();
    const FileKind kind = detectRecording(head);
    if (kind != FileKind::unknown) return kind;
    RecordingStream{file};  // says why it cannot be opened
    throw InputError(file.shown(), "", head.empty() ? "the file is empty or damaged" : "this is no recording",
                     "one of these: " + namesOfRecordingFormats());
}

std::string folderName(const fs::path& folder) {
    return fs::absolute(folder / ".").lexically_normal().parent_path().filename().string();
}

Recording readAs(const RecordingFormat& format, const std::vector<RecordingFile>& files,
                 const WorkContext& context) {
    try {
        return format.read(files, context);
    } catch (const InputError& error) {
        if (error.expected() != oneFileEachRank) throw;
        throw InputError(error.file(), error.place(), error.problem(), error.expected() + runsAmong(files));
    }
}

/// Of files together that of their folder: the name of one says nothing of the others.
std::string titleOf(const std::vector<fs::path>& paths, std::size_t files) {
    std::error_code error;
    if (fs::is_directory(paths.front(), error)) return folderName(paths.front());
    if (files == 1) return paths.front().filename().string();
    return folderName(paths.front().parent_path()) + " (" + counted(static_cast<long long>(files), "file") +
           ")";
}

}  // namespace

const RecordingFormat* recordingFormatOf(FileKind kind) {
    for (const auto& [each, format] : recordingFormats())
        if (each == kind) return &format;
    return nullptr;
}

FileKind detectRecording(std::string_view head) {
    for (const auto& [kind, format] : recordingFormats())
        if (format.recognises(head)) return kind;
    return FileKind::unknown;
}

FileKind recordingKindOf(const fs::path& path) {
    std::error_code error;
    if (!fs::is_directory(path, error)) return detectRecording(fileAt(path).head());
    try {
        return recordingFilesIn(path).kind;
    } catch (const InputError&) {
        return FileKind::unknown;
    }
}

std::vector<std::string> recordingSuffixes() {
    std::vector<std::string> all;
    for (const auto& [kind, format] : recordingFormats())
        for (const std::string& suffix : format.suffixes)
            if (std::find(all.begin(), all.end(), suffix) == all.end()) all.push_back(suffix);
    return all;
}

std::string namesOfRecordingFormats() {
    std::string names;
    for (const auto& [kind, format] : recordingFormats()) names += (names.empty() ? "" : ", ") + format.name;
    return names;
}

Recording readRecording(const std::vector<fs::path>& paths, const WorkContext& context) {
    if (paths.empty()) throw InputError("", "", "no file is named", "files of a run, or their folder");
    FolderFiles all;
    std::error_code error;
    for (const fs::path& path : paths) {
        FolderFiles found;
        if (fs::is_directory(path, error)) {
            found = recordingFilesIn(path);
            if (found.files.empty())
                throw InputError(path.string(), "", "no file of this folder is a recording",
                                 "one of these: " + namesOfRecordingFormats());
        } else {
            found.files.push_back(fileAt(path));
            found.kind = kindOf(found.files.front());
        }
        if (all.kind == FileKind::unknown) all.kind = found.kind;
        if (found.kind != all.kind)
            throw InputError(path.string(), "", "this is " + recordingFormatOf(found.kind)->name,
                             "files of one format: the first is " + recordingFormatOf(all.kind)->name);
        all.files.insert(all.files.end(), found.files.begin(), found.files.end());
        all.others.insert(all.others.end(), found.others.begin(), found.others.end());
    }
    const RecordingFormat& format = *recordingFormatOf(all.kind);
    Recording recording = readAs(format, all.files, context);
    recording.report.format = format.name;
    for (const RecordingFile& file : all.files) recording.report.files.push_back(file.name);
    for (const std::string& name : all.others)
        recording.report.ignored.push_back(name + " is of another format.");
    if (recording.title.empty()) recording.title = titleOf(paths, all.files.size());
    return recording;
}

Recording readRecordingText(std::string_view text, const std::string& file, FileKind kind) {
    const RecordingFormat& format = *recordingFormatOf(kind);
    Recording recording = format.read({{file, {}, std::string(text)}}, {});
    recording.report.format = format.name;
    recording.report.files = {file};
    if (recording.title.empty()) recording.title = file;
    return recording;
}

}  // namespace stagecraft::formats
