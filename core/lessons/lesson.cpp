#include "core/lessons/lesson.h"

namespace stagecraft::lessons {

WindowSetting openingOf(const Lesson& lesson, int step) {
    WindowSetting opening;
    opening.sample = lesson.sample;
    for (int i = 0; i <= step; ++i)
        if (const WindowSetting& show = lesson.steps[static_cast<std::size_t>(i)].show; show.sample)
            opening = show;
    return opening;
}

const std::vector<std::string>& hintsOf(const LessonTask& task) {
    static const std::vector<std::string> none;
    return std::visit(
        [](const auto& each) -> const std::vector<std::string>& {
            if constexpr (requires { each.hints; })
                return each.hints;
            else
                return none;
        },
        task);
}

}  // namespace stagecraft::lessons
