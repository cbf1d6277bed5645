#include "app/lessons/lesson_library.h"

#include "app/document/samples.h"
#include "app/help/help_markup.h"
#include "core/analysis/block_query.h"
#include "core/base/spelling.h"
#include "core/formats/text_file.h"
#include "core/lessons/judge.h"
#include "core/lessons/lesson_reader.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <algorithm>

static void loadLessonResources() { Q_INIT_RESOURCE(lessons); }

namespace stagecraft::app::lessons {

namespace {

constexpr const char* lessonFolder = ":/stagecraft/lessons";
constexpr const char* suffix = ".lesson.md";

[[noreturn]] void fail(const std::string& file, int line, const std::string& what,
                       const std::string& expected = {}) {
    throw InputError(file, "line " + std::to_string(line), what, expected);
}

constexpr const char* projectSuffix = ".json";

const Project* findProject(const Lesson& lesson, const std::string& sample) {
    if (const auto own = lesson.projects.find(sample); own != lesson.projects.end()) return own->second.get();
    const Sample* found = findSample(QString::fromStdString(sample));
    return found ? found->project.get() : nullptr;
}

const Project& sampleProject(const Lesson& lesson, const std::string& sample, const std::string& file,
                             int line) {
    std::vector<std::string> ids;
    for (const Sample& each : samples()) ids.push_back(each.id.toStdString());
    if (const Project* found = findProject(lesson, sample)) return *found;
    fail(file, line, "no sample '" + sample + "'" + spellingHint(sample, ids),
         joinNames(ids) + ", or a project's file beside the lesson");
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

/// Goes through a lesson's steps and notes what is wrong.
class LessonCheck {
public:
    LessonCheck(const Lesson& lesson, std::string file) : lesson_(lesson), file_(std::move(file)) {}

    std::vector<InputError> run() {
        for (std::size_t i = 0; i < lesson_.steps.size(); ++i)
            noted([&] { check(lesson_.steps[i], openingOf(lesson_, static_cast<int>(i))); });
        return std::move(faults_);
    }

private:
    template <typename Check>
    void noted(Check check) {
        try {
            check();
        } catch (const InputError& fault) {
            // What a step is opened with is checked for each that it is opened for.
            const auto isSame = [&](const InputError& each) {
                return std::string(each.what()) == fault.what();
            };
            if (std::none_of(faults_.begin(), faults_.end(), isSame)) faults_.push_back(fault);
        }
    }

    void check(const LessonStep& step, const WindowSetting& opening) {
        const auto lineOf = [](const WindowSetting& setting, const char* field, int otherwise) {
            const auto found = setting.lines.find(field);
            return found == setting.lines.end() ? otherwise : found->second;
        };
        const int sampleLine = lineOf(opening, "sample", lesson_.sampleLine);
        const Project& sample = sampleProject(lesson_, *opening.sample, file_, sampleLine);
        for (const std::string& title : opening.keep)
            requirePlan(sample, title, file_, lineOf(opening, "keep", step.line));
        const Project project = projectFor(sample, opening);
        const WindowSetting& show = step.show;
        noted([&] { requirePlan(project, show.plan, file_, lineOf(show, "plan", step.line)); });
        for (const std::string& plan : show.charts)
            noted([&] { requirePlan(project, plan, file_, lineOf(show, "charts", step.line)); });
        if (show.sample) plan_.clear();
        if (!show.plan.empty()) plan_ = show.plan;
        noted([&] { requireBlock(project, show.block, lineOf(show, "block", step.line)); });
        if (const auto* deed = std::get_if<Deed>(&step.task)) {
            noted([&] { requirePlan(project, deed->plan, file_, deed->line); });
            if (!deed->plan.empty()) plan_ = deed->plan;
            noted([&] { requireBlock(project, deed->block, deed->line); });
        }
        noted(
            [&] { readMarkup(QString::fromStdString(step.text), file_ + ", step \"" + step.title + "\""); });
        noted([&] { checkTask(step.task, project, file_); });
    }

    /// In the plan that was shown last.
    void requireBlock(const Project& project, const std::string& query, int line) const {
        if (query.empty() || plan_.empty()) return;
        try {
            const PlanRun run = runOf(project, {"iteration_time_s", plan_, {}, {}, {}});
            const BlockQuery search(query, project.problem.cluster, run.result.plan,
                                    run.evaluation->timeline);
            if (search.find(run.evaluation->timeline, run.evaluation->metrics.criticalPath.blocks).empty())
                fail(file_, line, "'" + query + "' finds no block of the plan '" + plan_ + "'");
        } catch (const std::invalid_argument& error) {
            fail(file_, line, "'" + query + "': " + error.what());
        }
    }

    const Lesson& lesson_;
    std::string file_;
    std::string plan_;  ///< the plan that is in view
    std::vector<InputError> faults_;
};

/// The projects beside it that a lesson names.
void addProjects(Lesson& lesson, const std::filesystem::path& place, std::vector<InputError>& faults) {
    std::vector<std::string> names{lesson.sample};
    for (const LessonStep& step : lesson.steps)
        if (step.show.sample) names.push_back(*step.show.sample);
    for (const std::string& name : names) {
        if (!name.ends_with(projectSuffix) || lesson.projects.contains(name)) continue;
        try {
            lesson.projects[name] = std::make_shared<const Project>(openProject(place / name));
        } catch (const InputError& fault) {
            faults.push_back(fault);
        }
    }
}

Lesson readWhole(const std::filesystem::path& path, std::vector<InputError>& faults) {
    Lesson lesson = readLesson(readTextFile(path), path.string(), &faults);
    addProjects(lesson, path.parent_path(), faults);
    const std::vector<InputError> more = faultsOf(lesson, path.string());
    faults.insert(faults.end(), more.begin(), more.end());
    return lesson;
}

}  // namespace

const std::vector<ShippedLesson>& shippedLessons() {
    static const std::vector<ShippedLesson> all = [] {
        loadLessonResources();
        std::vector<ShippedLesson> lessons;
        const QStringList pattern{QStringLiteral("*") + QLatin1String(suffix)};
        for (const QString& name : QDir(lessonFolder).entryList(pattern, QDir::Files, QDir::Name)) {
            QFile file(QStringLiteral("%1/%2").arg(lessonFolder, name));
            file.open(QIODevice::ReadOnly);
            lessons.push_back({name.section('.', 0, 0).section('-', 1),
                               readLesson(file.readAll().toStdString(), name.toStdString())});
        }
        return lessons;
    }();
    return all;
}

std::vector<OwnLesson> lessonsIn(const QString& folder) {
    std::vector<OwnLesson> lessons;
    if (folder.isEmpty()) return lessons;
    for (const QFileInfo& file :
         QDir(folder).entryInfoList({QStringLiteral("*") + QLatin1String(suffix)}, QDir::Files, QDir::Name)) {
        OwnLesson& own = lessons.emplace_back();
        own.path = file.filePath();
        try {
            own.lesson = readLesson(readTextFile(own.path.toStdString()), own.path.toStdString());
        } catch (const InputError& error) {
            own.fault = QString::fromUtf8(error.what());
        }
    }
    return lessons;
}

const ShippedLesson* findLesson(const QString& id) {
    for (const ShippedLesson& lesson : shippedLessons())
        if (lesson.id == id) return &lesson;
    return nullptr;
}

Lesson openLesson(const std::filesystem::path& path) {
    std::vector<InputError> faults;
    Lesson lesson = readWhole(path, faults);
    if (!faults.empty()) throw faults.front();
    return lesson;
}

std::vector<InputError> lessonFaults(const std::filesystem::path& path) {
    std::vector<InputError> faults;
    readWhole(path, faults);
    return faults;
}

const Project& lessonProject(const Lesson& lesson, const std::string& sample) {
    return *findProject(lesson, sample);
}

std::vector<InputError> faultsOf(const Lesson& lesson, const std::string& file) {
    return LessonCheck(lesson, file).run();
}

std::vector<InputError> actionFaults(const Lesson& lesson, const std::string& file,
                                     const std::function<bool(const std::string&)>& isAction) {
    std::vector<InputError> faults;
    for (const LessonStep& step : lesson.steps)
        if (const auto* deed = std::get_if<Deed>(&step.task);
            deed && !deed->action.empty() && !isAction(deed->action))
            faults.emplace_back(file, "line " + std::to_string(deed->line),
                                "the window has no action '" + deed->action + "'", std::string());
    return faults;
}

}  // namespace stagecraft::app::lessons
