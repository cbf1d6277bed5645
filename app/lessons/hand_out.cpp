#include "app/lessons/hand_out.h"

#include "app/help/help_look.h"
#include "app/lessons/lesson_library.h"
#include "core/formats/text_file.h"
#include "core/lessons/best_known.h"
#include "core/planners/planned_run.h"

#include <nlohmann/json.hpp>

#include <QFile>
#include <QPrinter>
#include <QTemporaryDir>

#include <algorithm>
#include <set>

namespace stagecraft::app::lessons {

namespace {

/// Writes the tasks of a lesson, numbering its questions.
class HandOutWriter {
public:
    HandOutWriter(const Lesson& lesson, bool answers) : lesson_(lesson), answers_(answers) {}

    QString write() {
        text_ = "# " + QString::fromStdString(lesson_.title) + "\n\n*" +
                QString::fromStdString(lesson_.about) + "*\n\n";
        if (!answers_) text_ += QObject::tr("Name: %1\n\n").arg(blanks(30));
        for (std::size_t i = 0; i < lesson_.steps.size(); ++i) {
            const LessonStep& step = lesson_.steps[i];
            const WindowSetting opening = openingOf(lesson_, static_cast<int>(i));
            project_ = projectFor(lessonProject(lesson_, *opening.sample), opening);
            sample_ = isAsItComes(*opening.sample, opening) ? *opening.sample : std::string();
            if (i > 0) text_ += "## " + QString::fromStdString(step.title) + "\n\n";
            text_ += QString::fromStdString(step.text) + "\n\n";
            if (!sample_.empty()) addPictures(step.show);
            std::visit([this](const auto& task) { add(task); }, step.task);
        }
        return text_;
    }

private:
    /// A line to write on.
    static QString blanks(int letters) { return QStringLiteral("\\_").repeated(letters); }

    /// Pictures are drawn of samples alone, without what a step changes.
    bool isAsItComes(const std::string& sample, const WindowSetting& opening) const {
        return !opening.microbatches && opening.channel.empty() && !lesson_.projects.contains(sample);
    }

    /// Empty lanes of the plan with which the exercise begins, where there are not too many for a page.
    void addLanes(const std::string& title) {
        constexpr std::size_t mostLanes = 8;
        const auto plan = std::find_if(project_.plans.begin(), project_.plans.end(), [&](const Plan& each) {
            return titleOf(each) == title || each.planner == title;
        });
        if (sample_.empty() || plan == project_.plans.end()) return;
        std::set<std::vector<int>> lanes;
        for (const Stage& stage : plan->stages) lanes.insert(stage.devices);
        if (lanes.size() > mostLanes) return;
        const nlohmann::json block = {{"sample", sample_},
                                      {"plan", title},
                                      {"view", "lanes"},
                                      {"caption", "Draw your own."},
                                      {"style", {{"axis", "blocks"}, {"name_line", false}}}};
        text_ += "```figure\n" + QString::fromStdString(block.dump()) + "\n```\n\n";
    }

    /// The charts that the step shows, unless the step before has shown the same.
    void addPictures(const WindowSetting& show) {
        std::vector<std::string> plans = show.charts;
        if (plans.empty() && !show.plan.empty()) plans.push_back(show.plan);
        QString pictures;
        for (const std::string& plan : plans) {
            nlohmann::json block = {{"sample", sample_}, {"plan", plan}, {"caption", captionOf(plan)}};
            if (!show.colour.empty()) block["style"] = {{"colour", show.colour}};
            pictures += "```figure\n" + QString::fromStdString(block.dump()) + "\n```\n\n";
        }
        if (pictures.isEmpty() || pictures == pictures_) return;
        text_ += pictures_ = pictures;
    }

    /// The plan's name, or its planner's.
    std::string captionOf(const std::string& title) const {
        for (const Plan& plan : project_.plans)
            if (plan.name.empty() && plan.planner == title) return titleOf(plan) + ".";
        return title + ".";
    }

    void add(std::monostate) {}

    void add(const Deed& deed) {
        text_ += QObject::tr("**In the window:** %1\n\n").arg(QString::fromStdString(deed.text));
    }

    void add(const Question& question) {
        text_ += QObject::tr("**Question %1.** %2\n\n")
                     .arg(++questions_)
                     .arg(QString::fromStdString(question.text));
        for (const Choice& choice : question.choices)
            text_ += QStringLiteral("%1 %2\n\n")
                         .arg(answers_ && choice.right ? "☒" : "☐", QString::fromStdString(choice.text));
        if (!answers_ && question.choices.empty()) text_ += QObject::tr("Answer: %1\n\n").arg(blanks(20));
        if (!answers_) text_ += QObject::tr("Because: %1\n").arg(blanks(56));
        if (question.choices.empty() && answers_)
            text_ +=
                "**" + QString::fromStdString(answerText(question, answerTo(question, project_))) + "**\n";
        text_ += '\n';
        if (answers_ && !question.because.empty())
            text_ += '*' + QString::fromStdString(question.because) + "*\n\n";
    }

    void add(const Exercise& exercise) {
        Judge judge(exercise, project_);
        text_ += QObject::tr("**Exercise.** %1\n\nIt begins at %2; the target is %3.\n\n")
                     .arg(QString::fromStdString(exercise.text),
                          QString::fromStdString(judge.valueText(judge.startValue())),
                          QString::fromStdString(judge.valueText(exercise.target)));
        if (!answers_) {
            addLanes(exercise.plan);
            for (int line = 0; line < 3; ++line) text_ += blanks(68) + "\n\n";
            return;
        }
        if (const auto found = searchBest(judge)) judge.learn(*found);
        if (const auto& best = judge.best())
            text_ +=
                QObject::tr("Best known: **%1**%2.\n\n")
                    .arg(QString::fromStdString(judge.valueText(best->value)),
                         best->how.empty() ? QString()
                                           : QStringLiteral(" (%1)").arg(QString::fromStdString(best->how)));
        for (const std::string& hint : exercise.hints) text_ += "- " + QString::fromStdString(hint) + '\n';
        text_ += '\n';
    }

    const Lesson& lesson_;
    bool answers_;
    Project project_;
    std::string sample_;  ///< of the step, if pictures can be drawn of it
    int questions_ = 0;
    QString text_;
    QString pictures_;  ///< those that were added last
};

}  // namespace

QString handOutText(const Lesson& lesson, bool answers) { return HandOutWriter(lesson, answers).write(); }

void writeHandOut(const Lesson& lesson, bool answers, const std::filesystem::path& path) {
    // Qt's writer has no atomic way; what it writes is taken over whole.
    const QTemporaryDir folder;
    const QString pdf = folder.filePath(QStringLiteral("hand-out.pdf"));
    QPrinter printer(QPrinter::HighResolution);
    printer.setOutputFormat(QPrinter::PdfFormat);
    printer.setOutputFileName(pdf);
    printer.setPageSize(QPageSize(QPageSize::A4));
    printer.setDocName(QString::fromStdString(lesson.title));
    printMarkdown(printer, handOutText(lesson, answers), lesson.title);
    QFile file(pdf);
    file.open(QIODevice::ReadOnly);
    const QByteArray bytes = file.readAll();
    writeFileAtomically(path, {bytes.constData(), static_cast<std::size_t>(bytes.size())});
}

}  // namespace stagecraft::app::lessons
