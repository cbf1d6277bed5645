#include "app/commands/command.h"
#include "app/commands/custom_programs.h"
#include "app/commands/pictures.h"
#include "app/commands/style_options.h"
#include "app/experiments/results_source.h"
#include "app/experiments/sweep_files.h"
#include "core/base/counted.h"
#include "core/base/process.h"
#include "core/base/text_parts.h"
#include "core/base/units.h"
#include "core/experiments/levels.h"
#include "core/experiments/result_cache.h"
#include "core/experiments/results.h"
#include "core/experiments/runner.h"
#include "core/formats/text_file.h"

#include <atomic>
#include <chrono>
#include <csignal>

namespace stagecraft::app::commands {

namespace {

std::atomic<bool> interrupted = false;
extern "C" void onInterrupt(int) {
    interrupted = true;
    std::signal(SIGINT, SIG_DFL);
}

/// Ctrl+C ends a sweep between two cells while this exists; a second one ends the program.
class InterruptGuard {
public:
    InterruptGuard() : before_(std::signal(SIGINT, &onInterrupt)) { interrupted = false; }
    ~InterruptGuard() { std::signal(SIGINT, before_); }
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

private:
    void (*before_)(int);
};

/// How far a sweep is, each second, with an estimate of what is left by the cells' costs.
class Progress {
public:
    Progress(std::ostream& err, const std::vector<double>& costs, const std::vector<std::size_t>& cells)
        : err_(err), costs_(costs), count_(cells.size()) {
        for (const std::size_t cell : cells) left_ += costs[cell];
    }

    void done(std::size_t cell, bool reused) {
        ++done_;
        left_ -= costs_[cell];
        if (reused)
            ++reused_;
        else
            worked_ += costs_[cell];
        const auto now = std::chrono::steady_clock::now();
        if (now - said_ < std::chrono::seconds(1)) return;
        said_ = now;
        const double seconds = std::chrono::duration<double>(now - start_).count();
        err_ << done_ << " of " << count_ << " cells";
        if (worked_ > 0 && seconds > 1)
            err_ << ", about " << formatSeconds(std::max(0.0, left_) * seconds / worked_) << " left";
        err_ << "\n";
    }

    std::string summary() const {
        const auto end = std::chrono::steady_clock::now();
        return std::to_string(done_) + " of " + counted(count_, "cell") + " in " +
               formatSeconds(std::chrono::duration<double>(end - start_).count()) +
               (reused_ ? ", " + std::to_string(reused_) + " of them known from before" : "");
    }

private:
    std::ostream& err_;
    const std::vector<double>& costs_;
    std::size_t count_, done_ = 0, reused_ = 0;
    double left_ = 0, worked_ = 0;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now(), said_ = start_;
};

struct Shard {
    int index = 0;  ///< from 0
    int count = 1;
};

Shard shardOf(const Arguments& arguments) {
    const auto text = arguments.text("shard");
    if (!text) return {};
    const std::size_t slash = text->find('/');
    try {
        std::size_t end = 0, secondEnd = 0;
        if (slash == std::string::npos) throw std::invalid_argument("");
        const int index = std::stoi(text->substr(0, slash), &end);
        const int count = std::stoi(text->substr(slash + 1), &secondEnd);
        if (end != slash || slash + 1 + secondEnd != text->size() || index < 1 || index > count)
            throw std::invalid_argument("");
        return {index - 1, count};
    } catch (const std::logic_error&) {
        throw UsageError("--shard is '" + *text + "'; expected I/N with I from 1 to N");
    }
}

/// The array of shards and, once it is done, the merge; what Slurm says of the latter goes to `out`.
bool submitToSlurm(const std::string& array, const std::string& merge, std::ostream& out) {
    constexpr std::chrono::minutes patience(10);
    ChildProcess first({"sbatch", "--parsable", array});
    const std::string id(trimmed(firstLine(first.output(patience).value_or(""))));
    if (!first.endedWell() || id.empty()) return false;
    ChildProcess second({"sbatch", "--dependency=afterok:" + id, merge});
    out << second.output(patience).value_or("");
    return second.endedWell();
}

int writeJobs(const Arguments& arguments, std::ostream& out) {
    const bool slurm = arguments.has("slurm");
    ShardJobs jobs;
    jobs.program = arguments.text("program").value_or("stagecraft");
    jobs.experiment = arguments.positionalAt(0, "an experiment");
    jobs.out = arguments.required("out");
    jobs.shards = *arguments.integer(slurm ? "slurm" : "parallel", 1);
    jobs.jobs = arguments.integer("jobs", 1).value_or(1);
    openExperiment(jobs.experiment);  // complains here rather than on every node
    if (!slurm) {
        if (arguments.has("submit")) throw UsageError("--submit goes with --slurm");
        const std::string script = jobs.out + ".parallel.sh";
        writeFileAtomically(script, parallelScript(jobs, arguments.text("hosts").value_or("")));
        out << "Run 'bash " << script << "'; it ends with " << jobs.out << ".\n";
        return exitDone;
    }
    const std::string array = jobs.out + ".array.sh", merge = jobs.out + ".merge.sh";
    writeFileAtomically(array, slurmArrayScript(jobs));
    writeFileAtomically(merge, slurmMergeScript(jobs));
    const std::string submit =
        "sbatch --dependency=afterok:$(sbatch --parsable '" + array + "') '" + merge + "'";
    if (!arguments.has("submit")) {
        out << "Submit with: " << submit << "\nIt ends with " << jobs.out << ".\n";
        return exitDone;
    }
    return submitToSlurm(array, merge, out) ? exitDone : exitFailed;
}

std::vector<CellResult> knownCells(const Grid& grid, ResultCache& cache) {
    SweepOptions options;
    options.cache = &cache;
    options.knownOnly = true;
    return runCells(grid, allCells(grid), options);
}

int runSweep(const Arguments& arguments, std::ostream& out, std::ostream& err) {
    arguments.refuseMoreThan(1);
    if (arguments.has("slurm") && arguments.has("parallel"))
        throw UsageError("--slurm and --parallel exclude each other");
    if (arguments.has("slurm") || arguments.has("parallel")) return writeJobs(arguments, out);
    const Shard shard = shardOf(arguments);
    const std::string path = arguments.required("out");
    const auto figure = figureFileFrom(arguments);
    if (figure && shard.count > 1)
        throw UsageError("--figure shows whole results; expected no --shard beside it");
    ExperimentResults results;
    customPrograms(&err);  // an experiment may name them
    results.experiment = openExperiment(arguments.positionalAt(0, "an experiment"));
    const Grid grid(results.experiment);
    std::optional<ResultCache> cache;
    if (!arguments.has("no-cache"))
        cache.emplace(arguments.text("cache").value_or(usualCacheFile().string()), programRevision());
    // Shards are dealt by what all cells cost, whatever is known here.
    const bool asksFirst = shard.count == 1 && cache && cache->size() > 0;
    const std::vector<double> costs =
        estimatedCosts(grid, asksFirst ? knownCells(grid, *cache) : std::vector<CellResult>());
    const std::vector<std::size_t> cells = cellsOfShard(grid, costs, shard.index, shard.count);

    const InterruptGuard guard;
    std::stop_source stop;
    Progress progress(err, costs, cells);
    SweepOptions options;
    options.jobs = arguments.integer("jobs", 1).value_or(0);
    options.stop = stop.get_token();
    options.cache = cache ? &*cache : nullptr;
    options.done = [&](std::size_t cell, const CellResult&, bool reused) {
        progress.done(cell, reused);
        if (interrupted) stop.request_stop();
    };
    results.cells = runCells(grid, cells, options);
    err << progress.summary() << "\n";
    if (stop.stop_requested()) {
        err << "stagecraft: stopped before the end, nothing written"
            << (cache ? "; the same command continues from here" : "") << "\n";
        return exitFailed;
    }
    writeFileAtomically(path, path.ends_with(".csv") ? resultsCsv(results) : writeResults(results));
    if (shard.count > 1) return exitDone;
    if (figure) {
        ensureApplication();  // for fonts
        writeSource(resultsSource(std::make_shared<const ExperimentResults>(results),
                                  firstChoice(results.experiment)),
                    figure->format, figure->style, {}, figure->path);
    }
    const std::vector<Judgement> judgements = judgeAll(grid, results.cells);
    for (std::size_t i = 0; i < judgements.size(); ++i)
        out << verdictName(judgements[i].verdict) << ": " << grid.experiment().claims[i].text << " ("
            << judgements[i].because << ")\n";
    const std::vector<Level> levels = levelsOf(grid, results.cells, judgements);
    if (!levels.empty()) out << "levels: " << levelsText(countLevels(levels)) << "\n";
    return exitDone;
}

std::vector<Option> sweepOptions() {
    std::vector<Option> options = {
        {"out", "F", "the results: JSON, or a table (.csv)"},
        {"jobs", "N", "threads; default: one per core"},
        {"shard", "I/N", "only the I-th of N parts of equal cost; 'stagecraft merge' puts them together"},
        {"cache", "F", "where results of cells are kept from run to run, instead of the usual file"},
        {"no-cache", "", "use and keep none"},
        {"slurm", "N", "write a Slurm array job of N shards and a job that merges them"},
        {"submit", "", "with --slurm: submit both with sbatch"},
        {"parallel", "N", "write a script that runs N shards by GNU parallel and merges them"},
        {"hosts", "H[,H…]", "with --parallel: over ssh on these, which share this folder"},
        {"program", "F", "with --slurm and --parallel: stagecraft as the nodes find it"}};
    options.insert(options.end(), figureFileOptions().begin(), figureFileOptions().end());
    return options;
}

}  // namespace

Command sweepCommand() {
    return {"sweep",
            {"EXPERIMENT --out F [--jobs N] [--shard I/N]", "EXPERIMENT --out F --figure F",
             "EXPERIMENT --out F --slurm N [--submit]", "EXPERIMENT --out F --parallel N [--hosts H[,H…]]"},
            "Runs an experiment's whole grid, or a shard of it, and judges its claims.",
            sweepOptions(),
            &runSweep};
}

}  // namespace stagecraft::app::commands
