#pragma once

#include "core/base/rooms.h"

#include <stdexcept>
#include <string>

namespace stagecraft::formats {

/// Bad input: `FILE: /json/pointer: what is wrong; what was expected` (or `FILE:LINE: …` for text formats).
class InputError : public std::runtime_error {
public:
    InputError(std::string file, std::string place, std::string problem, std::string expected);
    const std::string& file() const { return file_; }
    const std::string& place() const { return place_; }  ///< JSON pointer or "line N"; may be empty
    const std::string& problem() const { return problem_; }
    const std::string& expected() const { return expected_; }

private:
    std::string file_, place_, problem_, expected_;
};

}  // namespace stagecraft::formats
