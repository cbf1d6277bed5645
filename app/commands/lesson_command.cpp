// Lessons without a window: which there are, whether one is right, and hand-outs.
#include "app/commands/command.h"
#include "app/commands/offscreen.h"
#include "app/help/help_text.h"
#include "app/lessons/hand_out.h"
#include "app/lessons/lesson_library.h"
#include "core/base/spelling.h"

namespace stagecraft::app {

namespace {

void list(std::ostream& out) {
    for (const ShippedLesson& shipped : shippedLessons())
        out << shipped.id.toStdString() << ": " << shipped.lesson.title << " (" << shipped.lesson.minutes
            << " minutes)\n    " << shipped.lesson.about << "\n";
}

bool isFile(const std::string& name) { return name.find_first_of("./") != std::string::npos; }

std::vector<InputError> faultsOfNamed(const std::string& name) {
    if (const ShippedLesson* shipped = findLesson(QString::fromStdString(name)))
        return faultsOf(shipped->lesson, name);
    return isFile(name) ? lessonFaults(name) : std::vector<InputError>{};
}

/// One that comes with the program, by its id, else a file.
Lesson lessonNamed(const std::string& name) {
    if (const ShippedLesson* shipped = findLesson(QString::fromStdString(name))) {
        return shipped->lesson;
    }
    if (isFile(name)) return openLesson(name);
    std::vector<std::string> ids;
    for (const ShippedLesson& shipped : shippedLessons()) ids.push_back(shipped.id.toStdString());
    throw UsageError("no lesson '" + name + "'" + spellingHint(name, ids) + "; expected " + joinNames(ids) +
                     ", or a file");
}

int runLesson(const Arguments& arguments, std::ostream& out, std::ostream& err) {
    if (arguments.positional().empty()) {
        list(out);
        return exitDone;
    }
    arguments.refuseMoreThan(1);
    const std::string name = arguments.positionalAt(0, "a lesson");
    if (arguments.has("check"))
        if (const std::vector<InputError> faults = faultsOfNamed(name); !faults.empty()) {
            for (const InputError& fault : faults) err << "stagecraft: " << fault.what() << '\n';
            return exitBadInput;
        }
    const Lesson lesson = lessonNamed(name);
    const bool answers = arguments.has("answers");
    if (const auto path = arguments.text("hand-out")) {
        ensureApplication();
        writeHandOut(lesson, answers, *path);
    } else if (arguments.has("check")) {
        out << lesson.title << ": " << lesson.steps.size() << " steps, nothing wrong\n";
    } else {
        constexpr int columns = 80;
        const HelpPage page{QStringLiteral("lesson"), handOutText(lesson, answers), {}};
        out << helpAsText(page, {}, columns).toStdString();
    }
    return exitDone;
}

}  // namespace

Command lessonCommand() {
    return {"lesson",
            {"", "LESSON [--answers] [--hand-out F.pdf]", "FILE.lesson.md --check"},
            "Lists the lessons, prints one, or writes it as a hand-out.",
            {{"answers", "", "with the answers to its questions, which the engine works out"},
             {"hand-out", "F.pdf", "write it as a PDF, with pictures and room for answers"},
             {"check", "", "say whether a lesson can be taken, else what is wrong in which line"}},
            &runLesson};
}

}  // namespace stagecraft::app
