#pragma once

#include "core/base/quantity.h"
#include "core/formats/files/project_file.h"
#include "core/lessons/lesson.h"
#include "core/runs/plan_run.h"

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
/// What a unit measures, if it is one of times or sizes.
std::optional<Quantity> quantityOf(const std::string& unit);
/// Whether `text`, a number or a fraction, perhaps with a unit, answers it. @throws std::invalid_argument if
/// it is no number
bool isRight(const Question& question, double answer, const std::string& text);
/// The number as the question's unit writes it: "33.0 ms".
std::string answerText(const Question& question, double answer);

/// How far an exercise has come.
struct Score {
    double credit = 0;  ///< 0: no better than the start; 1: the target is reached
    bool done = false;
    std::string sentence;  ///< where it is, and what is in the way
};

/// An answer to an exercise.
struct KnownAnswer {
    double value = 0;          ///< in the metric's unit
    std::string how;           ///< "ZB-V", "256 microbatches"; empty: nobody says
    std::optional<Plan> plan;  ///< under the exercise's own setup
};

/// What an exercise is judged by: where it starts, and the best known answer.
class Judge {
public:
    /// @throws std::invalid_argument if the exercise names a plan or a schedule that `project` does not have
    Judge(Exercise exercise, const Project& project);

    /// @param now the plan as it is, simulated and validated
    Score judge(const PlanRun& now) const;
    /// Of a plan that counts, in the metric's unit; a rule may have ordered what is asked for by hand.
    std::optional<double> valueOf(const PlanRun& run) const;
    bool isBetter(double value, double than) const;
    /// Takes it for the best known answer unless a better one is known.
    void learn(KnownAnswer answer);

    double startValue() const { return start_; }
    /// At first what the exercise says.
    const std::optional<KnownAnswer>& best() const { return best_; }
    std::string valueText(double value) const;
    const Exercise& exercise() const { return exercise_; }
    const Problem& problem() const { return problem_; }
    const Plan& startPlan() const { return startPlan_; }

private:
    /// Why the plan does not count, whoever ordered its passes; empty: it does.
    std::string objection(const PlanRun& now) const;

    Exercise exercise_;
    Problem problem_;
    Plan startPlan_;
    double start_ = 0;
    bool startSplitsSamples_ = false;
    std::optional<KnownAnswer> best_;
};

}  // namespace stagecraft::lessons
