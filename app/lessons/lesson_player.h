#pragma once

#include "app/lessons/lesson_stage.h"
#include "core/lessons/judge.h"
#include "core/lessons/results.h"
#include "views/common/job.h"

#include <QString>

#include <optional>
#include <vector>

namespace stagecraft::app::lessons {

/// A lesson while it is taken: which step is shown, what was answered, and how good that was.
class LessonPlayer : public QObject {
    Q_OBJECT

public:
    explicit LessonPlayer(LessonStage& stage, QObject* parent = nullptr);

    /// @param id under which progress is kept; empty: nowhere
    /// @return false if a person keeps the project that is open
    bool start(Lesson lesson, const QString& id, int step = 0);
    void stop();
    bool isRunning() const { return lesson_.has_value(); }
    /// The lesson must be running for all of these.
    const Lesson& lesson() const { return *lesson_; }
    const QString& id() const { return id_; }
    int step() const { return step_; }
    const LessonStep& current() const { return lesson_->steps[static_cast<std::size_t>(step_)]; }
    bool isLast() const { return step_ + 1 == static_cast<int>(lesson_->steps.size()); }
    /// Goes to the step and sets the window for it.
    void goTo(int step);
    /// Sets the window for this step again; an exercise starts anew.
    void resetWindow();

    /// How the task of a step stands.
    struct Result {
        bool done = false;
        double credit = 0;  ///< from 0 to 1
        int tries = 0;
        int hints = 0;          ///< shown
        bool revealed = false;  ///< credit stays what it was by then
        QString feedback;
    };
    const Result& result() const { return results_[static_cast<std::size_t>(step_)]; }
    /// What the step says that it shows and the window, which has settled, does not.
    std::vector<Unshown> unshown() const { return stage_.unshown(current().show); }
    bool hasSettled() const { return stage_.isSettled(); }
    /// Whether a step needs nothing more.
    bool isDone(int step) const;
    /// Mean credit of all tasks that count, from 0 to 1.
    double credit() const;
    /// How all tasks stand, for a file. @param name whose
    LessonResults results(const QString& name) const;

    /// Whether better answers to the exercise that is shown are being looked for.
    bool isSearching() const { return search_.isRunning(); }

    void choose(int choice);
    void enter(const QString& number);
    void giveHint();
    /// What is right, for someone who has tried twice.
    bool mayReveal() const;
    void reveal();

signals:
    void started();
    void stopped();
    void stepShown();
    void resultChanged();

private:
    Result& resultHere() { return results_[static_cast<std::size_t>(step_)]; }
    void onChanged();
    void onAction(const QString& id);
    void nameSelectedBlock();
    void searchForBest();
    void judgeAgain();
    /// @param why what is wrong with the answer; empty: that it is
    void settle(bool right, const QString& because, const QString& why);
    void finish(double credit, const QString& feedback);
    bool openProject();
    void keepProgress() const;
    /// What was done of the lesson before, where it is gone on with.
    void recallResults();

    LessonStage& stage_;
    std::optional<Lesson> lesson_;
    QString id_;
    int step_ = 0;
    std::vector<Result> results_;
    Project project_;             ///< as this step's project was opened
    std::optional<Judge> judge_;  ///< of the exercise that is shown
    Job search_;                  ///< for the best answer to it
    bool actionDone_ = false;
    const PlanRun* judged_ = nullptr;
    QString selected_;        ///< the block that was named last
    bool showsBest_ = false;  ///< as asked for, until a person starts again
    bool setting_ = false;    ///< the step sets the window, which is no deed of a person
};

/// How far a person came in a lesson, kept between sessions.
struct LessonProgress {
    int step = 0;
    int steps = 0;
    double credit = 0;
    QString results;  ///< as a file of results has them, without a name

    static LessonProgress load(const QString& id);
    void save(const QString& id) const;
};

}  // namespace stagecraft::app::lessons
