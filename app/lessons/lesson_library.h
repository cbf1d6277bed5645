#pragma once

#include "app/rooms.h"
#include "core/formats/input_error.h"
#include "core/lessons/lesson.h"

#include <QString>

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

namespace stagecraft::app::lessons {

/// A lesson that comes with the program.
struct ShippedLesson {
    QString id;  ///< its file's name without number and suffix
    Lesson lesson;
};

/// In the order of their files' names. Read once.
const std::vector<ShippedLesson>& shippedLessons();
/// nullptr if there is none of that id.
const ShippedLesson* findLesson(const QString& id);

/// A file that a person keeps among lessons.
struct OwnLesson {
    QString path;
    std::optional<Lesson> lesson;  ///< as it is written, not held to its samples
    QString fault;                 ///< why it cannot be read; empty if it can
};
/// Those in a folder, by the names of their files; empty where there is no such folder.
std::vector<OwnLesson> lessonsIn(const QString& folder);

/// Reads and checks a lesson, with the projects beside it that it names. @throws InputError, the first of
/// lessonFaults()
Lesson openLesson(const std::filesystem::path& path);
/// All that keeps the lesson from being taken, each with its line. @throws InputError where no lesson can be
/// made out
std::vector<InputError> lessonFaults(const std::filesystem::path& path);

/// A project that a lesson names, which has been checked.
const Project& lessonProject(const Lesson& lesson, const std::string& sample);

/// Holds a lesson to its samples: plans and blocks are there, questions have answers, exercises have a start
/// that is not the target. @return what is wrong, with file and line
std::vector<InputError> faultsOf(const Lesson& lesson, const std::string& file);
/// The lines of actions that `isAction` does not know.
std::vector<InputError> actionFaults(const Lesson& lesson, const std::string& file,
                                     const std::function<bool(const std::string&)>& isAction);

}  // namespace stagecraft::app::lessons
