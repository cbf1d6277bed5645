// Lessons without a window: which there are, whether one is right, and hand-outs.
#include "app/commands/command.h"
#include "app/commands/lesson_rehearsal.h"
#include "app/commands/pictures.h"
#include "app/commands/text_table.h"
#include "app/help/help_text.h"
#include "app/lessons/hand_out.h"
#include "app/lessons/lesson_library.h"
#include "core/base/spelling.h"
#include "core/formats/text_file.h"
#include "core/lessons/results.h"

namespace stagecraft::app::commands {

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

/// The table of a class; files that cannot be read are named and left out.
int runResults(const Arguments& arguments, std::ostream& out, std::ostream& err) {
    std::vector<std::filesystem::path> paths;
    for (const std::string& path : arguments.all("results")) paths.emplace_back(path);
    for (const std::string& path : arguments.positional()) paths.emplace_back(path);
    const ClassResults all = collectResults(paths);
    for (const InputError& fault : all.faults) err << "stagecraft: " << fault.what() << "\n";
    if (all.results.empty()) return exitBadInput;
    const TextCells table = classTable(all.results);
    if (const auto target = arguments.text("out")) {
        writeFileAtomically(*target, tableFormatNamed("csv")->write(table));
        return exitDone;
    }
    std::vector<std::string> headings;
    for (const TextCells::Column& column : table.columns) headings.push_back(column.heading);
    TextTable text(std::move(headings));
    for (const std::vector<std::string>& row : table.rows) text.add(row);
    text.print(out);
    return exitDone;
}

int runLesson(const Arguments& arguments, std::ostream& out, std::ostream& err) {
    if (arguments.has("results")) return runResults(arguments, out, err);
    if (arguments.has("out")) throw UsageError("--out needs --results");
    if (arguments.positional().empty()) {
        list(out);
        return exitDone;
    }
    arguments.refuseMoreThan(1);
    const std::string name = arguments.positionalAt(0, "a lesson");
    const auto refused = [&err](const std::vector<InputError>& faults) {
        for (const InputError& fault : faults) err << "stagecraft: " << fault.what() << '\n';
        return !faults.empty();
    };
    if (arguments.has("check") && refused(faultsOfNamed(name))) return exitBadInput;
    const Lesson lesson = lessonNamed(name);
    const bool answers = arguments.has("answers");
    if (const auto path = arguments.text("hand-out")) {
        ensureApplication();
        writeHandOut(lesson, answers, *path);
    } else if (arguments.has("check")) {
        ensureApplication();
        if (refused(rehearse(lesson, name))) return exitBadInput;
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
            {"", "LESSON [--answers] [--hand-out F.pdf]", "FILE.lesson.md --check",
             "--results FOLDER|FILE... [--out F.csv]"},
            "Lists the lessons, prints one, writes it as a hand-out, or collects the results of a class.",
            {{"answers", "", "with the answers to its questions, which the engine works out"},
             {"hand-out", "F.pdf", "write it as a PDF, with pictures and room for answers"},
             {"check", "",
              "take a lesson off screen and say whether each step can be shown and answered, else what is "
              "wrong in which line"},
             {"results", "FOLDER|FILE",
              "print what a class made of lessons, from the files that the window saves", true},
             {"out", "F.csv", "write that table as CSV"}},
            &runLesson};
}

}  // namespace stagecraft::app::commands
