// Puzzles without a window: which there are, what par is, and how good an order is.
#include "app/commands/command.h"
#include "app/commands/inputs.h"
#include "app/puzzles/puzzle_library.h"
#include "core/base/counted.h"
#include "core/base/spelling.h"
#include "core/base/units.h"
#include "core/formats/text_file.h"
#include "core/programs/recognised_schedule.h"
#include "core/puzzles/coach.h"
#include "core/puzzles/family_orders.h"
#include "core/puzzles/order_file.h"

#include <stdexcept>

namespace stagecraft::app::commands {

namespace {

/// A puzzle of the course, or one of a person's own.
struct NamedPuzzle {
    std::string title;
    std::string aim;
    std::string hint;
    Puzzle puzzle;
};

NamedPuzzle sandboxPuzzle(const std::string& text) {
    try {
        return {"Sandbox", {}, {}, puzzleFromText(text)};
    } catch (const std::invalid_argument& error) {
        throw UsageError("--sandbox: " + std::string(error.what()));
    }
}

NamedPuzzle puzzleIn(const Arguments& arguments) {
    if (const auto text = arguments.text("sandbox")) {
        arguments.refuseMoreThan(0);
        return sandboxPuzzle(*text);
    }
    arguments.refuseMoreThan(1);
    const std::string id = arguments.positionalAt(0, "a puzzle");
    if (const CoursePuzzle* found = findPuzzle(id))
        return {found->title, found->aim, found->hint, found->puzzle};
    std::vector<std::string> ids;
    for (const CoursePuzzle& each : coursePuzzles()) ids.push_back(each.id);
    throw UsageError("no puzzle '" + id + "'" + spellingHint(id, ids) + "; expected " + joinNames(ids) +
                     ", or --sandbox");
}

const char* goalName(const Puzzle& puzzle) { return puzzle.goal == PuzzleGoal::makespan ? "time" : "span"; }

void listPuzzles(std::ostream& out) {
    for (const CoursePuzzle& each : coursePuzzles()) {
        out << each.id << ": " << each.title << "\n    " << describePuzzle(each.puzzle) << "\n";
        if (const auto par = parFor(each.puzzle))
            out << "    par " << goalName(each.puzzle) << " " << parText(each.puzzle, *par) << "\n";
    }
}

void showPuzzle(const NamedPuzzle& named, std::ostream& out) {
    out << named.title << "\n" << describePuzzle(named.puzzle) << "\n";
    if (!named.aim.empty()) out << named.aim << "\n";
    const auto par = parFor(named.puzzle);
    out << (par ? "Par " + std::string(goalName(named.puzzle)) + " " + parText(named.puzzle, *par)
                : "No order completes within the memory limit")
        << "\n";
}

std::string againstPar(const Puzzle& puzzle, const PuzzleScore& score) {
    const auto par = parFor(puzzle);
    if (!par) return {};
    const int over = score.time(puzzle.goal) - par->time;
    const std::string text = ", par " + std::to_string(par->time);
    if (over < 0) return text + " (best known): better than par";
    if (over > 0) return text + ": " + std::to_string(over) + " above par";
    return text + (score.peakHalves <= par->peakHalves
                       ? ": par reached"
                       : ": par reached, which takes " + heldText(puzzle, par->peakHalves));
}

void printScore(const PuzzleBoard& board, std::ostream& out) {
    const Puzzle& puzzle = board.puzzle();
    const PuzzleScore score = board.score();
    out << score.placed << " of " << counted(score.passes, "pass", "passes") << "\n"
        << goalName(puzzle) << " " << score.time(puzzle.goal);
    if (score.complete()) out << againstPar(puzzle, score);
    out << "\nbubbles " << formatNumber(100 * score.bubbleShare) << " %\npeak memory "
        << heldText(puzzle, score.peakHalves) << "\n";
    if (const std::vector<std::string> families = familiesOf(board); !families.empty())
        out << sameOrderText(families) << "\n";
}

void printAdvice(const PuzzleBoard& board, std::ostream& out) {
    const Advice advice = adviceFor(board);
    out << advice.reason << "\n";
    if (!advice.source.empty()) out << advice.source << "\n";
}

void writeRealProject(const PuzzleBoard& board, const NamedPuzzle& named, const Arguments& arguments) {
    const std::string path = *arguments.text("real");
    try {
        const Project real = realProject(board, openProject(path), named.title);
        writeFileAtomically(arguments.required("out"), writeProject(real));
    } catch (const std::invalid_argument& error) {
        throw UsageError(path + ": " + error.what());
    }
}

int judgeOrder(const NamedPuzzle& named, const Arguments& arguments, std::ostream& out) {
    const std::string file = *arguments.text("order");
    const PuzzleBoard board = readPuzzleOrder(readTextFile(file), file, named.puzzle);
    printScore(board, out);
    if (arguments.has("coach") && !named.hint.empty()) out << named.hint << "\n";
    if (arguments.has("coach")) printAdvice(board, out);
    if (arguments.has("real")) writeRealProject(board, named, arguments);
    return exitDone;
}

int printSolution(const NamedPuzzle& named, std::ostream& out, std::ostream& err) {
    PuzzleBoard board(named.puzzle);
    const Continuation best = bestContinuation(board);
    if (best.source == Continuation::Source::none) {
        err << "stagecraft: no order completes within the memory limit\n";
        return exitFailed;
    }
    for (const PlacedPass& pass : best.passes) board.place(pass.task, pass.start);
    out << "# " << sourceText(best) << "\n" << puzzleOrderText(board);
    return exitDone;
}

void requireOrder(const Arguments& arguments) {
    for (const char* option : {"coach", "real"})
        if (arguments.has(option) && !arguments.has("order"))
            throw UsageError("--" + std::string(option) + " needs --order");
    if (arguments.has("out") && !arguments.has("real")) throw UsageError("--out needs --real");
}

int runPuzzle(const Arguments& arguments, std::ostream& out, std::ostream& err) {
    requireOrder(arguments);
    if (arguments.has("par-table")) {
        arguments.refuseMoreThan(0);
        out << parTableText(freshParTable());
        return exitDone;
    }
    if (arguments.positional().empty() && !arguments.has("sandbox")) {
        listPuzzles(out);
        return exitDone;
    }
    const NamedPuzzle named = puzzleIn(arguments);
    if (arguments.has("order")) return judgeOrder(named, arguments, out);
    if (arguments.has("solution")) return printSolution(named, out, err);
    showPuzzle(named, out);
    return exitDone;
}

}  // namespace

Command puzzleCommand() {
    return {
        "puzzle",
        {"", "PUZZLE|--sandbox FIELDS",
         "PUZZLE|--sandbox FIELDS --order FILE [--coach] [--real PROJECT --out F]",
         "PUZZLE|--sandbox FIELDS --solution", "--par-table"},
        "Lists the puzzles, in which passes are placed by hand, shows one, or judges an order against par.",
        {{"sandbox", "FIELDS",
          "a puzzle of your own, such as p=4,m=8,v=2,times=1:2,transfer=1,memory=6: GPUs, microbatches, "
          "chunks "
          "per GPU, forward and backward (or forward, input and weight gradient) in units of time, parted by "
          "slashes where stages differ; placement=vee, goal=span"},
         {"order", "FILE",
          "a line for each GPU with its passes, such as 'F0 F1 B0 B1' (2:F0 is of stage 2, F0@3 starts at "
          "3), "
          "or PyTorch's pipelining CSV"},
         {"coach", "", "say what a good player would do next, and why"},
         {"solution", "", "print the best order that is known"},
         {"real", "PROJECT", "run the order on the project's network and GPUs, as a plan"},
         {"out", "F.stagecraft.json", "where the project with that plan goes"},
         {"par-table", "", "work out the table of pars anew and print it as JSON"}},
        &runPuzzle};
}

}  // namespace stagecraft::app::commands
