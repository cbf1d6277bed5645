#include "core/puzzles/puzzle_json.h"

#include "core/base/spelling.h"
#include "core/base/text_parts.h"

#include <algorithm>
#include <optional>
#include <set>
#include <stdexcept>

namespace stagecraft::puzzles {

namespace {

constexpr EnumName<Placement> puzzlePlacements[] = {
    {Placement::onePerRank, "one"}, {Placement::ring, "ring"}, {Placement::vee, "vee"}};
constexpr EnumName<PuzzleGoal> puzzleGoals[] = {{PuzzleGoal::makespan, "makespan"},
                                                {PuzzleGoal::span, "span"}};
constexpr const char* timesExpected =
    "a forward and a backward such as 1:2, or a forward, an input and a weight gradient such as 1:1:1";

std::string timesTextOf(const Puzzle& puzzle, const UnitTimes& times) {
    const std::string forward = std::to_string(times.forward) + ":";
    return puzzle.split
               ? forward + std::to_string(times.inputGradient()) + ":" + std::to_string(times.weightGradient)
               : forward + std::to_string(times.backward);
}

/// Says also whether backwards are split; nothing if it is no such text.
std::optional<std::pair<UnitTimes, bool>> timesFromText(std::string_view text) {
    std::vector<int> numbers;
    for (const std::string_view part : cellsOf(text, ':')) {
        const std::optional<int> number = wholeInteger(part);
        if (!number || *number < 1 || *number > mostPuzzleTime) return std::nullopt;
        numbers.push_back(*number);
    }
    UnitTimes times;
    if (numbers.size() != 2 && numbers.size() != 3) return std::nullopt;
    times.forward = numbers[0];
    times.backward = numbers[1] + (numbers.size() == 3 ? numbers[2] : 0);
    // Of a whole backward nobody asks for it.
    times.weightGradient = numbers.size() == 3 ? numbers[2] : 1;
    return std::pair(times, numbers.size() == 3);
}

/// @return false if the stages are not all whole or all split
bool addTimes(Puzzle& puzzle, const std::pair<UnitTimes, bool>& read) {
    if (!puzzle.times.empty() && puzzle.split != read.second) return false;
    puzzle.split = read.second;
    puzzle.times.push_back(read.first);
    return true;
}

void readTimesOf(const JsonValue& value, Puzzle& puzzle) {
    puzzle.times.clear();
    const std::vector<JsonValue> all = value.isArray() ? value.elements() : std::vector{value};
    for (const JsonValue& each : all) {
        const auto read = timesFromText(each.text());
        if (!read) each.fail(inQuotes(each.text()) + " are no times", timesExpected);
        if (!addTimes(puzzle, *read))
            each.fail("some backwards are whole and some are split", "all of one kind");
    }
    if (puzzle.times.empty()) value.fail("there are no times", timesExpected);
}

/// Where nothing is said: as many chunks as there are go round the ring.
Placement usualPlacement(const Puzzle& puzzle) {
    return puzzle.chunks == 1 ? Placement::onePerRank : Placement::ring;
}

[[noreturn]] void refuseText(const std::string& problem, const std::string& expected) {
    throw std::invalid_argument(problem + "; expected " + expected);
}

int wholeOf(std::string_view name, std::string_view text) {
    const std::optional<int> number = wholeInteger(text);
    if (!number) refuseText(std::string(name) + " is " + inQuotes(text), "a whole number");
    return *number;
}

template <class Enum, std::size_t count>
Enum namedOf(std::string_view name, std::string_view text, const EnumName<Enum> (&names)[count]) {
    if (const Enum* value = findByName(names, text)) return *value;
    std::string known;
    for (const std::string& each : allNames(names)) known += (known.empty() ? "" : " or ") + each;
    refuseText(std::string(name) + " is " + inQuotes(text), known);
}

void setField(Puzzle& puzzle, std::string_view name, std::string_view value, bool& placed) {
    if (name == "p")
        puzzle.devices = wholeOf(name, value);
    else if (name == "m")
        puzzle.microbatches = wholeOf(name, value);
    else if (name == "v")
        puzzle.chunks = wholeOf(name, value);
    else if (name == "transfer")
        puzzle.transfer = wholeOf(name, value);
    else if (name == "memory")
        puzzle.memoryLimit = wholeOf(name, value);
    else if (name == "goal")
        puzzle.goal = namedOf(name, value, puzzleGoals);
    else if (name == "placement") {
        puzzle.placement = namedOf(name, value, puzzlePlacements);
        placed = true;
    } else if (name == "times") {
        puzzle.times.clear();
        for (const std::string_view part : cellsOf(value, '/')) {
            const auto read = timesFromText(part);
            if (!read) refuseText("times are " + inQuotes(part), timesExpected);
            if (!addTimes(puzzle, *read))
                refuseText("some backwards are whole and some are split", "all of one kind");
        }
    } else
        refuseText("there is no " + inQuotes(name), "p, m, v, placement, times, transfer, memory or goal");
}

}  // namespace

nlohmann::ordered_json puzzleJson(const Puzzle& puzzle) {
    nlohmann::ordered_json out = {{"devices", puzzle.devices}, {"microbatches", puzzle.microbatches}};
    if (puzzle.chunks != 1) out["chunks"] = puzzle.chunks;
    if (puzzle.placement != usualPlacement(puzzle))
        out["placement"] = nameOf(puzzlePlacements, puzzle.placement);
    if (puzzle.times.size() == 1)
        out["times"] = timesTextOf(puzzle, puzzle.times.front());
    else
        for (const UnitTimes& times : puzzle.times) out["times"].push_back(timesTextOf(puzzle, times));
    if (puzzle.transfer != 0) out["transfer"] = puzzle.transfer;
    if (puzzle.memoryLimit != 0) out["memory"] = puzzle.memoryLimit;
    if (puzzle.goal != PuzzleGoal::makespan) out["goal"] = nameOf(puzzleGoals, puzzle.goal);
    return out;
}

const std::vector<std::string>& puzzleFields() {
    static const std::vector<std::string> fields = {"devices", "microbatches", "chunks", "placement",
                                                    "times",   "transfer",     "memory", "goal"};
    return fields;
}

Puzzle puzzleFrom(const JsonObject& object, const JsonValue& value) {
    Puzzle puzzle;
    puzzle.devices = object.required("devices").integer(1, mostPuzzleDevices);
    puzzle.microbatches = object.required("microbatches").integer(1, mostPuzzleMicrobatches);
    if (const auto chunks = object.optional("chunks")) puzzle.chunks = chunks->integer(1, mostPuzzleChunks);
    puzzle.placement = usualPlacement(puzzle);
    if (const auto placement = object.optional("placement"))
        puzzle.placement = placement->choice(puzzlePlacements);
    if (const auto times = object.optional("times")) readTimesOf(*times, puzzle);
    if (const auto transfer = object.optional("transfer"))
        puzzle.transfer = transfer->integer(0, mostPuzzleTime);
    if (const auto memory = object.optional("memory")) puzzle.memoryLimit = memory->integer(1);
    if (const auto goal = object.optional("goal")) puzzle.goal = goal->choice(puzzleGoals);
    for (const PuzzleFault& fault : puzzleFaults(puzzle))
        (value.has(fault.field) ? value.member(fault.field) : value).fail(fault.problem, fault.expected);
    return puzzle;
}

Puzzle puzzleFromJson(const JsonValue& value) { return puzzleFrom(JsonObject(value, puzzleFields()), value); }

Puzzle puzzleFromText(std::string_view text) {
    Puzzle puzzle;
    bool placed = false;
    for (const std::string_view part : cellsOf(text, ',')) {
        const std::size_t equals = part.find('=');
        if (equals == std::string_view::npos)
            refuseText(inQuotes(part) + " is no field", "fields such as p=4,m=8,v=2,times=1:2,memory=4");
        setField(puzzle, trimmed(part.substr(0, equals)), trimmed(part.substr(equals + 1)), placed);
    }
    if (!placed) puzzle.placement = usualPlacement(puzzle);
    for (const PuzzleFault& fault : puzzleFaults(puzzle))
        refuseText(fault.field + ": " + fault.problem, fault.expected);
    return puzzle;
}

std::string puzzleText(const Puzzle& puzzle) {
    std::string text = "p=" + std::to_string(puzzle.devices) + ",m=" + std::to_string(puzzle.microbatches);
    if (puzzle.chunks != 1) text += ",v=" + std::to_string(puzzle.chunks);
    if (puzzle.placement != usualPlacement(puzzle))
        text += std::string(",placement=") + nameOf(puzzlePlacements, puzzle.placement);
    text += ",times=";
    for (std::size_t i = 0; i < puzzle.times.size(); ++i)
        text += (i > 0 ? "/" : "") + timesTextOf(puzzle, puzzle.times[i]);
    if (puzzle.transfer != 0) text += ",transfer=" + std::to_string(puzzle.transfer);
    if (puzzle.memoryLimit != 0) text += ",memory=" + std::to_string(puzzle.memoryLimit);
    if (puzzle.goal != PuzzleGoal::makespan) text += std::string(",goal=") + nameOf(puzzleGoals, puzzle.goal);
    return text;
}

std::vector<CoursePuzzle> readCourse(std::string_view text, const std::string& file) {
    const nlohmann::json document = parseJson(text, file);
    const JsonValue root(document, file);
    checkHeader(root, "stagecraft-puzzles");
    const JsonObject object(root, {"format", "version", "puzzles"});
    std::vector<std::string> fields = puzzleFields();
    fields.insert(fields.end(), {"id", "title", "aim", "hint"});
    std::vector<CoursePuzzle> course;
    std::set<std::string> ids;
    for (const JsonValue& each : object.required("puzzles").elements()) {
        const JsonObject entry(each, fields);
        CoursePuzzle read;
        read.id = entry.required("id").text();
        if (!ids.insert(read.id).second)
            entry.required("id").fail("there is a puzzle '" + read.id + "' already", "another id");
        read.title = entry.required("title").text();
        read.aim = entry.required("aim").text();
        read.hint = entry.textOr("hint", {});
        read.puzzle = puzzleFrom(entry, each);
        course.push_back(std::move(read));
    }
    return course;
}

}  // namespace stagecraft::puzzles
