#include "core/formats/text_encoding.h"

#include <algorithm>

namespace stagecraft::formats {

namespace {

enum class Encoding { utf8, utf16Little, utf16Big };

constexpr std::string_view utf8Mark = "\xef\xbb\xbf", littleMark = "\xff\xfe", bigMark = "\xfe\xff";

/// Whether every second byte of the beginning is 0 and the others are printed letters or blanks.
bool isHalfZero(std::string_view text, std::size_t letterAt) {
    constexpr std::size_t enough = 64, least = 8;
    if (text.size() < least || text.size() % 2 != 0) return false;
    for (std::size_t at = 0; at + 1 < std::min(text.size(), enough); at += 2) {
        const auto letter = static_cast<unsigned char>(text[at + letterAt]);
        const bool isPlain = (letter >= 0x20 && letter < 0x7f) || letter == '\t' || letter == '\n' ||
                             letter == '\r' || letter == 0x1b;
        if (text[at + 1 - letterAt] != 0 || !isPlain) return false;
    }
    return true;
}

Encoding encodingOf(std::string_view text) {
    if (text.starts_with(littleMark) || isHalfZero(text, 0)) return Encoding::utf16Little;
    if (text.starts_with(bigMark) || isHalfZero(text, 1)) return Encoding::utf16Big;
    return Encoding::utf8;
}

void append(std::string& text, unsigned code) {
    const auto byte = [&](unsigned bits) { text += static_cast<char>(bits); };
    if (code < 0x80) {
        byte(code);
    } else if (code < 0x800) {
        byte(0xc0 | code >> 6);
        byte(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        byte(0xe0 | code >> 12);
        byte(0x80 | (code >> 6 & 0x3f));
        byte(0x80 | (code & 0x3f));
    } else {
        byte(0xf0 | code >> 18);
        byte(0x80 | (code >> 12 & 0x3f));
        byte(0x80 | (code >> 6 & 0x3f));
        byte(0x80 | (code & 0x3f));
    }
}

std::string fromUtf16(std::string_view text, bool isBig) {
    constexpr unsigned mark = 0xfeff, replacement = 0xfffd;
    const auto unitAt = [&](std::size_t at) {
        const auto first = static_cast<unsigned char>(text[at]),
                   second = static_cast<unsigned char>(text[at + 1]);
        return isBig ? unsigned{first} << 8 | second : unsigned{second} << 8 | first;
    };
    const auto isIn = [](unsigned unit, unsigned from) { return unit >= from && unit < from + 0x400; };
    std::string plain;
    plain.reserve(text.size() / 2);
    for (std::size_t at = 0; at + 1 < text.size(); at += 2) {
        const unsigned unit = unitAt(at);
        if (at == 0 && unit == mark) continue;
        const unsigned next = at + 3 < text.size() ? unitAt(at + 2) : 0;
        if (isIn(unit, 0xd800) && isIn(next, 0xdc00)) {
            append(plain, 0x10000 + ((unit - 0xd800) << 10) + (next - 0xdc00));
            at += 2;
        } else {
            append(plain, isIn(unit, 0xd800) || isIn(unit, 0xdc00) ? replacement : unit);
        }
    }
    return plain;
}

}  // namespace

std::string plainText(std::string text) {
    if (const Encoding encoding = encodingOf(text); encoding != Encoding::utf8)
        text = fromUtf16(text, encoding == Encoding::utf16Big);
    if (text.starts_with(utf8Mark)) text.erase(0, utf8Mark.size());
    const bool isBinary = text.find('\0') != std::string::npos;
    if (!isBinary && text.find('\n') == std::string::npos) std::replace(text.begin(), text.end(), '\r', '\n');
    return text;
}

}  // namespace stagecraft::formats
