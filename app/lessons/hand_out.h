#pragma once

#include "app/rooms.h"
#include "core/lessons/lesson.h"

#include <QString>

#include <filesystem>

namespace stagecraft::app::lessons {

/// The lesson as one page of Markdown: its text with pictures, its questions with room for answers, or with
/// the answers. @throws std::invalid_argument if it does not go with its samples
QString handOutText(const Lesson& lesson, bool answers);
/// The same as a PDF, A4. Needs a QApplication. @throws InputError if the file cannot be written
void writeHandOut(const Lesson& lesson, bool answers, const std::filesystem::path& path);

}  // namespace stagecraft::app::lessons
