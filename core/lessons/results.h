#pragma once

#include "core/base/table_formats.h"
#include "core/formats/input_error.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::lessons {

/// How a task of a lesson was done.
struct TaskResult {
    std::string title;  ///< of its step
    std::string kind;   ///< "deed", "question" or "exercise"
    bool done = false;
    double credit = 0;                              ///< from 0 to 1
    int tries = 0;                                  ///< of a question
    int hints = 0;                                  ///< taken
    bool shown = false;                             ///< the answer was
    bool counts() const { return kind != "deed"; }  ///< towards the score
    bool operator==(const TaskResult&) const = default;
};

/// What one person made of a lesson, as a file has it.
struct LessonResults {
    std::string name;    ///< whose
    std::string lesson;  ///< its title
    std::vector<TaskResult> tasks;
    double score() const;  ///< mean credit of all tasks that count, from 0 to 1; 1 where there are none
    bool operator==(const LessonResults&) const = default;
};

/// What the names of such files end with.
inline constexpr std::string_view resultsSuffix = ".lesson-results.json";

/// {"format": "stagecraft/lesson-results", "version": 1, "name", "lesson", "tasks": [{"title", "kind", "done",
/// "credit", "tries", "hints", "shown"}]}
std::string writeResults(const LessonResults& results);
/// @throws InputError with the file and the JSON pointer
LessonResults readResults(std::string_view text, const std::string& file);

/// Results of many, by lesson and name, and why files are left out.
struct ClassResults {
    std::vector<LessonResults> results;
    std::vector<InputError> faults;
};
/// Of files, and of all files in folders whose names end as resultsSuffix. What cannot be read, and a folder
/// without such a file, is a fault.
ClassResults collectResults(const std::vector<std::filesystem::path>& paths);

/// A row for each of `results`: name, lesson, score, tasks done, tries at questions, hints, answers shown,
/// then the credit of each task in percent, "–" where it was not done. Tasks are headed by their titles where
/// all are of one lesson, else by their numbers.
TextCells classTable(const std::vector<LessonResults>& results);

}  // namespace stagecraft::lessons
