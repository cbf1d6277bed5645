#pragma once

#include "core/formats/files/project_file.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace stagecraft::lessons {

/// What a step sets in the window before a person reads it. What is not there stays as it is.
struct WindowSetting {
    std::optional<std::string> sample;  ///< opened anew, by id
    // Of the sample: changed before it is opened.
    std::vector<std::string> keep;  ///< its plans of these titles alone; empty: all
    std::optional<int> microbatches;
    std::optional<double> memoryLimitBytes;
    std::string channel;              ///< as files name it
    std::string tab;                  ///< "cluster", "profile", "compare", "charts", "training", "pareto"
    std::string plan;                 ///< its tab, by title
    std::vector<std::string> charts;  ///< plans one above the other
    std::optional<std::pair<double, double>> timeS;  ///< what the chart shows
    std::string block;                               ///< a search; the first block found is selected
    std::optional<double> playheadS;
    std::string colour;                ///< "kind", "microbatch", "chunk", …
    bool links = false;                ///< below the chart, instead of memory
    std::map<std::string, int> lines;  ///< of the fields that are there, but for changes of the sample
    bool operator==(const WindowSetting&) const = default;
};

/// What a person is to do before the lesson goes on. All that is named has to hold.
struct Deed {
    std::string text;                 ///< what to do, in words
    std::string action;               ///< done, by the id of an action of the window
    std::string block;                ///< one that this search finds is selected
    std::string plan;                 ///< the plan in view, by title
    std::string tab;                  ///< in view, as in WindowSetting
    std::string schedule;             ///< of the plan in view: a family's id
    std::string planner;              ///< a plan of this planner is in view
    std::optional<int> microbatches;  ///< of the setup
    std::string channel;              ///< of the setup, as files name it
    std::vector<std::string> hints;
    int line = 0;
    bool operator==(const Deed&) const = default;
};

/// A number that the engine works out: a metric of a plan of the lesson's sample, under changes.
struct Measured {
    std::string metric;               ///< an id of the metric catalogue
    std::string plan;                 ///< by title
    std::string schedule;             ///< a family instead of the plan's own
    std::optional<int> microbatches;  ///< instead of the setup's
    std::string channel;              ///< likewise
    bool operator==(const Measured&) const = default;
};

struct Choice {
    std::string text;
    bool right = false;
    std::string why;  ///< said when it is chosen though it is wrong
    bool operator==(const Choice&) const = default;
};

/// A question with choices, or for a number.
struct Question {
    std::string text;
    std::vector<Choice> choices;  ///< empty: a number
    std::variant<double, Measured> number = 0.0;
    std::string unit;         ///< of a number that is written out: "ms", "%" or nothing
    double tolerance = 0.01;  ///< of a number, as a share of it
    std::string because;      ///< shown once it is answered
    std::vector<std::string> hints;
    int line = 0;
    bool operator==(const Question&) const = default;
};

/// Something to reach in the window, judged by simulating.
struct Exercise {
    std::string text;
    std::string plan;            ///< where it starts, by title
    std::string metric;          ///< an id of the metric catalogue
    double target = 0;           ///< in the metric's unit
    std::optional<double> best;  ///< the best known; else that of these, else the target
    std::string bestPlan, bestSchedule;
    std::optional<double> longestS;  ///< the iteration may take no longer
    bool mustFit = false;            ///< into the memory of every device
    bool byHand = false;             ///< no rule may order the passes
    std::string may;                 ///< what else may be changed: "", "setup", "problem"
    std::vector<std::string> hints;
    int line = 0;
    bool operator==(const Exercise&) const = default;
};

using LessonTask = std::variant<std::monostate, Deed, Question, Exercise>;

struct LessonStep {
    std::string title;
    std::string text;  ///< Markdown as help pages have it, with what comes before the task
    WindowSetting show;
    LessonTask task;
    int line = 0;  ///< of its heading
    bool operator==(const LessonStep&) const = default;
};

/// A lesson, as a file has it (resources/help/LESSONS.md).
struct Lesson {
    std::string title;
    std::string about;  ///< one sentence
    int minutes = 0;
    std::string
        sample;  ///< the project that it begins with, by id or by the name of a file beside the lesson
    int sampleLine = 0;
    /// Those of files beside the lesson, by the names that it uses.
    std::map<std::string, std::shared_ptr<const Project>> projects;
    std::vector<LessonStep> steps;
    bool operator==(const Lesson&) const = default;
};

/// The setting with which the project of a step is opened: that of the last step up to it that names a
/// sample, or of the lesson's head.
WindowSetting openingOf(const Lesson& lesson, int step);
/// The hints of a task, in the order in which they are given.
const std::vector<std::string>& hintsOf(const LessonTask& task);

}  // namespace stagecraft::lessons
