#pragma once

#include "core/base/rooms.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::formats {

/// A file to be read as a recording, or a text in its place.
struct RecordingFile {
    std::string name;            ///< without folders
    std::filesystem::path path;  ///< empty: `content` is all of it
    std::string content{};

    /// For messages.
    std::string shown() const { return path.empty() ? name : path.string(); }
    /// What it says, unpacked if it is gzipped, 64 KiB at most; empty for one that cannot be read.
    std::string head() const;
    /// All that it says. @throws InputError if it cannot be read, is cut off, or says more than `most` bytes
    std::string whole(std::size_t most = std::size_t{256} << 20) const;
};

/// The bytes of a file from its beginning, unpacked if it is gzipped, chunk by chunk.
class RecordingStream : public std::streambuf {
public:
    /// @throws InputError if the file cannot be opened
    explicit RecordingStream(const RecordingFile& file);
    ~RecordingStream() override;

    /// Of the bytes as they lie in the file, 0 to 1.
    double shareRead() const;
    /// Whether its reader came to the end and wanted more.
    bool exhausted() const { return exhausted_; }
    /// The file could be read to its end. @throws InputError if it is cut off or damaged
    void checkEnd() const;

protected:
    int_type underflow() override;

private:
    struct Packed;
    const RecordingFile& file_;
    std::unique_ptr<Packed> packed_;  ///< null: of a text
    std::string chunk_;
    bool ended_ = false;      ///< there is no chunk after this one
    bool exhausted_ = false;  ///< more was asked for than there is
};

}  // namespace stagecraft::formats
