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

char passLetter(TaskKind kind, bool split) {
    switch (kind) {
        case TaskKind::forward:
            return 'F';
        case TaskKind::weightGradient:
            return 'W';
        case TaskKind::recompute:
            return 'R';
        default:
            return split ? 'I' : 'B';
    }
}

std::string passText(const Task& task, bool withStage, bool split) {
    return (withStage ? std::to_string(task.stage) + ":" : std::string()) + passLetter(task.kind, split) +
           std::to_string(task.microbatch);
}

}  // namespace stagecraft::formats
