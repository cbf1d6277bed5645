#include "app/commands/lesson_rehearsal.h"

#include "app/commands/pictures.h"
#include "app/lessons/lesson_library.h"
#include "app/lessons/lesson_player.h"
#include "app/shell/lesson_actions.h"
#include "app/shell/main_window.h"
#include "app/shell/workbench.h"

#include <QUndoStack>

namespace stagecraft::app::commands {

namespace {

constexpr QSize rehearsalSize(1600, 1000);  // charts have room for what a step asks for
constexpr int firstPatienceMs = 30'000, secondPatienceMs = 1'000;

InputError faultOf(const Unshown& missing, const LessonStep& step, const std::string& file) {
    const auto line = step.show.lines.find(missing.field);
    return InputError(file,
                      "line " + std::to_string(line == step.show.lines.end() ? step.line : line->second),
                      "the window does not show '" + missing.field + ": …' of the step '" + step.title +
                          "': " + missing.why,
                      {});
}

}  // namespace

std::vector<InputError> rehearse(const Lesson& lesson, const std::string& file) {
    MainWindow window;
    window.setAttribute(Qt::WA_DontShowOnScreen);
    window.resize(rehearsalSize);
    window.show();
    std::vector<InputError> faults = actionFaults(lesson, file, [&](const std::string& id) {
        return window.actionRegister().action(QString::fromStdString(id)) != nullptr;
    });
    LessonPlayer& player = window.lessons().player();
    if (!player.start(lesson, {})) {
        faults.emplace_back(file, "line " + std::to_string(lesson.sampleLine),
                            "the window does not open the lesson's project", std::string());
        return faults;
    }
    int patienceMs = firstPatienceMs;
    for (int step = 0; step < static_cast<int>(lesson.steps.size()); ++step) {
        if (step > 0) player.goTo(step);
        const auto isIdle = [&window] { return !window.planning().isBusy(); };
        const bool settled =
            waitUntil(isIdle) && waitUntil([&] { return isIdle() && player.hasSettled(); }, patienceMs);
        // What a lesson once waited for in vain it seldom gets later.
        if (!settled) patienceMs = secondPatienceMs;
        if (!settled)
            faults.emplace_back(file,
                                "line " + std::to_string(lesson.steps[static_cast<std::size_t>(step)].line),
                                "the window does not come to rest in this step", std::string());
        for (const Unshown& missing : player.unshown())
            faults.push_back(faultOf(missing, lesson.steps[static_cast<std::size_t>(step)], file));
    }
    player.stop();
    window.workspace().undoStack()->setClean();
    return faults;
}

}  // namespace stagecraft::app::commands
