#pragma once

#include "core/puzzles/least_time.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::puzzles {

/// What a puzzle's answers are held against.
struct Par {
    int time = 0;             ///< of the puzzle's goal
    bool proven = false;      ///< nothing is shorter; else it is the best that is known
    int peakHalves = 0;       ///< the least peak of a device with which that time was reached
    bool peakProven = false;  ///< nothing that reaches it holds less
    bool operator==(const Par&) const = default;
};

/// By exact search, or else as the best of schedule families and greedy rules, which is proven where it
/// reaches a lower bound. @return nothing if no order completes within the limit
std::optional<Par> workOutPar(const Puzzle& puzzle, const SearchLimits& limits = {});

struct ParRow {
    Puzzle puzzle;
    Par par;
    bool operator==(const ParRow&) const = default;
};

/// Pars that were worked out before.
class ParTable {
public:
    ParTable() = default;
    explicit ParTable(std::vector<ParRow> rows) : rows_(std::move(rows)) {}
    const std::vector<ParRow>& rows() const { return rows_; }
    std::optional<Par> find(const Puzzle& puzzle) const;

private:
    std::vector<ParRow> rows_;
};

/// The small shapes of which the table has pars, beside the puzzles of the course.
std::vector<Puzzle> smallShapes();

/// {"format": "stagecraft-par", "rows": [{"puzzle": as puzzleJson(), "time", "proven", "peak": in activations
/// of a stage for one microbatch, "peak_proven"}]}
std::string parTableText(const ParTable& table);
/// @throws InputError with the file and the JSON pointer
ParTable readParTable(std::string_view text, const std::string& file);

/// "21, proven optimal" or "21, best known"; with the peak: "…, with 2 microbatches per GPU".
std::string parText(const Puzzle& puzzle, const Par& par);

}  // namespace stagecraft::puzzles
