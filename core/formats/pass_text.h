#pragma once

#include "core/model/plan.h"

#include <optional>
#include <string>
#include <string_view>

namespace stagecraft::formats {

/// The digits at the start of `text`, which are removed, as a stage or a microbatch: up to a million. Nothing
/// if there are none or they are more.
std::optional<int> takeCount(std::string_view& text);

/// The letter of a pass: F; B, a whole backward; I and W, the two parts of one; R recomputes.
char passLetter(TaskKind kind);
std::optional<TaskKind> passOfLetter(char letter);
/// "F3", or with its stage "2:F3".
std::string passText(const Task& task, bool withStage);
/// Of each block of an order: a pass, or a pair as "(2:F7&1:B3)".
std::vector<std::string> orderTexts(const std::vector<Task>& tasks, bool withStage);

}  // namespace stagecraft::formats
