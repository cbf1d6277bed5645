#pragma once

#include "core/model/plan.h"

#include <optional>
#include <string>
#include <string_view>

namespace stagecraft::formats {

/// The digits at the start of `text`, which are removed, as a stage or a microbatch: up to a million. Nothing
/// if there are none or they are more.
std::optional<int> takeCount(std::string_view& text);

/// The letter of a task: F; B, a whole backward; I and W, the two parts of one; R recomputes; E evicts
/// activations to another device, L loads them back; S and T are a share of the output layer's forward and
/// backward, N and G of the embedding's.
char passLetter(TaskKind kind);
std::optional<TaskKind> passOfLetter(char letter);
/// "F3", or with its stage "2:F3", or with its slice "F3.1".
std::string passText(const Task& task, bool withStage, bool withSlice);
/// The microbatch and, after a dot, the slice at the start of `text`, which are removed, are those of the
/// task. False, with nothing promised of either, if there is no microbatch or a dot without a slice.
bool takeMicrobatch(std::string_view& text, Task& task);
/// Of each block of an order: a pass, or a pair as "(2:F7&1:B3)"; with slices if `slices` are several.
std::vector<std::string> orderTexts(const std::vector<Task>& tasks, bool withStage, int slices);

}  // namespace stagecraft::formats
