// Public measurements beside what is predicted of them.
#include "app/commands/measured_report.h"

#include "app/commands/command.h"
#include "app/commands/text_table.h"
#include "core/base/counted.h"
#include "core/base/units.h"
#include "core/experiments/measured/measured_project.h"
#include "core/experiments/measured/prediction.h"
#include "core/experiments/measured/sets.h"
#include "core/formats/json_writer.h"
#include "core/formats/text_file.h"

#include <nlohmann/json.hpp>

#include <chrono>

namespace stagecraft::app::commands {

using nlohmann::ordered_json;

namespace {

std::vector<const MeasuredSet*> chosenSets(const Arguments& arguments) {
    const auto only = arguments.text("set");
    std::vector<const MeasuredSet*> sets;
    std::vector<std::string> known;
    for (const MeasuredSet& set : measuredSets()) {
        known.push_back(set.id);
        if (!only || *only == set.id) sets.push_back(&set);
    }
    if (sets.empty()) Arguments::failChoice("set", *only, known);
    return sets;
}

int writeRow(const Arguments& arguments, std::ostream& out) {
    const std::vector<const MeasuredSet*> sets = chosenSets(arguments);
    const int row = *arguments.integer("row", 0);
    const std::string file = arguments.required("out");
    if (!arguments.has("set")) throw UsageError("--row is of a set; expected --set beside it");
    const std::vector<MeasuredRow>& rows = sets.front()->rows;
    if (row >= static_cast<int>(rows.size()))
        throw UsageError("--row is " + std::to_string(row) + ", and " + sets.front()->id + " has " +
                         counted(static_cast<long long>(rows.size()), "row") + "; expected 0 to " +
                         std::to_string(rows.size() - 1));
    const MeasuredRow& chosen = rows[static_cast<std::size_t>(row)];
    writeFileAtomically(file, writeProject(projectOfRow(*sets.front(), chosen)));
    out << chosen.name << ": " << file << "\n";
    return exitDone;
}

/// Each second, as rows may take some.
class MeasuredProgress {
public:
    MeasuredProgress(std::ostream& err, std::size_t count) : err_(err), count_(count) {}
    void done() {
        ++done_;
        const auto now = std::chrono::steady_clock::now();
        if (now - said_ < std::chrono::seconds(1)) return;
        said_ = now;
        err_ << done_ << " of " << counted(static_cast<long long>(count_), "row") << "\n" << std::flush;
    }

private:
    std::ostream& err_;
    std::size_t count_, done_ = 0;
    std::chrono::steady_clock::time_point said_ = std::chrono::steady_clock::now();
};

std::string summaryText(const ErrorSummary& summary) {
    if (summary.judged == 0) return "no row is judged";
    return counted(summary.judged, "row") + ": median error " + formatFixed(100 * summary.median, 1) +
           " %, worst " + errorPercent(summary.worst);
}

/// A row's number, so wide that names begin below each other.
std::string padded(int number) {
    const std::string text = std::to_string(number);
    return std::string(text.size() < 5 ? 5 - text.size() : 0, ' ') + text;
}

void printSet(std::ostream& out, const MeasuredSet& set, const std::vector<MeasuredPrediction>& rows) {
    out << set.title << " (" << set.id << ")\n  " << set.source << " (" << set.licence << ").\n  "
        << "Predicted from: " << set.basis << "\n  " << set.calibration << "\n";
    TextTable table({"", "schedule", std::string("measured, ") + unitOf(set.quantity), "predicted", "error"});
    int number = 0, calibrated = 0;
    for (const MeasuredPrediction& row : rows) {
        if (row.set != &set) continue;
        calibrated += row.row->isCalibratedOn;
        table.add({padded(number++) + "  " + row.row->name, row.scheduleName(),
                   formatNumber(row.row->measured), row.predicted ? formatNumber(*row.predicted) : row.reason,
                   row.predicted ? errorPercent(*row.error()) + (row.row->isCalibratedOn ? " *" : "") : "–"});
    }
    table.print(out);
    out << "  " << summaryText(summaryOf(rows, [&](const auto& row) { return row.set == &set; }));
    if (calibrated > 0)
        out << "; * " << oneOrMany(calibrated, "is the row", "are the rows") << " that were calibrated on";
    out << "\n\n";
}

void printSummaries(std::ostream& out, const std::vector<MeasuredPrediction>& rows) {
    TextTable table({"", "rows", "median error", "worst"});
    const auto add = [&](const std::string& name, const ErrorSummary& summary) {
        if (summary.judged > 0)
            table.add({"  " + name, std::to_string(summary.judged),
                       formatFixed(100 * summary.median, 1) + " %", errorPercent(summary.worst)});
    };
    for (const MeasuredSummary& group : measuredSummaries(rows)) add(group.name, group.summary);
    out << "By schedule and in all\n";
    table.print(out);
    out << "Errors are predicted over measured, less one: above zero a time is predicted too long, a rate "
           "too "
           "high. The median is of their sizes.\n";
}

ordered_json jsonOf(const ErrorSummary& summary) {
    ordered_json entry = {{"judged", summary.judged}};
    if (summary.judged > 0) {
        entry["median_error"] = summary.median;
        entry["worst_error"] = summary.worst;
    }
    return entry;
}

ordered_json jsonOf(const MeasuredSet& set, const std::vector<MeasuredPrediction>& rows) {
    ordered_json entry = {{"id", set.id},
                          {"title", set.title},
                          {"source", set.source},
                          {"licence", set.licence},
                          {"unit", unitOf(set.quantity)},
                          {"predicted_from", set.basis},
                          {"calibration", set.calibration},
                          {"rows", ordered_json::array()}};
    for (const MeasuredPrediction& row : rows) {
        if (row.set != &set) continue;
        ordered_json cells = {{"name", row.row->name},
                              {"schedule", row.family},
                              {"measured", row.row->measured},
                              {"judged", row.isJudged()}};
        if (row.predicted) {
            cells["predicted"] = *row.predicted;
            cells["error"] = *row.error();
        } else {
            cells["reason"] = row.reason;
        }
        entry["rows"].push_back(std::move(cells));
    }
    entry["summary"] = jsonOf(summaryOf(rows, [&](const auto& row) { return row.set == &set; }));
    return entry;
}

std::string measuredJson(const std::vector<const MeasuredSet*>& sets,
                         const std::vector<MeasuredPrediction>& rows) {
    ordered_json document = {{"sets", ordered_json::array()}, {"groups", ordered_json::array()}};
    for (const MeasuredSet* set : sets) document["sets"].push_back(jsonOf(*set, rows));
    for (const MeasuredSummary& group : measuredSummaries(rows)) {
        ordered_json entry = jsonOf(group.summary);
        entry["name"] = group.name;
        document["groups"].push_back(std::move(entry));
    }
    return formatJson(document);
}

}  // namespace

std::vector<Option> measuredOptions() {
    return {{"measured", "", "predict the public measurements that come with Stagecraft, instead"},
            {"set", "ID", "with --measured: one set of them"},
            {"row", "N", "with --measured and --set: write that row as a project, to --out FILE"},
            {"csv", "", "with --measured: print a table with commas"}};
}

int reproduceMeasured(const Arguments& arguments, std::ostream& out, std::ostream& err) {
    if (arguments.has("only"))
        throw UsageError("--only chooses among papers' experiments; expected --set with --measured");
    if (arguments.has("row")) return writeRow(arguments, out);
    if (arguments.has("out"))
        throw UsageError("--out with --measured is for one row; expected --row beside it");
    if (arguments.has("json") && arguments.has("csv"))
        throw UsageError("--json and --csv exclude each other");
    const std::vector<const MeasuredSet*> sets = chosenSets(arguments);
    std::vector<MeasuredPrediction> rows = unpredicted(sets);
    MeasuredProgress progress(err, rows.size());
    PredictionOptions options;
    options.jobs = arguments.integer("jobs", 1).value_or(0);
    options.done = [&](std::size_t) { progress.done(); };
    predictRows(rows, options);
    if (arguments.has("json")) {
        out << measuredJson(sets, rows);
    } else if (arguments.has("csv")) {
        out << measuredCsv(rows);
    } else {
        for (const MeasuredSet* set : sets) printSet(out, *set, rows);
        printSummaries(out, rows);
    }
    const bool allPredicted =
        std::ranges::all_of(rows, [](const MeasuredPrediction& row) { return row.predicted.has_value(); });
    if (!allPredicted) err << "stagecraft: some rows have no plan\n";
    return allPredicted ? exitDone : exitFailed;
}

}  // namespace stagecraft::app::commands
