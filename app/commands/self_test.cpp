#include "app/commands/self_test.h"

#include "app/commands/plan_report.h"
#include "app/experiments/paper_experiments.h"
#include "app/figures/figure_source.h"
#include "app/figures/plan_tables.h"
#include "app/help/help_library.h"
#include "app/lessons/lesson_library.h"
#include "app/puzzles/puzzle_library.h"
#include "core/base/counted.h"
#include "core/base/table_formats.h"
#include "core/planners/applicability.h"
#include "core/planners/planned_run.h"
#include "core/runs/standing.h"
#include "views/common/theme.h"
#include "views/figures/figure_formats.h"
#include "views/play/movie.h"

#include <QFontInfo>
#include <QImageReader>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace stagecraft::app::commands {

namespace {

/// More than these are as good to draw as fewer, and take longer.
constexpr std::size_t mostDrawnBlocks = 20'000;

[[noreturn]] void complain(const std::string& text) { throw std::runtime_error(text); }

/// @throws std::runtime_error unless the run holds
void requireValid(const PlanRun& run) {
    const std::string title = "plan '" + run.title() + "': ";
    if (!run.ok()) complain(title + run.result.reason);
    if (!run.evaluation->valid()) {
        const Violation& first = run.evaluation->violations.front();
        complain(title + ruleName(first.rule) + ": " + first.message);
    }
    if (run.age == PlanAge::otherProfile) complain(title + "it was made for a network with other layers");
}

/// Of the first planner that has one.
std::shared_ptr<const PlanRun> newRun(const std::shared_ptr<const CostModel>& costs) {
    std::string reasons;
    for (const std::unique_ptr<Planner>& planner : allPlanners()) {
        if (!appliesTo(*planner, costs->problem().setup)) continue;
        auto run = std::make_shared<const PlanRun>(runAndEvaluate(*planner, costs, {}));
        if (run->result.status == PlanStatus::ok) return run;
        reasons += (reasons.empty() ? "" : "; ") + planner->description().id + ": " + run->result.reason;
        if (run->result.status == PlanStatus::failed) break;
    }
    complain("no planner has a plan: " + reasons);
}

std::size_t blocksOf(const std::vector<std::shared_ptr<const PlanRun>>& runs) {
    std::size_t blocks = 0;
    for (const auto& run : runs) blocks += run->evaluation->timeline.blockCount();
    return blocks;
}

/// A file or a folder of files that are not empty. @return "1234 bytes"
std::string writtenAt(const std::filesystem::path& path) {
    namespace fs = std::filesystem;
    std::vector<fs::path> files;
    if (fs::is_directory(path))
        for (const auto& entry : fs::recursive_directory_iterator(path))
            if (entry.is_regular_file()) files.push_back(entry.path());
    if (fs::is_regular_file(path)) files.push_back(path);
    if (files.empty()) complain("nothing was written to " + path.string());
    std::uintmax_t bytes = 0;
    for (const fs::path& file : files) {
        const std::uintmax_t size = fs::file_size(file);
        if (size == 0) complain(file.string() + " is empty");
        bytes += size;
    }
    return std::to_string(bytes) + " bytes";
}

/// What is a picture reads back as one: Qt's plugins are there.
void requireReadable(const FigureFormat& format, const std::filesystem::path& path) {
    if (!format.mimeType.startsWith(QLatin1String("image/"))) return;
    QImageReader reader(QString::fromStdString(path.string()));
    if (reader.read().isNull())
        complain(path.string() + " cannot be read back: " + reader.errorString().toStdString());
}

/// The samples' runs, or what is wrong with each, made by as many threads as there are cores.
class SampleRuns {
public:
    struct Answer {
        std::vector<std::shared_ptr<const PlanRun>> runs;
        std::exception_ptr failure;
        bool done = false;
    };

    explicit SampleRuns(const std::vector<Sample>& samples) : samples_(samples), answers_(samples.size()) {
        const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
        for (unsigned i = 0; i < threads; ++i) workers_.emplace_back([this] { work(); });
    }

    /// Waits until it is there. @throws what its making threw
    std::vector<std::shared_ptr<const PlanRun>> take(std::size_t index) {
        std::unique_lock lock(mutex_);
        made_.wait(lock, [&] { return answers_[index].done; });
        if (answers_[index].failure) std::rethrow_exception(answers_[index].failure);
        return std::move(answers_[index].runs);
    }

private:
    void work() {
        for (std::size_t i; (i = next_++) < samples_.size();) {
            Answer answer;
            try {
                answer.runs = checkedRuns(*samples_[i].project);
            } catch (...) {
                answer.failure = std::current_exception();
            }
            answer.done = true;
            const std::lock_guard lock(mutex_);
            answers_[i] = std::move(answer);
            made_.notify_all();
        }
    }

    const std::vector<Sample>& samples_;
    std::mutex mutex_;
    std::condition_variable made_;
    std::vector<Answer> answers_;
    std::atomic<std::size_t> next_ = 0;
    std::vector<std::jthread> workers_;  // last: they use the others
};

}  // namespace

std::vector<std::shared_ptr<const PlanRun>> checkedRuns(const Project& project) {
    Project stamped = project;
    stampOrigins(stamped.plans, stamped.origins, SeenProblem(stamped.problem));
    stamped.origins.resize(stamped.plans.size());
    const auto costs = std::make_shared<const CostModel>(stamped.problem);
    std::vector<std::shared_ptr<const PlanRun>> runs;
    for (std::size_t i = 0; i < stamped.plans.size(); ++i)
        runs.push_back(
            std::make_shared<const PlanRun>(reopenPlan(costs, stamped.plans[i], stamped.origins[i])));
    runs.push_back(newRun(costs));
    for (const auto& run : runs) requireValid(*run);
    return runs;
}

SelfTest::SelfTest(std::vector<Sample> samples, std::filesystem::path folder)
    : samples_(std::move(samples)), folder_(std::move(folder)) {}

std::pair<int, int> SelfTest::run(bool complete, const Tell& tell) {
    tell_ = tell;
    checkShipped();
    checkSamples();
    checkPlanners();
    checkFigures();
    checkTables(complete);
    checkMovies();
    return {made_, failed_};
}

void SelfTest::check(const std::string& name, const std::function<std::string()>& work) {
    SelfCheck outcome{name, {}, {}};
    try {
        outcome.found = work();
    } catch (const std::exception& error) {
        outcome.failure = error.what();
        if (outcome.failure.empty()) outcome.failure = "an error without words";
    }
    ++made_;
    if (!outcome.ok()) ++failed_;
    tell_(outcome);
}

void SelfTest::checkShipped() {
    const auto counts = [this](const std::string& name, const std::function<std::size_t()>& count) {
        check(name, [&] {
            const std::size_t found = count();
            if (found == 0) complain("none came with the program");
            return std::to_string(found);
        });
    };
    counts("help pages", [] { return helpPages().size(); });
    counts("lessons", [] { return shippedLessons().size(); });
    counts("puzzles", [] { return coursePuzzles().size(); });
    counts("experiments of papers", [] {
        for (const PaperExperiment& paper : paperExperiments()) paper.experiment();
        return paperExperiments().size();
    });
    check("font of figures", [] {
        const QString family = QFontInfo(QFont(QLatin1String(figureFontFamily))).family();
        if (family != QLatin1String(figureFontFamily))
            complain("'" + std::string(figureFontFamily) + "' is not installed; figures would have '" +
                     family.toStdString() + "'");
        return family.toStdString();
    });
    check("icons", [] {
        const QImage icon = lineIcon(QStringLiteral("plan")).pixmap(32, 32).toImage();
        bool drawn = false;
        for (int y = 0; y < icon.height(); ++y)
            for (int x = 0; x < icon.width(); ++x) drawn = drawn || qAlpha(icon.pixel(x, y)) > 0;
        if (!drawn) complain("the icon of plans is empty");
        return std::string("drawn");
    });
}

void SelfTest::checkSamples() {
    SampleRuns all(samples_);
    for (std::size_t i = 0; i < samples_.size(); ++i)
        check("sample " + samples_[i].id.toStdString(), [&] {
            std::vector<Run> runs = all.take(i);
            const std::string found = counted(runs.size() - 1, "saved plan") + ", a new one by " +
                                      runs.back()->result.plan.planner + "; " +
                                      counted(blocksOf(runs), "block");
            std::erase_if(runs, [](const Run& run) {
                return run->evaluation->timeline.blockCount() > mostDrawnBlocks;
            });
            runs_.insert(runs_.end(), runs.begin(), runs.end());
            return found;
        });
    std::stable_sort(runs_.begin(), runs_.end(), [](const Run& a, const Run& b) {
        return a->evaluation->timeline.blockCount() < b->evaluation->timeline.blockCount();
    });
}

void SelfTest::checkPlanners() {
    std::vector<const Sample*> smallest;
    for (const Sample& sample : samples_) smallest.push_back(&sample);
    const auto sizeOf = [](const Sample* sample) {
        const Problem& problem = sample->project->problem;
        return problem.profile.layerCount() * problem.cluster.deviceCount();
    };
    std::stable_sort(smallest.begin(), smallest.end(),
                     [&](const Sample* a, const Sample* b) { return sizeOf(a) < sizeOf(b); });
    for (const std::unique_ptr<Planner>& planner : allPlanners()) {
        const auto first = std::find_if(smallest.begin(), smallest.end(), [&](const Sample* sample) {
            return appliesTo(*planner, sample->project->problem.setup);
        });
        if (first == smallest.end()) continue;
        check("planner " + planner->description().id, [&] {
            const auto costs = std::make_shared<const CostModel>((*first)->project->problem);
            const PlanRun run = runAndEvaluate(*planner, costs, {});
            requireValid(run);
            return (*first)->id.toStdString() + ", " +
                   counted(run.evaluation->timeline.blockCount(), "block");
        });
    }
}

void SelfTest::checkFigures() {
    if (runs_.empty()) return;
    for (const FigureFormat& format : figureFormats())
        check("figure format " + format.id.toStdString(), [&] {
            const std::filesystem::path path =
                folder_ / ("schedule." + format.suffixes.front().toStdString());
            writeSource(scheduleSource(runs_.front()), format.id, {}, {}, path);
            requireReadable(format, path);
            return writtenAt(path);
        });
    std::set<QString> drawn;
    const FigureFormat& first = figureFormats().front();
    for (const Run& run : runs_)
        for (const FigureSource& source : planSources(run)) {
            if (!drawn.insert(source.id).second) continue;
            check("figure " + source.id.toStdString(), [&] {
                const std::filesystem::path path =
                    folder_ / (source.id + '.' + first.suffixes.front()).toStdString();
                writeSource(source, first.id, {}, {}, path);
                return writtenAt(path);
            });
        }
}

void SelfTest::writeTables(const Run& run, Ways& ways) const {
    for (const FigureSource& source : planSources(run))
        for (const FigureTable& table : source.tables) {
            const std::string name = (source.id + '-' + table.id).toStdString();
            std::optional<std::string>& reason = ways.try_emplace(name, "").first->second;
            if (!reason) continue;
            try {
                const std::filesystem::path path = folder_ / (name + "." + table.suffix.toStdString());
                table.write({}, path);
                writtenAt(path);
                reason.reset();
            } catch (const std::exception& error) {
                // An engine may have no words for this plan; another's may do.
                if (reason->empty()) reason = run->title() + ": " + error.what();
            }
        }
}

void SelfTest::checkTables(bool complete) {
    if (runs_.empty()) return;
    Ways ways;
    for (const std::string& id : planTableIds()) ways["schedule-" + id] = "";
    for (const Run& run : runs_) {
        writeTables(run, ways);
        if (std::none_of(ways.begin(), ways.end(), [](const auto& way) { return way.second.has_value(); }))
            break;
    }
    for (const auto& [name, reason] : ways)
        check("table " + name, [&, reason = reason] {
            if (reason && complete) complain(*reason);
            return reason ? "not for these plans: " + *reason : std::string("written");
        });
    std::vector<PlannerOutcome> outcomes;
    for (const Run& run : runs_) outcomes.push_back({run->result.plan.planner, *run});
    for (const TableFormat& format : tableFormats())
        check("table format " + std::string(format.id), [&] {
            const std::string text = format.write(planCells(outcomes, nullptr, true));
            if (text.empty() || text.back() != '\n') complain("the table does not end with a line break");
            return std::to_string(text.size()) + " bytes";
        });
}

void SelfTest::checkMovies() {
    if (runs_.empty()) return;
    MovieOptions options;
    options.size = QSize(320, 180);
    options.seconds = 0.5;
    options.framesPerSecond = 4;
    for (const MovieFormat& format : movieFormats())
        check("movie format " + format.id.toStdString(), [&] {
            MoviePainter painter({std::make_shared<const PlayData>(runs_.front())}, options);
            const QString name = "movie-" + format.id;
            const std::filesystem::path path =
                folder_ / (format.suffix.isEmpty() ? name : name + '.' + format.suffix).toStdString();
            format.write(painter, path, {});
            return writtenAt(path);
        });
}

}  // namespace stagecraft::app::commands
