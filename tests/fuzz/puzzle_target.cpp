// A puzzle in the first line, and below it an order of its passes, as `stagecraft puzzle` takes them.
#include "core/puzzles/order_file.h"
#include "core/puzzles/puzzle_json.h"
#include "tests/support/every_room.h"
#include "core/formats/input_error.h"

#include <cstdlib>
#include <iostream>
#include <stdexcept>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace stagecraft;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const std::size_t border = text.find('\n');
    if (border == std::string_view::npos) return 0;
    const auto require = [](bool holds, const char* what) {
        if (holds) return;
        std::cerr << "does not hold: " << what << std::endl;
        std::abort();
    };
    try {
        const Puzzle puzzle = puzzleFromText(text.substr(0, border));
        require(puzzleFromText(puzzleText(puzzle)) == puzzle, "the puzzle reads back");
        const std::string order = puzzleOrderText(readPuzzleOrder(text.substr(border + 1), "F", puzzle));
        require(puzzleOrderText(readPuzzleOrder(order, "", puzzle)) == order, "the order reads back");
    } catch (const InputError&) {
    } catch (const std::invalid_argument&) {
    }
    return 0;
}
