#pragma once

#include "core/lessons/lesson.h"

#include <QString>

#include <filesystem>
#include <functional>
#include <vector>

namespace stagecraft::app {

/// A lesson that comes with the program.
struct ShippedLesson {
    QString id;  ///< its file's name without number and suffix
    Lesson lesson;
};

/// In the order of their files' names. Read once.
const std::vector<ShippedLesson>& shippedLessons();
/// nullptr if there is none of that id.
const ShippedLesson* findLesson(const QString& id);

/// Reads and checks a lesson. @throws InputError
Lesson openLesson(const std::filesystem::path& path);

/// Holds a lesson to its samples: plans are there, questions have answers, exercises have a start that is not
/// the target. @throws InputError with file and line
void checkLesson(const Lesson& lesson, const std::string& file);
/// The lines of actions that `isAction` does not know. @throws InputError for the first
void checkActions(const Lesson& lesson, const std::string& file,
                  const std::function<bool(const std::string&)>& isAction);

}  // namespace stagecraft::app
