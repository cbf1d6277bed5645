#include "app/lessons/hand_out.h"

#include "app/document/samples.h"
#include "app/help/help_document.h"
#include "core/formats/text_file.h"
#include "core/lessons/best_known.h"

#include <QFile>
#include <QPrinter>
#include <QTemporaryDir>

namespace stagecraft::app {

namespace {

/// Writes the tasks of a lesson, numbering its questions.
class HandOutWriter {
public:
    HandOutWriter(const Lesson& lesson, bool answers) : lesson_(lesson), answers_(answers) {}

    QString write() {
        text_ = "# " + QString::fromStdString(lesson_.title) + "\n\n*" +
                QString::fromStdString(lesson_.about) + "*\n\n";
        for (std::size_t i = 0; i < lesson_.steps.size(); ++i) {
            const LessonStep& step = lesson_.steps[i];
            const WindowSetting opening = openingOf(lesson_, static_cast<int>(i));
            project_ = projectFor(*findSample(QString::fromStdString(*opening.sample))->project, opening);
            if (i > 0) text_ += "## " + QString::fromStdString(step.title) + "\n\n";
            text_ += QString::fromStdString(step.text) + "\n\n";
            std::visit([this](const auto& task) { add(task); }, step.task);
        }
        return text_;
    }

private:
    void add(std::monostate) {}

    void add(const Deed& deed) {
        text_ += QObject::tr("**In the window:** %1\n\n").arg(QString::fromStdString(deed.text));
    }

    void add(const Question& question) {
        text_ += QObject::tr("**Question %1.** %2\n\n")
                     .arg(++questions_)
                     .arg(QString::fromStdString(question.text));
        for (const Choice& choice : question.choices)
            text_ += QStringLiteral("- %1 %2\n")
                         .arg(answers_ && choice.right ? "☒" : "☐", QString::fromStdString(choice.text));
        if (question.choices.empty() && !answers_)
            text_ += QStringLiteral("\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\n");
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
        if (!answers_) return;
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
    int questions_ = 0;
    QString text_;
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

}  // namespace stagecraft::app
