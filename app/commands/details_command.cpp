#include "app/commands/command.h"
#include "app/commands/inputs.h"
#include "app/commands/text_table.h"
#include "core/base/query_text.h"
#include "core/base/spelling.h"
#include "core/formats/text_file.h"
#include "core/planners/details/detail_filter.h"
#include "core/planners/details/plan_details.h"
#include "core/planners/planned_run.h"

#include <algorithm>
#include <limits>

namespace stagecraft::app::commands {

namespace {

constexpr std::size_t usualTextRows = 200;

void listDetails(const PlanRun& run, std::ostream& out) {
    const std::vector<const PlanDetail*> own = detailsOf(run);
    if (own.empty()) {
        out << run.title() << " has no details\n";
        return;
    }
    out << "details of " << run.title() << " (--table ID)\n";
    for (const PlanDetail* each : own)
        out << "  " << each->id << std::string(20 - std::min<std::size_t>(19, each->id.size()), ' ')
            << each->title << ". " << each->summary << "\n";
}

const PlanDetail& detailAsked(const std::string& id, const PlanRun& run) {
    std::vector<std::string> known;
    for (const PlanDetail* each : detailsOf(run)) {
        if (each->id == id) return *each;
        known.emplace_back(each->id);
    }
    if (planDetailNamed(id))
        throw UsageError("there is no table " + id + " of " + run.title() +
                         "; without --table those that there are are listed");
    throw UsageError("there is no table '" + id + "'" + spellingHint(id, known));
}

void printTable(const DetailTable& table, std::ostream& out) {
    std::vector<std::string> headings;
    for (const DetailColumn& column : table.columns) headings.push_back(column.heading);
    TextTable text(std::move(headings));
    for (const std::vector<DetailCell>& row : table.rows) {
        std::vector<std::string> cells;
        for (std::size_t column = 0; column < row.size(); ++column)
            cells.push_back(detailText(row[column], table.columns[column].unit));
        text.add(std::move(cells));
    }
    text.print(out);
    for (const std::string& note : table.notes) out << note << "\n";
}

/// The rows that a filter takes; all without one.
DetailTable filtered(const DetailTable& table, const std::optional<std::string>& filter) {
    if (!filter) return table;
    try {
        return withRows(table, rowsTaken(table, DetailFilter(*filter, table.columns)));
    } catch (const QueryMistake& mistake) {
        throw UsageError("--where " + *filter + ": " + mistake.what());
    }
}

int runDetails(const Arguments& arguments, std::ostream& out, std::ostream& err) {
    arguments.refuseMoreThan(1);
    const std::string& path = arguments.positionalAt(0, "PROJECT");
    const PlansInput input = plansFrom(path);
    const std::size_t plan = chosenPlan(arguments, input.plans, path);
    checkAge(input, plan, path, err);
    const PlanRun run = reopenPlan(input.costs, input.plans[plan], input.origins[plan]);
    const auto id = arguments.text("table");
    if (!id) {
        listDetails(run, out);
        return exitDone;
    }
    const auto target = arguments.text("out");
    const bool csv = target || arguments.text("format").value_or("text") == "csv";
    if (const auto format = arguments.text("format"); format && *format != "csv" && *format != "text")
        throw UsageError("--format is '" + *format + "'; expected csv or text");
    const std::size_t usual = csv ? usualDetailRows : usualTextRows;
    const auto asked = arguments.integer("limit", 1);
    const std::size_t most = asked ? static_cast<std::size_t>(*asked) : usual;
    const auto where = arguments.text("where");
    // What a filter takes may come late in the table.
    const std::size_t made = where ? std::numeric_limits<std::size_t>::max() : most;
    DetailTable table = filtered(detailAsked(*id, run).make(run, made, {}), where);
    if (table.rows.size() > most) {
        table.rows.resize(most);
        table.cut = true;
    }
    if (target)
        writeFileAtomically(*target, detailCsv(table));
    else if (csv)
        out << detailCsv(table);
    else
        printTable(table, out);
    if (table.cut) err << "the first " << most << " rows; --limit asks for more\n";
    return exitDone;
}

}  // namespace

Command detailsCommand() {
    return {"details",
            {"PROJECT [--plan NAME] [--table ID] [--where FILTER] [--format text|csv] [--limit ROWS] [--out "
             "F.csv]"},
            "Shows what a planner looked through on its way to a plan, as tables.",
            {planOption,
             {"table", "ID", "which table; without it those that there are for the plan are listed"},
             {"where", "FILTER", "words that a row has to have, or what a column has to be: \"r=2 w<30ms\""},
             {"format", "FORMAT", "text | csv; default text, csv with --out"},
             {"limit", "ROWS", "rows at most; default 200 as text, 100000 as csv"},
             {"out", "F.csv", "where the table goes"}},
            &runDetails};
}

}  // namespace stagecraft::app::commands
