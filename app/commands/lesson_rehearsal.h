#pragma once

#include "app/rooms.h"
#include "core/formats/input_error.h"
#include "core/lessons/lesson.h"

#include <string>
#include <vector>

namespace stagecraft::app::commands {

/// Takes a lesson that is right as it is written through the window, off screen, and says at which steps the
/// window does not show what the step says: another tab, no block, no such colours. Needs an application
/// (ensureApplication()). @param file named by the faults
std::vector<InputError> rehearse(const Lesson& lesson, const std::string& file);

}  // namespace stagecraft::app::commands
