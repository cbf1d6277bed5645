#pragma once

#include "core/base/rooms.h"

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace stagecraft::formats {

/// Takes the next bytes of what is written.
using WriteBytes = std::function<void(std::string_view)>;

/// As writeFileAtomically, for files that are too large to hold in memory: `produce` hands over the bytes
/// part by part. @throws InputError, and what `produce` throws; the old file stays then
void writeFileInParts(const std::filesystem::path& path,
                      const std::function<void(const WriteBytes&)>& produce);

/// Gathers small pieces, so that each one passed on is large.
class PartBuffer {
public:
    explicit PartBuffer(const WriteBytes& write) : write_(write) {}
    std::string& text() { return text_; }
    void flushIfLarge() {
        constexpr std::size_t large = std::size_t{1} << 16;
        if (text_.size() >= large) flush();
    }
    void flush() {
        if (!text_.empty()) write_(text_);
        text_.clear();
    }

private:
    const WriteBytes& write_;
    std::string text_;
};

}  // namespace stagecraft::formats
