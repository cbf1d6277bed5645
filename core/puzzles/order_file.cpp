#include "core/puzzles/order_file.h"

#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/base/text_parts.h"
#include "core/formats/input_error.h"
#include "core/formats/orders/pipelining_csv.h"
#include "core/formats/pass_text.h"

#include <algorithm>
#include <optional>

namespace stagecraft::puzzles {

namespace {

struct WrittenPass {
    Task task;
    std::optional<int> start;
    int line = 0;
};
using WrittenLanes = std::vector<std::vector<WrittenPass>>;

std::string linePlace(int line) { return line > 0 ? "line " + std::to_string(line) : std::string(); }

/// Nothing if it is no pass.
std::optional<WrittenPass> passFrom(std::string_view word, const Puzzle& puzzle, int device) {
    WrittenPass pass;
    pass.task.stage = device;
    if (const std::size_t at = word.find('@'); at != std::string_view::npos) {
        std::string_view time = word.substr(at + 1);
        pass.start = takeCount(time);
        if (!pass.start || !time.empty()) return std::nullopt;
        word = word.substr(0, at);
    }
    if (const std::size_t colon = word.find(':'); colon != std::string_view::npos) {
        std::string_view stage = word.substr(0, colon);
        const std::optional<int> count = takeCount(stage);
        if (!count || !stage.empty()) return std::nullopt;
        pass.task.stage = *count;
        word = word.substr(colon + 1);
    } else if (puzzle.chunks > 1) {
        return std::nullopt;
    }
    if (word.empty()) return std::nullopt;
    const std::optional<TaskKind> kind = passOfLetter(word.front());
    word.remove_prefix(1);
    const std::optional<int> microbatch = takeCount(word);
    if (!kind || !microbatch || !word.empty()) return std::nullopt;
    pass.task.kind = *kind;
    pass.task.microbatch = *microbatch;
    return pass;
}

/// "GPU 0:" at the start of a line is taken off.
std::string_view withoutName(std::string_view line, const std::string& file, int number, int device) {
    if (!line.starts_with("GPU ")) return line;
    std::string_view rest = trimmed(line.substr(4));
    const std::optional<int> named = takeCount(rest);
    if (!named || !rest.starts_with(':') || *named != device)
        throw InputError(file, linePlace(number),
                         inQuotes(line) + " is not the line of GPU " + std::to_string(device),
                         "a line for each GPU, from 'GPU 0:' on");
    return trimmed(rest.substr(1));
}

WrittenLanes lanesFrom(std::string_view text, const std::string& file, const Puzzle& puzzle) {
    WrittenLanes lanes;
    int number = 0;
    for (std::string_view line : linesOf(text)) {
        ++number;
        const std::string_view plain = trimmed(line.substr(0, line.find('#')));
        if (plain.empty()) continue;
        const int device = static_cast<int>(lanes.size());
        if (device == puzzle.devices)
            throw InputError(file, linePlace(number), "there are more lines of passes than GPUs",
                             counted(puzzle.devices, "line"));
        std::vector<WrittenPass>& lane = lanes.emplace_back();
        for (const std::string_view word : wordsOf(withoutName(plain, file, number, device))) {
            std::optional<WrittenPass> pass = passFrom(word, puzzle, device);
            if (!pass)
                throw InputError(file, linePlace(number), inQuotes(word) + " is no pass",
                                 puzzle.chunks > 1 ? "a stage and a pass such as 2:F0, or with a time 2:F0@3"
                                                   : "a pass such as F0, or with a time F0@3");
            pass->line = number;
            lane.push_back(*pass);
        }
    }
    lanes.resize(at(puzzle.devices));
    return lanes;
}

WrittenLanes lanesOfEngine(std::string_view text, const std::string& file, const Puzzle& puzzle) {
    const RankOrders orders = readPipeliningCsv(text, file);
    if (static_cast<int>(orders.ranks.size()) != puzzle.devices)
        throw InputError(file, {}, "it has " + counted((long long)orders.ranks.size(), "rank"),
                         counted(puzzle.devices, "rank"));
    WrittenLanes lanes(at(puzzle.devices));
    for (std::size_t rank = 0; rank < orders.ranks.size(); ++rank)
        for (const Task& task : orders.ranks[rank]) lanes[rank].push_back({task, {}, 0});
    return lanes;
}

/// Whether the text's first pass is of the spelling of plans and not of PyTorch's.
bool isEngineOrder(std::string_view text) {
    return text.find(',') != std::string_view::npos && isPipeliningCsv(text);
}

}  // namespace

PuzzleBoard readPuzzleOrder(std::string_view text, const std::string& file, const Puzzle& puzzle) {
    const WrittenLanes lanes =
        isEngineOrder(text) ? lanesOfEngine(text, file, puzzle) : lanesFrom(text, file, puzzle);
    PuzzleBoard board(puzzle);
    std::vector<std::size_t> reached(lanes.size(), 0);
    std::string why;
    int line = 0;
    for (bool moved = true; moved;) {
        moved = false;
        why.clear();
        for (std::size_t device = 0; device < lanes.size(); ++device)
            while (reached[device] < lanes[device].size()) {
                const WrittenPass& pass = lanes[device][reached[device]];
                std::string refused = board.refusal(pass.task, static_cast<int>(device), pass.start);
                if (!refused.empty()) {
                    if (why.empty()) line = pass.line;
                    if (why.empty()) why = std::move(refused);
                    break;
                }
                board.place(pass.task, pass.start);
                ++reached[device];
                moved = true;
            }
    }
    if (!why.empty()) throw InputError(file, linePlace(line), why, {});
    return board;
}

std::string puzzleOrderText(const PuzzleBoard& board) {
    const Puzzle& puzzle = board.puzzle();
    std::string text;
    for (int device = 0; device < puzzle.devices; ++device) {
        text += "GPU " + std::to_string(device) + ":";
        for (std::size_t i = 0; i < board.lane(device).size(); ++i) {
            const PlacedPass& pass = board.lane(device)[i];
            text += " " + passText(pass.task, puzzle.chunks > 1, false);
            const int earliest =
                std::max(i > 0 ? board.lane(device)[i - 1].end : 0, *board.arrival(pass.task));
            if (pass.start > earliest) text += "@" + std::to_string(pass.start);
        }
        text += "\n";
    }
    return text;
}

}  // namespace stagecraft::puzzles
