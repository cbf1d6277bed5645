#include "app/lessons/lesson_library.h"

#include "app/document/samples.h"
#include "app/help/help_markup.h"
#include "core/base/spelling.h"
#include "core/formats/input_error.h"
#include "core/formats/text_file.h"
#include "core/lessons/judge.h"
#include "core/lessons/lesson_reader.h"

#include <QDir>
#include <QFile>

#include <algorithm>

static void loadLessonResources() { Q_INIT_RESOURCE(lessons); }

namespace stagecraft::app {

namespace {

constexpr const char* folder = ":/stagecraft/lessons";
constexpr const char* suffix = ".lesson.md";

[[noreturn]] void fail(const std::string& file, int line, const std::string& what,
                       const std::string& expected = {}) {
    throw InputError(file, "line " + std::to_string(line), what, expected);
}

const Project& sampleProject(const std::string& sample, const std::string& file, int line) {
    const Sample* found = findSample(QString::fromStdString(sample));
    std::vector<std::string> ids;
    for (const Sample& each : samples()) ids.push_back(each.id.toStdString());
    if (!found) fail(file, line, "no sample '" + sample + "'" + spellingHint(sample, ids), joinNames(ids));
    return *found->project;
}

void requirePlan(const Project& project, const std::string& title, const std::string& file, int line) {
    std::vector<std::string> titles;
    for (const Plan& plan : project.plans) titles.push_back(plan.name.empty() ? plan.planner : plan.name);
    if (!title.empty() && std::find(titles.begin(), titles.end(), title) == titles.end())
        fail(file, line, "no plan '" + title + "' in the sample" + spellingHint(title, titles),
             joinNames(titles));
}

void checkTask(const LessonTask& task, const Project& project, const std::string& file) {
    try {
        if (const auto* question = std::get_if<Question>(&task); question && question->choices.empty())
            answerTo(*question, project);
        if (const auto* exercise = std::get_if<Exercise>(&task)) {
            const Judge judge(*exercise, project);
            Measured start{exercise->metric, exercise->plan, {}, {}, {}};
            if (judge.judge(runOf(project, start)).done)
                fail(file, exercise->line, "the target is reached at the start");
        }
    } catch (const std::invalid_argument& error) {
        const auto* question = std::get_if<Question>(&task);
        fail(file, question ? question->line : std::get<Exercise>(task).line, error.what());
    }
}

}  // namespace

const std::vector<ShippedLesson>& shippedLessons() {
    static const std::vector<ShippedLesson> all = [] {
        loadLessonResources();
        std::vector<ShippedLesson> lessons;
        const QStringList pattern{QStringLiteral("*") + QLatin1String(suffix)};
        for (const QString& name : QDir(folder).entryList(pattern, QDir::Files, QDir::Name)) {
            QFile file(QStringLiteral("%1/%2").arg(folder, name));
            file.open(QIODevice::ReadOnly);
            lessons.push_back({name.section('.', 0, 0).section('-', 1),
                               readLesson(file.readAll().toStdString(), name.toStdString())});
        }
        return lessons;
    }();
    return all;
}

const ShippedLesson* findLesson(const QString& id) {
    for (const ShippedLesson& lesson : shippedLessons())
        if (lesson.id == id) return &lesson;
    return nullptr;
}

Lesson openLesson(const std::filesystem::path& path) {
    Lesson lesson = readLesson(readTextFile(path), path.string());
    checkLesson(lesson, path.string());
    return lesson;
}

void checkLesson(const Lesson& lesson, const std::string& file) {
    for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
        const LessonStep& step = lesson.steps[i];
        const WindowSetting opening = openingOf(lesson, static_cast<int>(i));
        const Project& sample = sampleProject(*opening.sample, file, step.line);
        for (const std::string& title : opening.keep) requirePlan(sample, title, file, step.line);
        const Project project = projectFor(sample, opening);
        requirePlan(project, step.show.plan, file, step.line);
        for (const std::string& plan : step.show.charts) requirePlan(project, plan, file, step.line);
        if (const auto* deed = std::get_if<Deed>(&step.task))
            requirePlan(project, deed->plan, file, deed->line);
        readMarkup(QString::fromStdString(step.text), file + ", step \"" + step.title + "\"");
        checkTask(step.task, project, file);
    }
}

void checkActions(const Lesson& lesson, const std::string& file,
                  const std::function<bool(const std::string&)>& isAction) {
    for (const LessonStep& step : lesson.steps)
        if (const auto* deed = std::get_if<Deed>(&step.task);
            deed && !deed->action.empty() && !isAction(deed->action))
            fail(file, deed->line, "the window has no action '" + deed->action + "'");
}

}  // namespace stagecraft::app
