#include "core/formats/recordings/recording_file.h"

#include "core/base/units.h"
#include "core/formats/input_error.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace stagecraft::formats {

namespace {
constexpr std::size_t chunkBytes = std::size_t{1} << 18;
constexpr std::size_t headBytes = std::size_t{1} << 16;
/// What a file of that size may say: gzip packs what repeats by 1,000 at most.
constexpr std::uint64_t mostBytes = std::uint64_t{64} << 30;
}  // namespace

struct RecordingStream::Packed {
    gzFile file = nullptr;
    std::uint64_t size = 0;
    std::uint64_t unpacked = 0;
    std::string trouble;  ///< what zlib says where it cannot go on
};

RecordingStream::RecordingStream(const RecordingFile& file) : file_(file) {
    if (file.path.empty()) return;
    std::error_code error;
    if (std::filesystem::is_directory(file.path, error))
        throw InputError(file.shown(), "", "this is a folder", "a file");
    packed_ = std::make_unique<Packed>();
    packed_->file = ::gzopen(file.path.c_str(), "rb");
    if (!packed_->file)
        throw InputError(file.shown(), "", std::string("cannot be read: ") + std::strerror(errno), "");
    ::gzbuffer(packed_->file, chunkBytes);
    const std::uintmax_t size = std::filesystem::file_size(file.path, error);
    packed_->size = error ? 0 : size;
    chunk_.resize(chunkBytes);
}

RecordingStream::~RecordingStream() {
    if (packed_) ::gzclose(packed_->file);
}

double RecordingStream::shareRead() const {
    if (!packed_ || packed_->size == 0) return ended_ ? 1 : 0;
    return std::min(1.0, double(::gzoffset(packed_->file)) / double(packed_->size));
}

void RecordingStream::checkEnd() const {
    if (packed_ && !packed_->trouble.empty())
        throw InputError(file_.shown(), "", packed_->trouble, "a whole gzip file");
}

RecordingStream::int_type RecordingStream::underflow() {
    if (gptr() != egptr()) return traits_type::to_int_type(*gptr());
    if (ended_) {
        exhausted_ = true;
        return traits_type::eof();
    }
    if (!packed_) {
        ended_ = true;
        char* begin = const_cast<char*>(file_.content.data());  // a get area is never written to
        setg(begin, begin, begin + file_.content.size());
        return file_.content.empty() ? traits_type::eof() : traits_type::to_int_type(*begin);
    }
    const int count = ::gzread(packed_->file, chunk_.data(), static_cast<unsigned>(chunk_.size()));
    int code = Z_OK;
    const char* says = ::gzerror(packed_->file, &code);
    if (count < 0 || code == Z_BUF_ERROR)
        packed_->trouble = code == Z_BUF_ERROR ? "the gzip file is cut off" : std::string("damaged: ") + says;
    packed_->unpacked += static_cast<std::uint64_t>(std::max(count, 0));
    if (packed_->unpacked > mostBytes) packed_->trouble = "the file says more than 64 GiB";
    ended_ = count <= 0 || !packed_->trouble.empty();
    if (count <= 0) {
        exhausted_ = true;
        return traits_type::eof();
    }
    setg(chunk_.data(), chunk_.data(), chunk_.data() + count);
    return traits_type::to_int_type(*gptr());
}

std::string RecordingFile::head() const {
    try {
        RecordingStream stream(*this);
        std::string text(headBytes, '\0');
        text.resize(static_cast<std::size_t>(stream.sgetn(text.data(), std::streamsize{headBytes})));
        return text;
    } catch (const InputError&) {
        return {};  // reading it says why
    }
}

std::string RecordingFile::whole(std::size_t most) const {
    RecordingStream stream(*this);
    std::string text, part(chunkBytes, '\0');
    while (const std::streamsize count = stream.sgetn(part.data(), std::streamsize{chunkBytes})) {
        text.append(part, 0, static_cast<std::size_t>(count));
        if (text.size() > most)
            throw InputError(shown(), "", "the file is too large", formatBytes(double(most)) + " at most");
    }
    stream.checkEnd();
    return text;
}

}  // namespace stagecraft::formats
