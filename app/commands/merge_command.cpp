#include "app/commands/command.h"
#include "core/experiments/results.h"
#include "core/formats/text_file.h"

#include <algorithm>

namespace stagecraft::app::commands {

namespace {

int runMerge(const Arguments& arguments, std::ostream& out, std::ostream&) {
    const std::string path = arguments.required("out");
    arguments.positionalAt(0, "results of a shard");
    std::vector<ExperimentResults> parts;
    for (const std::string& part : arguments.positional()) parts.push_back(openResults(part));
    const ExperimentResults all = merged(parts, arguments.positional());
    writeFileAtomically(path, path.ends_with(".csv") ? resultsCsv(all) : writeResults(all));
    const auto open = std::count_if(all.cells.begin(), all.cells.end(),
                                    [](const CellResult& cell) { return cell.status == CellStatus::open; });
    out << all.cells.size() - static_cast<std::size_t>(open) << " of " << all.cells.size() << " cells\n";
    return exitDone;
}

}  // namespace

Command mergeCommand() {
    return {"merge",
            {"F… --out G"},
            "Puts shards of one experiment together into the bytes of the unsharded run.",
            {{"out", "G", "the results: JSON, or a table (.csv)"}},
            &runMerge};
}

}  // namespace stagecraft::app::commands
