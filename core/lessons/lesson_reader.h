#pragma once

#include "core/lessons/lesson.h"

#include <string_view>

namespace stagecraft::lessons {

/// Reads a lesson. @param file what messages call the text @throws InputError with file and line
Lesson readLesson(std::string_view text, const std::string& file);

/// The formats in which a block of a lesson is recognised: "show", "do", "ask", "exercise".
bool isLessonBlock(std::string_view language);

}  // namespace stagecraft::lessons
