#include "app/commands/command.h"
#include "app/commands/measured_report.h"
#include "app/commands/out_folder.h"
#include "app/experiments/paper_experiments.h"
#include "core/base/counted.h"
#include "core/base/units.h"
#include "core/experiments/agreement.h"
#include "core/experiments/levels.h"
#include "core/experiments/results.h"
#include "core/experiments/runner.h"
#include "core/formats/input_error.h"
#include "core/formats/json_writer.h"
#include "core/formats/text_file.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

namespace stagecraft::app::commands {

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

/// One of the papers' experiments, run and judged.
struct Reproduced {
    const PaperExperiment* paper = nullptr;
    Experiment experiment;
    std::vector<Judgement> judgements;
    std::vector<Level> levels;
    Agreement agreement = Agreement::other;  ///< with what was shipped

    bool isAsShipped() const { return agreement != Agreement::other; }
};

/// To the byte, or, where networks are trained, within the tolerance.
Agreement agreementWith(const PaperExperiment& paper, const std::string& text) {
    const std::string shipped = paper.results();
    if (text == shipped) return Agreement::same;
    if (shipped.empty()) return Agreement::other;
    const Agreement agreement =
        agreementOf(readResults(text, paper.id, {}), readResults(shipped, paper.id, {}));
    // Numbers that are equal and were written otherwise are not what was shipped.
    return agreement == Agreement::same ? Agreement::other : agreement;
}

Reproduced reproduce(const PaperExperiment& paper, const SweepOptions& options,
                     const std::optional<std::string>& folder) {
    ExperimentResults results;
    results.experiment = paper.experiment();
    const Grid grid(results.experiment);
    results.cells = runCells(grid, allCells(grid), options);
    const std::string text = writeResults(results);
    if (folder) writeFileAtomically(std::filesystem::path(*folder) / (paper.id + ".results.json"), text);
    const std::vector<Judgement> judgements = judgeAll(grid, results.cells);
    return {&paper, grid.experiment(), judgements, levelsOf(grid, results.cells, judgements),
            agreementWith(paper, text)};
}

std::string toleranceText() {
    const TrainingTolerance& tolerance = trainingTolerance;
    return formatNumber(tolerance.ofLoss) + " of a loss, " + counted(tolerance.samples, "validation sample") +
           " of an accuracy and " + counted(tolerance.epochs, "epoch");
}

void printReproduced(std::ostream& out, const Reproduced& one) {
    const Experiment& experiment = one.experiment;
    out << "  " << experiment.source.place << ": " << experiment.name << " (" << one.paper->id << ")"
        << (one.agreement == Agreement::same              ? ""
            : one.agreement == Agreement::withinTolerance ? "; as shipped within the tolerance of trainings"
            : one.paper->results().empty()                ? "; nothing shipped to compare with"
                                                          : "; CHANGED")
        << "\n";
    for (std::size_t i = 0; i < one.judgements.size(); ++i) {
        const Claim& claim = experiment.claims[i];
        const std::string& place = claim.source.place;
        out << "    " << verdictName(one.judgements[i].verdict) << ": " << claim.text
            << (place == experiment.source.place ? "" : " (" + place + ")") << "\n"
            << "      " << one.judgements[i].because << "\n";
        if (!claim.remark.empty()) out << "      " << claim.remark << "\n";
    }
    if (!one.levels.empty()) out << "    levels: " << levelsText(countLevels(one.levels)) << "\n";
    out << std::flush;  // the next may take minutes
}

/// Verdicts and levels of several experiments: of a paper, or of all.
struct Tally {
    std::string paper;  ///< empty: of all
    std::vector<Judgement> judgements;
    std::vector<Level> levels;

    void add(const Reproduced& one) {
        judgements.insert(judgements.end(), one.judgements.begin(), one.judgements.end());
        levels.insert(levels.end(), one.levels.begin(), one.levels.end());
    }
    std::string text() const {
        return "shapes: " + countOfVerdicts(judgements) + "; levels: " + levelsText(countLevels(levels));
    }
};

nlohmann::ordered_json jsonOf(const LevelCount& count) {
    nlohmann::ordered_json entry = {{"printed", count.printed}, {"compared", count.compared}};
    if (count.compared > 0) {
        entry["median_ratio"] = count.median;
        entry["within_10_percent"] = count.within10;
        entry["within_25_percent"] = count.within25;
        entry["within_factor_2"] = count.withinTwice;
    }
    return entry;
}

nlohmann::ordered_json jsonOf(const Tally& tally) {
    const auto count = [&](Verdict verdict) {
        return std::count_if(tally.judgements.begin(), tally.judgements.end(),
                             [&](const Judgement& judgement) { return judgement.verdict == verdict; });
    };
    nlohmann::ordered_json entry = nlohmann::ordered_json::object();
    if (!tally.paper.empty()) entry["paper"] = tally.paper;
    entry["claims"] = tally.judgements.size();
    for (const Verdict verdict : {Verdict::holds, Verdict::fails, Verdict::undecided})
        entry[verdictName(verdict)] = count(verdict);
    entry["levels"] = jsonOf(countLevels(tally.levels));
    return entry;
}

/// A number, or a range as a list of two.
nlohmann::ordered_json jsonOf(const PrintedRange& printed) {
    if (printed.least == printed.most) return printed.least;
    return nlohmann::ordered_json::array({printed.least, printed.most});
}

nlohmann::ordered_json jsonOf(const Level& level) {
    nlohmann::ordered_json entry = {
        {"place", level.place}, {"what", level.what}, {"printed", jsonOf(level.printed)}};
    if (level.found) entry["found"] = *level.found;
    if (const auto ratio = level.ratio()) entry["ratio"] = *ratio;
    return entry;
}

nlohmann::ordered_json jsonOf(const Reproduced& one) {
    nlohmann::ordered_json entry = {{"id", one.paper->id},
                                    {"paper", one.experiment.source.paper},
                                    {"as_shipped", one.isAsShipped()},
                                    {"to_the_byte", one.agreement == Agreement::same},
                                    {"claims", nlohmann::ordered_json::array()}};
    for (std::size_t i = 0; i < one.judgements.size(); ++i) {
        const Claim& claim = one.experiment.claims[i];
        const Judgement& judgement = one.judgements[i];
        nlohmann::ordered_json verdict = {{"text", claim.text},
                                          {"source", claim.source.place},
                                          {"verdict", verdictName(judgement.verdict)},
                                          {"number", judgement.number}};
        if (judgement.seeds > 0) verdict["seeds"] = judgement.seeds;
        if (judgement.standardError) verdict["standard_error"] = *judgement.standardError;
        if (judgement.printed) verdict["printed"] = jsonOf(*judgement.printed);
        verdict["because"] = judgement.because;
        entry["claims"].push_back(std::move(verdict));
    }
    entry["levels"] = jsonOf(countLevels(one.levels));
    entry["printed"] = nlohmann::ordered_json::array();
    for (const Level& level : one.levels) entry["printed"].push_back(jsonOf(level));
    return entry;
}

nlohmann::ordered_json jsonOf(const std::vector<Tally>& papers) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Tally& paper : papers) list.push_back(jsonOf(paper));
    return list;
}

/// @param changed experiments with other results than shipped @param near those within the tolerance
void printEnd(std::ostream& out, const std::vector<Tally>& papers, const Tally& all, int changed, int near) {
    if (!papers.empty()) out << "  " << papers.back().text() << "\n";
    if (papers.size() > 1) out << "All papers\n  " << all.text() << "\n";
    if (changed == 0)
        out << "All results are as shipped"
            << (near == 0 ? ".\n" : ", those of trainings within their tolerance.\n");
    else
        out << changed << (changed == 1 ? " experiment gives" : " experiments give")
            << " other results than shipped.\n";
}

int runReproduce(const Arguments& arguments, std::ostream& out, std::ostream& err) {
    arguments.refuseMoreThan(0);
    if (arguments.has("measured")) return reproduceMeasured(arguments, out, err);
    for (const Option& option : measuredOptions())
        if (arguments.has(option.name))
            throw UsageError("--" + option.name + " is of --measured; expected that beside it");
    SweepOptions options;
    options.jobs = arguments.integer("jobs", 1).value_or(0);
    const bool json = arguments.has("json");
    if (const auto folder = arguments.text("out")) makeFolder(*folder, "a folder for the results");
    nlohmann::ordered_json entries = nlohmann::ordered_json::array();
    int changed = 0, near = 0;
    Tally all;
    std::vector<Tally> papers;
    for (const PaperExperiment* chosenOne : chosen(arguments)) {
        const std::string of = chosenOne->experiment().source.paper;
        if (papers.empty() || papers.back().paper != of) {
            if (!json && !papers.empty()) out << "  " << papers.back().text() << "\n";
            papers.push_back({of, {}, {}});
            if (!json) out << paperTitle(of) << "\n";
        }
        const Reproduced one = reproduce(*chosenOne, options, arguments.text("out"));
        changed += one.isAsShipped() ? 0 : 1;
        near += one.agreement == Agreement::withinTolerance ? 1 : 0;
        all.add(one);
        papers.back().add(one);
        if (json)
            entries.push_back(jsonOf(one));
        else
            printReproduced(out, one);
    }
    if (json)
        out << formatJson({{"experiments", entries}, {"papers", jsonOf(papers)}, {"all", jsonOf(all)}});
    else
        printEnd(out, papers, all, changed, near);
    if (changed) err << "stagecraft: results differ from those that were shipped\n";
    return changed ? exitFailed : exitDone;
}

std::vector<Option> reproduceOptions() {
    std::vector<Option> options = {
        {"only", "PAPER|ID", "spp, pipedream, xpipe, vpipe or madpipe; or one experiment"},
        {"jobs", "N", "threads; default: one per core"},
        {"json", "",
         "print JSON: each claim's verdict with its number and standard error, each printed number"},
        {"out", "FOLDER", "also write the results there; a row's project with --row"}};
    for (const Option& option : measuredOptions()) options.push_back(option);
    return options;
}

}  // namespace

Command reproduceCommand() {
    return {
        "reproduce",
        {"[--only PAPER|ID] [--jobs N] [--json] [--out FOLDER]",
         "--measured [--set ID] [--jobs N] [--json|--csv]", "--measured --set ID --row N --out FILE"},
        "Runs the papers' experiments and says which of their claims hold (shapes) and how far numbers are "
        "from the printed ones (levels); exit 0 if all is as shipped: to "
        "the byte, but trainings to " +
            toleranceText() + ". With --measured, how far predictions are from public measurements.",
        reproduceOptions(),
        &runReproduce};
}

}  // namespace stagecraft::app::commands
