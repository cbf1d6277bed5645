#pragma once

#include "core/formats/input_error.h"
#include "core/lessons/lesson.h"

#include <string_view>

namespace stagecraft::lessons {

/// Reads a lesson. @param file what messages call the text
/// @param faults takes what is wrong within blocks, each with its line, so that reading goes on; else the
/// first is thrown @throws InputError with file and line
Lesson readLesson(std::string_view text, const std::string& file, std::vector<InputError>* faults = nullptr);

/// The formats in which a block of a lesson is recognised: "show", "do", "ask", "exercise".
bool isLessonBlock(std::string_view language);

}  // namespace stagecraft::lessons
