#pragma once

#include "core/formats/json_reader.h"
#include "core/puzzles/puzzle.h"

#include <string>
#include <string_view>

namespace stagecraft::puzzles {

/// {"devices": 4, "microbatches": 8, "chunks": 2, "placement": "ring" or "vee", "times": "1:2", a forward and
/// a backward, or "1:1:1" where backwards are split, or an array of one for each stage, "transfer": 1,
/// "memory": 4, "goal": "makespan" or "span"}; what is as Puzzle has it by default may be left out.
nlohmann::ordered_json puzzleJson(const Puzzle& puzzle);

/// The fields of a puzzle, for objects that have others beside them.
const std::vector<std::string>& puzzleFields();
/// Reads puzzleFields() of an object that may have other fields. @throws InputError at the field
Puzzle puzzleFrom(const JsonObject& object, const JsonValue& value);
/// An object of puzzleFields() alone.
Puzzle puzzleFromJson(const JsonValue& value);

/// "p=4,m=8,v=2,placement=vee,times=1:1:1,transfer=1,memory=4,goal=span"; the times of each stage are parted
/// by slashes: "times=1:2/2:4". @throws std::invalid_argument saying what was expected
Puzzle puzzleFromText(std::string_view text);
std::string puzzleText(const Puzzle& puzzle);

/// A puzzle of the course.
struct CoursePuzzle {
    std::string id, title;
    std::string aim;   ///< a sentence
    std::string hint;  ///< another; may be empty
    Puzzle puzzle;
};
/// {"format": "stagecraft-puzzles", "puzzles": [{"id", "title", "aim", "hint", and the puzzle's fields}]}.
/// @throws InputError with the file and the JSON pointer
std::vector<CoursePuzzle> readCourse(std::string_view text, const std::string& file);

}  // namespace stagecraft::puzzles
