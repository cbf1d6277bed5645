#pragma once

#include "core/model/plan.h"

#include <optional>
#include <string>
#include <string_view>

namespace stagecraft::formats {

/// The digits at the start of `text`, which are removed, as a stage or a microbatch: up to a million. Nothing
/// if there are none or they are more.
std::optional<int> takeCount(std::string_view& text);

/// The letter of a pass: F, B or, where backwards are split, I and W; R recomputes.
char passLetter(TaskKind kind, bool split);
/// "F3", or with its stage "2:F3".
std::string passText(const Task& task, bool withStage, bool split);

}  // namespace stagecraft::formats
