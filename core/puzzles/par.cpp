#include "core/puzzles/par.h"

#include "core/base/indices.h"
#include "core/formats/json_reader.h"
#include "core/formats/json_writer.h"
#include "core/formats/native/native_parts.h"
#include "core/puzzles/continuation.h"
#include "core/puzzles/puzzle_json.h"

#include <algorithm>

namespace stagecraft::puzzles {

namespace {

constexpr const char* parFormat = "stagecraft-par";

PuzzleScore scoreOf(const Puzzle& puzzle, const std::vector<PlacedPass>& passes) {
    PuzzleBoard board(puzzle);
    for (const PlacedPass& pass : passes) board.place(pass.task, pass.start);
    return board.score();
}

/// Lowers the peak as long as the time can be kept.
void workOutPeak(const Puzzle& puzzle, const SearchLimits& limits, Par& par) {
    const PuzzleBoard empty(puzzle);
    SearchLimits within = limits;
    within.mostTime = par.time;
    const int step = puzzle.split ? 1 : 2;
    for (within.limitHalves = 2 * puzzle.chunks; within.limitHalves < par.peakHalves;
         within.limitHalves += step) {
        const LeastTime least = leastTime(empty, within);
        if (!least.found && least.nodes > limits.mostNodes) par.peakProven = false;
        if (!least.found) continue;
        par.peakHalves = scoreOf(puzzle, least.passes).peakHalves;
        return;
    }
}

}  // namespace

std::optional<Par> workOutPar(const Puzzle& puzzle, const SearchLimits& limits) {
    const PuzzleBoard empty(puzzle);
    const Continuation best = bestContinuation(empty, limits);
    if (best.source == Continuation::Source::none) return std::nullopt;
    Par par{best.time, best.proven, scoreOf(puzzle, best.passes).peakHalves, false};
    // The search knows of makespans alone.
    if (par.proven && puzzle.goal == PuzzleGoal::makespan) {
        par.peakProven = true;
        workOutPeak(puzzle, limits, par);
    }
    return par;
}

std::optional<Par> ParTable::find(const Puzzle& puzzle) const {
    const auto found =
        std::find_if(rows_.begin(), rows_.end(), [&](const ParRow& row) { return row.puzzle == puzzle; });
    return found == rows_.end() ? std::nullopt : std::optional(found->par);
}

std::vector<Puzzle> smallShapes() {
    std::vector<Puzzle> shapes;
    const auto add = [&](int devices, int microbatches, int chunks, Placement placement) {
        for (const bool split : {false, true})
            for (int limit = 0; limit <= devices * chunks; ++limit) {
                if (limit > 0 && limit < chunks) continue;
                Puzzle puzzle;
                puzzle.devices = devices;
                puzzle.microbatches = microbatches;
                puzzle.chunks = chunks;
                puzzle.placement = placement;
                puzzle.split = split;
                puzzle.memoryLimit = limit;
                shapes.push_back(puzzle);
            }
    };
    for (int devices = 2; devices <= 4; ++devices)
        for (int microbatches = 2; microbatches <= 8; ++microbatches)
            add(devices, microbatches, 1, Placement::onePerRank);
    for (int devices = 2; devices <= 3; ++devices)
        for (int microbatches = 2; microbatches <= 4; ++microbatches)
            for (const Placement placement : {Placement::ring, Placement::vee})
                add(devices, microbatches, 2, placement);
    return shapes;
}

std::string parTableText(const ParTable& table) {
    nlohmann::ordered_json out = header(parFormat);
    out["rows"] = nlohmann::ordered_json::array();
    for (const ParRow& row : table.rows())
        out["rows"].push_back({{"puzzle", puzzleJson(row.puzzle)},
                               {"time", row.par.time},
                               {"proven", row.par.proven},
                               {"peak", row.par.peakHalves / 2.0},
                               {"peak_proven", row.par.peakProven}});
    return formatJson(out);
}

ParTable readParTable(std::string_view text, const std::string& file) {
    const nlohmann::json document = parseJson(text, file);
    const JsonValue root(document, file);
    checkHeader(root, parFormat);
    const JsonObject object(root, {"format", "version", "rows"});
    std::vector<ParRow> rows;
    for (const JsonValue& each : object.required("rows").elements()) {
        const JsonObject row(each, {"puzzle", "time", "proven", "peak", "peak_proven"});
        ParRow read;
        read.puzzle = puzzleFromJson(row.required("puzzle"));
        read.par.time = row.required("time").integer(1);
        read.par.proven = row.required("proven").boolean();
        const JsonValue peak = row.required("peak");
        const double halves = 2 * peak.positive();
        if (halves != static_cast<int>(halves)) peak.fail("the peak is no half", "a multiple of 0.5");
        read.par.peakHalves = static_cast<int>(halves);
        read.par.peakProven = row.required("peak_proven").boolean();
        rows.push_back(std::move(read));
    }
    return ParTable(std::move(rows));
}

std::string parText(const Puzzle& puzzle, const Par& par) {
    return std::to_string(par.time) + (par.proven ? ", proven optimal" : ", best known") + ", with " +
           heldText(puzzle, par.peakHalves) + " on a GPU" + (par.peakProven ? " at the least" : "");
}

}  // namespace stagecraft::puzzles
