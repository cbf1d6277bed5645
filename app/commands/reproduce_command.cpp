#include "app/commands/command.h"
#include "app/experiments/paper_experiments.h"
#include "core/experiments/results.h"
#include "core/experiments/runner.h"
#include "core/formats/formats.h"

#include <filesystem>

namespace stagecraft {

namespace {

/// Those of one paper, or one of them by its id; all without a choice.
std::vector<const PaperExperiment*> chosen(const Arguments& arguments) {
    const auto only = arguments.text("only");
    std::vector<const PaperExperiment*> all;
    std::vector<std::string> known;
    for (const PaperExperiment& one : paperExperiments()) {
        const std::string paper = one.experiment().source.paper;
        if (known.empty() || known.back() != paper) known.push_back(paper);
        if (!only || *only == paper || *only == one.id) all.push_back(&one);
    }
    if (!all.empty()) return all;
    for (const PaperExperiment& one : paperExperiments()) known.push_back(one.id);
    Arguments::failChoice("only", *only, known);
}

int run(const Arguments& arguments, std::ostream& out, std::ostream& err) {
    arguments.refuseMoreThan(0);
    SweepOptions options;
    options.jobs = arguments.integer("jobs", 1).value_or(0);
    int changed = 0;
    std::vector<Judgement> all;
    std::string paper;
    for (const PaperExperiment* one : chosen(arguments)) {
        ExperimentResults results;
        results.experiment = one->experiment();
        const Experiment& experiment = results.experiment;
        if (experiment.source.paper != paper) out << paperTitle(paper = experiment.source.paper) << "\n";
        const Grid grid(experiment);
        results.cells = runCells(grid, allCells(grid), options);
        const std::string text = writeResults(results);
        const bool same = text == one->results;
        if (!same) ++changed;
        out << "  " << experiment.source.place << ": " << experiment.name << " (" << one->id << ")"
            << (same                   ? ""
                : one->results.empty() ? "; nothing shipped to compare with"
                                       : "; CHANGED")
            << "\n";
        const std::vector<Judgement> judgements = judgeAll(grid, results.cells);
        for (std::size_t i = 0; i < judgements.size(); ++i) {
            all.push_back(judgements[i]);
            const std::string& place = experiment.claims[i].source.place;
            out << "    " << verdictName(judgements[i].verdict) << ": " << experiment.claims[i].text
                << (place == experiment.source.place ? "" : " (" + place + ")") << "\n"
                << "      " << judgements[i].because << "\n";
            if (!experiment.claims[i].remark.empty()) out << "      " << experiment.claims[i].remark << "\n";
        }
        if (const auto folder = arguments.text("out"))
            writeFileAtomically(std::filesystem::path(*folder) / (one->id + ".results.json"), text);
        out << std::flush;  // the next may take minutes
    }
    out << "\n" << countOfVerdicts(all) << "; ";
    if (changed == 0)
        out << "all results are as shipped.\n";
    else
        out << changed << (changed == 1 ? " experiment gives" : " experiments give")
            << " other results than shipped.\n";
    if (changed) err << "stagecraft: results differ from those that were shipped\n";
    return changed ? exitFailed : exitDone;
}

}  // namespace

Command reproduceCommand() {
    return {"reproduce",
            {"[--only PAPER|ID] [--jobs N] [--out FOLDER]"},
            "Runs the papers' experiments and says which of their claims hold; exit 0 if all is as shipped.",
            {{"only", "PAPER|ID", "spp, pipedream, xpipe, vpipe or madpipe; or one experiment"},
             {"jobs", "N", "threads; without it one a core"},
             {"out", "FOLDER", "also write the results there"}},
            &run};
}

}  // namespace stagecraft
