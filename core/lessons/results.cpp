#include "core/lessons/results.h"

#include "core/formats/json_reader.h"
#include "core/formats/json_writer.h"
#include "core/formats/text_file.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace stagecraft::lessons {

namespace {

constexpr const char* resultsFormat = "stagecraft/lesson-results";
constexpr const char* notDone = "–";

TaskResult taskFrom(const JsonValue& value) {
    const JsonObject task(value, {"title", "kind", "done", "credit", "tries", "hints", "shown"});
    TaskResult result;
    result.title = task.required("title").text();
    result.kind = task.required("kind").text();
    if (result.kind != "deed" && result.kind != "question" && result.kind != "exercise")
        task.required("kind").fail("no kind of task '" + result.kind + "'", "deed, question or exercise");
    result.done = task.required("done").boolean();
    result.credit = task.required("credit").nonNegative();
    if (result.credit > 1) task.required("credit").fail("it is more than 1", "a number from 0 to 1");
    result.tries = task.required("tries").integer(0);
    result.hints = task.required("hints").integer(0);
    result.shown = task.required("shown").boolean();
    return result;
}

std::string percentText(double share) { return std::to_string(std::lround(100 * share)) + " %"; }

/// The titles of the tasks of the longest, where all are of one lesson; else numbers.
std::vector<std::string> taskHeadings(const std::vector<LessonResults>& results) {
    const auto longest = std::max_element(results.begin(), results.end(), [](const auto& a, const auto& b) {
        return a.tasks.size() < b.tasks.size();
    });
    std::vector<std::string> headings;
    if (longest == results.end()) return headings;
    const bool isOne = std::all_of(results.begin(), results.end(),
                                   [&](const LessonResults& each) { return each.lesson == longest->lesson; });
    for (std::size_t i = 0; i < longest->tasks.size(); ++i)
        headings.push_back(isOne ? longest->tasks[i].title : "Task " + std::to_string(i + 1));
    return headings;
}

std::vector<std::string> rowOf(const LessonResults& results, std::size_t tasks) {
    int done = 0, tries = 0, hints = 0, shown = 0;
    for (const TaskResult& task : results.tasks) {
        done += task.done;
        tries += task.tries;
        hints += task.hints;
        shown += task.shown;
    }
    std::vector<std::string> row = {results.name,
                                    results.lesson,
                                    percentText(results.score()),
                                    std::to_string(done) + " of " + std::to_string(results.tasks.size()),
                                    std::to_string(tries),
                                    std::to_string(hints),
                                    std::to_string(shown)};
    for (std::size_t i = 0; i < tasks; ++i) {
        const bool reached =
            i < results.tasks.size() && (results.tasks[i].done || results.tasks[i].credit > 0);
        row.push_back(reached ? percentText(results.tasks[i].credit) : notDone);
    }
    return row;
}

/// Files whose names end as they should, in order.
std::vector<std::filesystem::path> resultsIn(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.is_regular_file() && entry.path().filename().string().ends_with(resultsSuffix))
            files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace

double LessonResults::score() const {
    double sum = 0;
    int count = 0;
    for (const TaskResult& task : tasks) {
        if (!task.counts()) continue;
        sum += task.credit;
        ++count;
    }
    return count ? sum / count : 1;
}

std::string writeResults(const LessonResults& results) {
    nlohmann::ordered_json tasks = nlohmann::ordered_json::array();
    for (const TaskResult& task : results.tasks)
        tasks.push_back({{"title", task.title},
                         {"kind", task.kind},
                         {"done", task.done},
                         {"credit", task.credit},
                         {"tries", task.tries},
                         {"hints", task.hints},
                         {"shown", task.shown}});
    return formatJson({{"format", resultsFormat},
                       {"version", 1},
                       {"name", utf8(results.name)},
                       {"lesson", results.lesson},
                       {"tasks", std::move(tasks)}});
}

LessonResults readResults(std::string_view text, const std::string& file) {
    const nlohmann::json document = parseJson(text, file);
    const JsonValue root(document, file);
    checkHeader(root, resultsFormat);
    const JsonObject object(root, {"format", "version", "name", "lesson", "tasks"});
    LessonResults results;
    results.name = object.required("name").text();
    results.lesson = object.required("lesson").text();
    for (const JsonValue& task : object.required("tasks").elements()) results.tasks.push_back(taskFrom(task));
    return results;
}

ClassResults collectResults(const std::vector<std::filesystem::path>& paths) {
    ClassResults all;
    std::vector<std::filesystem::path> files;
    for (const std::filesystem::path& path : paths) {
        std::error_code ignored;
        if (!std::filesystem::is_directory(path, ignored)) {
            files.push_back(path);
            continue;
        }
        const std::vector<std::filesystem::path> found = resultsIn(path);
        if (found.empty())
            all.faults.emplace_back(path.string(), "", "it has no results",
                                    "files whose names end with " + std::string(resultsSuffix));
        files.insert(files.end(), found.begin(), found.end());
    }
    for (const std::filesystem::path& file : files) try {
            all.results.push_back(readResults(readTextFile(file), file.string()));
        } catch (const InputError& fault) {
            all.faults.push_back(fault);
        }
    std::stable_sort(all.results.begin(), all.results.end(), [](const auto& a, const auto& b) {
        return std::tie(a.lesson, a.name) < std::tie(b.lesson, b.name);
    });
    return all;
}

TextCells classTable(const std::vector<LessonResults>& results) {
    TextCells table;
    for (const char* heading : {"Name", "Lesson"}) table.columns.push_back({heading, false});
    for (const char* heading : {"Score", "Done", "Tries", "Hints", "Answers shown"})
        table.columns.push_back({heading, true});
    const std::vector<std::string> tasks = taskHeadings(results);
    for (const std::string& task : tasks) table.columns.push_back({task, true});
    for (const LessonResults& each : results) table.rows.push_back(rowOf(each, tasks.size()));
    return table;
}

}  // namespace stagecraft::lessons
