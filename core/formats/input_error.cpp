#include "core/formats/input_error.h"

namespace stagecraft {

namespace {

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
    : std::runtime_error(sentence(file, place, problem, expected)),
      file_(std::move(file)),
      place_(std::move(place)),
      problem_(std::move(problem)),
      expected_(std::move(expected)) {}

}  // namespace stagecraft
