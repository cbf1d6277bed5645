#pragma once

#include "core/lessons/lesson.h"
#include "core/formats/files/project_file.h"
#include "core/planners/plan_run.h"

namespace stagecraft::lessons {

/// The sample as a step's setting has it opened. @throws std::invalid_argument if it names a plan that is not
/// there
Project projectFor(const Project& sample, const WindowSetting& setting);
/// The plan of a project with that title, simulated; what `measured` changes is changed before.
/// @throws std::invalid_argument if there is no such plan, or it cannot run so
PlanRun runOf(const Project& project, const Measured& measured);
/// What the engine answers, in the metric's unit. @throws std::invalid_argument
double measure(const Project& project, const Measured& measured);
/// The right answer to a question for a number, in the unit in which it is asked. @throws
/// std::invalid_argument
double answerTo(const Question& question, const Project& project);
/// Whether `text`, a number perhaps with its unit, answers it. @throws std::invalid_argument if it is no
/// number
bool isRight(const Question& question, double answer, const std::string& text);
/// The number as the question's unit writes it: "33.0 ms".
std::string answerText(const Question& question, double answer);

/// How far an exercise has come.
struct Score {
    double credit = 0;  ///< 0: no better than the start; 1: the target is reached
    bool done = false;
    std::string sentence;  ///< where it is, and what is in the way
};

/// What an exercise is judged by: where it starts, and the best known answer.
class Judge {
public:
    /// @throws std::invalid_argument if the exercise names a plan or a schedule that `project` does not have
    Judge(Exercise exercise, const Project& project);

    /// @param now the plan as it is, simulated and validated
    Score judge(const PlanRun& now) const;
    double startValue() const { return start_; }
    /// In the metric's unit.
    double bestValue() const { return best_; }
    std::string valueText(double value) const;
    const Exercise& exercise() const { return exercise_; }
    /// The best known answer; nothing where the exercise names none.
    const std::optional<Plan>& bestPlan() const { return bestPlan_; }

private:
    /// Why the plan does not count; empty: it does.
    std::string objection(const PlanRun& now) const;

    Exercise exercise_;
    Problem problem_;
    double start_ = 0, best_ = 0;
    std::optional<Plan> bestPlan_;
};

}  // namespace stagecraft::lessons
