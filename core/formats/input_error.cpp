#include "core/formats/input_error.h"

namespace stagecraft::formats {

namespace {

/// What a complaint quotes may be as long as the file.
constexpr std::size_t mostLetters = 900;

/// Start and end of a long text; never in the middle of a UTF-8 sequence.
std::string fitting(std::string text) {
    if (text.size() <= mostLetters) return text;
    const auto continues = [&](std::size_t at) {
        return (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
    };
    std::size_t head = mostLetters * 2 / 3, tail = text.size() - mostLetters / 3;
    while (head > 0 && continues(head)) --head;
    while (tail < text.size() && continues(tail)) ++tail;
    return text.substr(0, head) + " … " + text.substr(tail);
}

std::string sentence(const std::string& file, const std::string& place, const std::string& problem,
                     const std::string& expected) {
    std::string text;
    for (const std::string& part : {file, place})
        if (!part.empty()) text += part + ": ";
    text += problem;
    if (!expected.empty()) text += "; expected " + expected;
    return text;
}

}  // namespace

InputError::InputError(std::string file, std::string place, std::string problem, std::string expected)
    : std::runtime_error(sentence(file, fitting(place), fitting(problem), fitting(expected))),
      file_(std::move(file)),
      place_(std::move(place)),
      problem_(fitting(std::move(problem))),
      expected_(fitting(std::move(expected))) {}

}  // namespace stagecraft::formats
