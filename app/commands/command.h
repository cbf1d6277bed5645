#pragma once

#include "app/commands/arguments.h"

#include <ostream>
#include <string>
#include <vector>

namespace stagecraft::app::commands {

inline constexpr int exitDone = 0;
inline constexpr int exitFailed = 1;
inline constexpr int exitBadInput = 2;

struct Command {
    std::string name;
    std::vector<std::string> synopses;  ///< what follows the name, one per way to call it
    std::string summary;                ///< one sentence
    std::vector<Option> options;
    int (*run)(const Arguments& arguments, std::ostream& out, std::ostream& err);
};

// One file a command.
Command planCommand();
Command configurationCommand();
Command autoCommand();
Command checkCommand();
Command explainCommand();
Command detailsCommand();
Command editCommand();
Command exportCommand();
Command renderCommand();
Command importCommand();
Command generateCommand();
Command paretoCommand();
Command trainCommand();
Command migrateCommand();
Command dynamicCommand();
Command sweepCommand();
Command mergeCommand();
Command reproduceCommand();
Command plannersCommand();
Command schedulesCommand();
Command recogniseCommand();
Command compareRunCommand();
Command modelCommand();
Command memoryCommand();
Command tourCommand();
Command selfTestCommand();
Command lessonCommand();
Command puzzleCommand();

}  // namespace stagecraft::app::commands
