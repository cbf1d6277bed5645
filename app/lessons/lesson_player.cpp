#include "app/lessons/lesson_player.h"

#include "app/lessons/lesson_library.h"
#include "core/lessons/best_known.h"

#include <QSettings>

#include <algorithm>

namespace stagecraft::app::lessons {

namespace {

constexpr double shownCredit = 0.5;  ///< of an answer that took a hint or a second try

QString text(const std::string& words) { return QString::fromStdString(words); }

/// As files of results call it; empty: a step without a task.
std::string kindOf(const LessonTask& task) {
    if (std::holds_alternative<Deed>(task)) return "deed";
    if (std::holds_alternative<Question>(task)) return "question";
    return std::holds_alternative<Exercise>(task) ? "exercise" : "";
}

}  // namespace

LessonPlayer::LessonPlayer(LessonStage& stage, QObject* parent) : QObject(parent), stage_(stage) {
    connect(&stage_, &LessonStage::changed, this, &LessonPlayer::onChanged);
    connect(&stage_, &LessonStage::actionDone, this, &LessonPlayer::onAction);
}

bool LessonPlayer::start(Lesson lesson, const QString& id, int step) {
    lesson_ = std::move(lesson);
    id_ = id;
    results_.assign(lesson_->steps.size(), {});
    step_ = std::clamp(step, 0, static_cast<int>(lesson_->steps.size()) - 1);
    if (!openProject()) {
        lesson_.reset();
        return false;
    }
    if (step_ > 0) recallResults();
    emit started();
    goTo(step_);
    return true;
}

void LessonPlayer::stop() {
    lesson_.reset();
    judge_.reset();
    search_.abandon();
    emit stopped();
}

bool LessonPlayer::openProject() {
    const WindowSetting opening = openingOf(*lesson_, step_);
    project_ = projectFor(lessonProject(*lesson_, *opening.sample), opening);
    return stage_.open(project_);
}

void LessonPlayer::goTo(int step) {
    step_ = step;
    resetWindow();
    keepProgress();
}

void LessonPlayer::resetWindow() {
    setting_ = true;
    actionDone_ = false;
    judge_.reset();
    judged_ = nullptr;
    showsBest_ = false;
    selected_.clear();
    search_.abandon();
    const LessonStep& step = current();
    const auto* exercise = std::get_if<Exercise>(&step.task);
    if (!(step.show.sample || exercise) || openProject()) {
        if (exercise) judge_.emplace(*exercise, project_);
        WindowSetting setting = step.show;
        if (exercise && setting.plan.empty()) setting.plan = exercise->plan;
        stage_.show(setting);
    }
    setting_ = false;
    if (exercise && !resultHere().done) resultHere() = {};
    if (judge_) searchForBest();
    emit stepShown();
    onChanged();
}

bool LessonPlayer::isDone(int step) const {
    const auto at = static_cast<std::size_t>(step);
    return std::holds_alternative<std::monostate>(lesson_->steps[at].task) || results_[at].done;
}

double LessonPlayer::credit() const {
    double sum = 0;
    int count = 0;
    for (std::size_t i = 0; i < results_.size(); ++i) {
        const LessonTask& task = lesson_->steps[i].task;
        if (!std::holds_alternative<Question>(task) && !std::holds_alternative<Exercise>(task)) continue;
        sum += results_[i].credit;
        ++count;
    }
    return count ? sum / count : 1;
}

LessonResults LessonPlayer::results(const QString& name) const {
    LessonResults all{name.toStdString(), lesson_->title, {}};
    for (std::size_t i = 0; i < results_.size(); ++i) {
        const LessonStep& step = lesson_->steps[i];
        const std::string kind = kindOf(step.task);
        const Result& own = results_[i];
        if (!kind.empty())
            all.tasks.push_back({step.title.empty() ? lesson_->title : step.title, kind, own.done, own.credit,
                                 own.tries, own.hints, own.revealed});
    }
    return all;
}

void LessonPlayer::recallResults() {
    const std::string kept = LessonProgress::load(id_).results.toStdString();
    if (kept.empty()) return;
    try {
        const LessonResults before = readResults(kept, "kept results"), now = results({});
        if (before.tasks.size() != now.tasks.size()) return;  // the lesson is another by now
        auto task = before.tasks.begin();
        for (std::size_t i = 0; i < results_.size(); ++i) {
            if (kindOf(lesson_->steps[i].task).empty()) continue;
            results_[i] = {task->done, task->credit, task->tries, task->hints, task->shown, {}};
            ++task;
        }
    } catch (const InputError&) {
        // Of another version of the program.
    }
}

void LessonPlayer::choose(int choice) {
    const auto* question = lesson_ ? std::get_if<Question>(&current().task) : nullptr;
    if (!question || choice < 0 || choice >= static_cast<int>(question->choices.size())) return;
    const Choice& chosen = question->choices[static_cast<std::size_t>(choice)];
    settle(chosen.right, text(question->because), text(chosen.why));
}

void LessonPlayer::enter(const QString& number) {
    const auto* question = lesson_ ? std::get_if<Question>(&current().task) : nullptr;
    if (!question || !question->choices.empty()) return;
    const double answer = answerTo(*question, project_);
    try {
        settle(isRight(*question, answer, number.toStdString()), text(question->because), {});
    } catch (const std::invalid_argument& error) {
        resultHere().feedback = tr("Not a number: %1").arg(QString::fromUtf8(error.what()));
        emit resultChanged();
    }
}

void LessonPlayer::settle(bool right, const QString& because, const QString& why) {
    Result& result = resultHere();
    if (result.done) return;
    ++result.tries;
    if (right) {
        const bool atOnce = result.tries == 1 && result.hints == 0;
        return finish(atOnce ? 1 : shownCredit,
                      because.isEmpty() ? tr("Right.") : tr("Right. %1").arg(because));
    }
    result.feedback = why.isEmpty()
                          ? tr("Not right. Try again%1.")
                                .arg(hintsOf(current().task).empty() ? QString() : tr(", or take a hint"))
                          : tr("Not right. %1").arg(why);
    emit resultChanged();
}

void LessonPlayer::finish(double credit, const QString& feedback) {
    Result& result = resultHere();
    result.done = true;
    result.credit = credit;
    result.feedback = feedback;
    keepProgress();
    emit resultChanged();
}

void LessonPlayer::giveHint() {
    const auto& hints = hintsOf(current().task);
    Result& result = resultHere();
    if (result.hints >= static_cast<int>(hints.size())) return;
    result.feedback = text(hints[static_cast<std::size_t>(result.hints++)]);
    emit resultChanged();
}

bool LessonPlayer::mayReveal() const {
    if (!lesson_ || result().done) return false;
    if (std::holds_alternative<Question>(current().task)) return result().tries >= 2;
    return judge_ && judge_->best() && judge_->best()->plan && result().credit > 0;
}

void LessonPlayer::reveal() {
    if (!mayReveal()) return;
    if (const auto* question = std::get_if<Question>(&current().task)) {
        std::string answer;
        for (const Choice& choice : question->choices)
            if (choice.right) answer = choice.text;
        if (question->choices.empty()) answer = answerText(*question, answerTo(*question, project_));
        resultHere().revealed = true;
        return finish(0, tr("It is: %1. %2").arg(text(answer), text(question->because)));
    }
    // What was reached by then counts.
    const KnownAnswer best = *judge_->best();
    const QString value = text(judge_->valueText(best.value));
    showsBest_ = resultHere().revealed = true;
    finish(result().credit, best.how.empty()
                                ? tr("This is the best known answer: %1.").arg(value)
                                : tr("This is the best known answer: %1, %2.").arg(value, text(best.how)));
    stage_.addPlan(*best.plan);
}

void LessonPlayer::onChanged() {
    if (!lesson_ || setting_) return;
    const auto* deed = std::get_if<Deed>(&current().task);
    if (deed && !result().done) {
        if ((deed->action.empty() || actionDone_) && stage_.holds(*deed))
            finish(1, tr("Done."));
        else if (!deed->block.empty())
            nameSelectedBlock();
    }
    if (!judge_) return;
    const auto run = stage_.runInView();
    if (!run || run.get() == judged_) return;
    judged_ = run.get();
    judgeAgain();
}

/// Not the one that is asked for.
void LessonPlayer::nameSelectedBlock() {
    const QString selected = stage_.selectedBlock();
    if (selected == selected_) return;
    selected_ = selected;
    Deed shown;
    shown.block = current().show.block;
    const bool isTheSteps = !shown.block.empty() && stage_.holds(shown);
    if (selected.isEmpty() || isTheSteps) return;
    resultHere().feedback = tr("That is another block: %1.").arg(selected);
    emit resultChanged();
}

void LessonPlayer::searchForBest() {
    search_.start([judge = *judge_](const JobContext& context) { return searchBest(judge, context); },
                  [this](const std::optional<KnownAnswer>& found) {
                      if (!judge_ || !found) return;
                      judge_->learn(*found);
                      judgeAgain();
                  });
}

/// The plan in view, also once the target is reached: it may get better still.
void LessonPlayer::judgeAgain() {
    const auto run = stage_.runInView();
    if (!run || showsBest_) return;
    const Score score = judge_->judge(*run);
    Result& result = resultHere();
    // An attempt that is undone does not take away what was reached.
    if (!result.revealed) result.credit = std::max(result.credit, score.credit);
    const bool isReached = score.done && !result.done;
    result.feedback = score.done ? tr("Reached. %1").arg(text(score.sentence)) : text(score.sentence);
    if (const auto value = judge_->valueOf(*run); score.done && value)
        judge_->learn({*value, tr("your own").toStdString(), run->result.plan});
    if (isReached) return finish(1, result.feedback);
    emit resultChanged();
}

void LessonPlayer::onAction(const QString& id) {
    if (!lesson_ || setting_) return;
    const auto* deed = std::get_if<Deed>(&current().task);
    if (!deed || deed->action != id.toStdString()) return;
    actionDone_ = true;
    onChanged();
}

void LessonPlayer::keepProgress() const {
    if (id_.isEmpty()) return;
    LessonProgress progress = LessonProgress::load(id_);
    progress.steps = static_cast<int>(lesson_->steps.size());
    progress.step = isLast() && isDone(step_) ? progress.steps : step_;
    progress.credit = std::max(progress.credit, credit());
    progress.results = text(writeResults(results({})));
    progress.save(id_);
}

LessonProgress LessonProgress::load(const QString& id) {
    QSettings settings;
    settings.beginGroup(QStringLiteral("lessons/") + id);
    return {settings.value(QStringLiteral("step")).toInt(), settings.value(QStringLiteral("steps")).toInt(),
            settings.value(QStringLiteral("credit")).toDouble(),
            settings.value(QStringLiteral("results")).toString()};
}

void LessonProgress::save(const QString& id) const {
    QSettings settings;
    settings.beginGroup(QStringLiteral("lessons/") + id);
    settings.setValue(QStringLiteral("step"), step);
    settings.setValue(QStringLiteral("steps"), steps);
    settings.setValue(QStringLiteral("credit"), credit);
    settings.setValue(QStringLiteral("results"), results);
}

}  // namespace stagecraft::app::lessons
