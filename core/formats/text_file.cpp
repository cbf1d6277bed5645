#include "core/formats/file_stream.h"
#include "core/formats/input_error.h"
#include "core/formats/text_encoding.h"
#include "core/formats/text_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <random>
#include <utility>

namespace stagecraft::formats {

namespace {

namespace fs = std::filesystem;

InputError systemError(const fs::path& path, const std::string& doing, int code) {
    return {path.string(), "", doing + ": " + std::strerror(code), ""};
}

/// A file descriptor that closes itself.
class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    int number() const { return number_; }
    /// Network file systems report a full disk no earlier than here.
    bool close() { return ::close(std::exchange(number_, -1)) == 0; }

private:
    int number_;
};

bool writeAll(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

/// What a new file would get, or what the old one has.
mode_t modeFor(const fs::path& target) {
    struct stat status {};
    if (::stat(target.c_str(), &status) == 0) return status.st_mode & 07777;
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return 0666 & ~mask;
}

using Produce = std::function<void(const WriteBytes&)>;

/// @throws InputError, and what `produce` throws
void produceInto(int descriptor, const fs::path& path, const Produce& produce) {
    produce([&](std::string_view bytes) {
        if (!writeAll(descriptor, bytes)) throw systemError(path, "cannot be written", errno);
    });
}

/// Pipes and devices cannot be replaced; they are written to as they are.
void writeInPlace(const fs::path& path, const Produce& produce) {
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (file.number() < 0) throw systemError(path, "cannot be written", errno);
    produceInto(file.number(), path, produce);
    if (!file.close()) throw systemError(path, "cannot be written", errno);
}

/// What is written beside a file before it takes its place. It has no name until it is whole, where the file
/// system can do that, so that a program that is killed leaves nothing behind; else it is taken away again
/// unless it is kept.
class NewFile {
public:
    explicit NewFile(const fs::path& directory)
        : name_((directory / ".stagecraft-XXXXXX").string()), file_(openIn(directory)) {}
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;
    ~NewFile() {
        if (isNamed_) ::unlink(name_.c_str());
    }
    /// Negative, with errno, if it could not be made.
    int number() const { return file_.number(); }
    /// On disk and in the target's place. @return false with errno
    bool keepAs(const fs::path& target) {
        if (::fchmod(number(), modeFor(target)) != 0 || ::fsync(number()) != 0) return false;
        if (!isNamed_ && !takeName()) return false;
        if (!file_.close() || ::rename(name_.c_str(), target.c_str()) != 0) return false;
        isNamed_ = false;
        return true;
    }

private:
    int openIn(const fs::path& directory) {
        // What has no name gets one by way of this folder.
        if (::access("/proc/self/fd", X_OK) == 0) {
            const int unnamed = ::open(directory.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
            if (unnamed >= 0) return unnamed;
        }
        return openNamed();
    }
    int openNamed() {
        const int number = ::mkostemp(name_.data(), O_CLOEXEC);
        isNamed_ = number >= 0;
        return number;
    }
    bool takeName() {
        const std::string unnamed = "/proc/self/fd/" + std::to_string(number());
        std::random_device random;
        do {
            for (std::size_t i = name_.size() - 6; i < name_.size(); ++i)
                name_[i] = "0123456789abcdefghijklmnopqrstuv"[random() % 32];
            isNamed_ = ::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, name_.c_str(), AT_SYMLINK_FOLLOW) == 0;
        } while (!isNamed_ && errno == EEXIST);
        return isNamed_;
    }

    std::string name_;
    bool isNamed_ = false;
    Descriptor file_;
};

}  // namespace

std::string readTextFile(const fs::path& path) {
    constexpr std::size_t limit = std::size_t{1} << 30;
    Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.number() < 0) throw systemError(path, "cannot be read", errno);
    const auto refuseLarge = [&](std::size_t bytes) {
        if (bytes > limit) throw InputError(path.string(), "", "the file is too large", "1 GiB at most");
    };
    struct stat status {};
    // Before a byte of it is read; pipes have no size.
    if (::fstat(file.number(), &status) == 0) refuseLarge(static_cast<std::size_t>(status.st_size));
    std::string text;
    std::string buffer(std::size_t{1} << 16, '\0');
    for (;;) {
        const ssize_t count = ::read(file.number(), buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) throw systemError(path, "cannot be read", errno);
        if (count == 0) return plainText(std::move(text));
        text.append(buffer, 0, static_cast<std::size_t>(count));
        refuseLarge(text.size());
    }
}

void writeFileAtomically(const fs::path& path, std::string_view bytes) {
    writeFileInParts(path, [bytes](const WriteBytes& write) { write(bytes); });
}

void writeFileInParts(const fs::path& path, const Produce& produce) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::is_directory(status))
        throw InputError(path.string(), "", "this is a directory", "a file to write");
    if (fs::exists(status) && !fs::is_regular_file(status)) return writeInPlace(path, produce);
    // A symbolic link stays one: the file that it leads to is replaced.
    const fs::path target = fs::exists(status) ? fs::canonical(path) : path;
    const fs::path directory = target.has_parent_path() ? target.parent_path() : fs::path(".");
    NewFile file(directory);
    if (file.number() < 0) throw systemError(path, "cannot be written", errno);
    produceInto(file.number(), path, produce);
    if (!file.keepAs(target)) throw systemError(path, "cannot be written", errno);
    // The rename itself survives a power cut only once the directory is on disk; not all file systems can do
    // that.
    const Descriptor folder(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.number() >= 0) ::fsync(folder.number());
}

}  // namespace stagecraft::formats
