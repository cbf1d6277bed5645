#pragma once

#include "app/rooms.h"
#include "core/formats/files/project_file.h"
#include "core/puzzles/par.h"
#include "core/puzzles/puzzle_json.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft::app::puzzles {

/// The puzzles that come with the program, in the order in which they are to be taken. Read once.
const std::vector<CoursePuzzle>& coursePuzzles();
/// nullptr if there is none of that id.
const CoursePuzzle* findPuzzle(const std::string& id);

/// The pars that come with the program, of the course and of small shapes. Read once.
const ParTable& shippedPars();
/// What the table has, else worked out now. @return nothing if no order completes within the limit
std::optional<Par> parFor(const Puzzle& puzzle);
/// All rows of the table anew: what the program ships is made by this.
ParTable freshParTable();

/// The order of a complete board on the project's network and GPUs, under its own microbatches: a project
/// that has this plan alone. @throws std::invalid_argument as realPlan()
Project realProject(const PuzzleBoard& board, const Project& project, const std::string& planName);
/// BERT-large on that many GPUs of a sample's cluster: what puzzles are run on with real times, transfers and
/// memory where no project is named.
Project realSample(int devices);

}  // namespace stagecraft::app::puzzles
