#include "core/formats/traces/apng_writer.h"

#include <zlib.h>

#include <stdexcept>

namespace stagecraft::formats {

namespace {

constexpr std::string_view signature("\x89PNG\r\n\x1a\n", 8);
constexpr std::size_t headerBytes = 13;  // of IHDR: width, height, then what must be the same in all
constexpr std::size_t sizeBytes = 8;

std::string bigEndian(std::uint32_t value, int bytes) {
    std::string text;
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
        text += static_cast<char>(value >> shift & 0xFF);
    return text;
}

std::uint32_t numberAt(std::string_view data, std::size_t at) {
    if (at + 4 > data.size()) throw std::invalid_argument("a PNG picture that ends early");
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(data[at + i]);
    return value;
}

std::string chunk(std::string_view name, std::string_view data) {
    std::string checked(name);
    checked += data;
    const uLong crc =
        crc32(0, reinterpret_cast<const Bytef*>(checked.data()), static_cast<uInt>(checked.size()));
    return bigEndian(static_cast<std::uint32_t>(data.size()), 4) + checked +
           bigEndian(static_cast<std::uint32_t>(crc), 4);
}

/// What is needed of one picture.
struct Picture {
    std::string_view header;
    std::string palette;  ///< PLTE and tRNS, whole
    std::string data;     ///< of all its IDAT chunks

    explicit Picture(std::string_view png) {
        if (png.substr(0, signature.size()) != signature) throw std::invalid_argument("not a PNG picture");
        for (std::size_t at = signature.size(); at < png.size();) {
            const std::size_t length = numberAt(png, at);
            if (at + 12 + length > png.size()) throw std::invalid_argument("a PNG picture that ends early");
            const std::string_view name = png.substr(at + 4, 4), content = png.substr(at + 8, length);
            if (name == "IHDR") header = content;
            if (name == "PLTE" || name == "tRNS") palette += png.substr(at, length + 12);
            if (name == "IDAT") data += content;
            at += 12 + length;
        }
        if (header.size() != headerBytes || data.empty())
            throw std::invalid_argument("a PNG picture without a header or without pixels");
    }
    std::uint32_t width() const { return numberAt(header, 0); }
    std::uint32_t height() const { return numberAt(header, 4); }
};

}  // namespace

void ApngWriter::add(std::string_view png, std::uint32_t x, std::uint32_t y, std::uint16_t delayNumerator,
                     std::uint16_t delayDenominator, bool over) {
    const Picture picture(png);
    if (frames_ == 0) {
        if (x != 0 || y != 0) throw std::invalid_argument("the first picture does not cover the whole");
        header_ = std::string(picture.header);
        palette_ = picture.palette;
    }
    if (picture.header.substr(sizeBytes) != std::string_view(header_).substr(sizeBytes))
        throw std::invalid_argument("pictures of different depths or colour types");
    if (picture.palette != palette_) throw std::invalid_argument("pictures of different palettes");
    if (std::uint64_t{x} + picture.width() > numberAt(header_, 0) ||
        std::uint64_t{y} + picture.height() > numberAt(header_, 4))
        throw std::invalid_argument("a picture that reaches beyond the first");
    // Left as it is when the next one comes.
    const std::string dispose(1, '\0'), blend(1, over ? '\1' : '\0');
    body_ +=
        chunk("fcTL", bigEndian(sequence_++, 4) + bigEndian(picture.width(), 4) +
                          bigEndian(picture.height(), 4) + bigEndian(x, 4) + bigEndian(y, 4) +
                          bigEndian(delayNumerator, 2) + bigEndian(delayDenominator, 2) + dispose + blend);
    body_ +=
        frames_ == 0 ? chunk("IDAT", picture.data) : chunk("fdAT", bigEndian(sequence_++, 4) + picture.data);
    ++frames_;
}

std::string ApngWriter::finish(std::uint32_t plays) const {
    return std::string(signature) + chunk("IHDR", header_) +
           chunk("acTL", bigEndian(frames_, 4) + bigEndian(plays, 4)) + palette_ + body_ + chunk("IEND", {});
}

}  // namespace stagecraft::formats
