#include "core/formats/pass_text.h"

#include "core/base/text_parts.h"

#include <algorithm>

namespace stagecraft::formats {

std::optional<int> takeCount(std::string_view& text) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
    const std::optional<int> count = wholeInteger(text.substr(0, end));
    text.remove_prefix(end);
    return count && *count <= 1'000'000 ? count : std::nullopt;
}

char passLetter(TaskKind kind) { return passKind(kind).letter; }

std::optional<TaskKind> passOfLetter(char letter) {
    const auto found = std::find_if(passKinds.begin(), passKinds.end(),
                                    [&](const PassKind& row) { return row.task && row.letter == letter; });
    return found == passKinds.end() ? std::nullopt : found->task;
}

std::string passText(const Task& task, bool withStage, bool withSlice) {
    return (withStage ? std::to_string(task.stage) + ":" : std::string()) + passLetter(task.kind) +
           std::to_string(task.microbatch) + (withSlice ? "." + std::to_string(task.slice) : std::string());
}

bool takeMicrobatch(std::string_view& text, Task& task) {
    const std::optional<int> microbatch = takeCount(text);
    if (!microbatch) return false;
    task.microbatch = *microbatch;
    if (!text.starts_with('.')) return true;
    text.remove_prefix(1);
    const std::optional<int> slice = takeCount(text);
    task.slice = slice.value_or(0);
    return slice && *slice < mostSlices;
}

std::vector<std::string> orderTexts(const std::vector<Task>& tasks, bool withStage, int slices) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        std::string text = passText(tasks[i], withStage, slices > 1);
        if (i + 1 < tasks.size() && tasks[i + 1].paired)
            text = "(" + text + "&" + passText(tasks[++i], withStage, slices > 1) + ")";
        texts.push_back(std::move(text));
    }
    return texts;
}

}  // namespace stagecraft::formats
