#include "app/commands/commands.h"

#include "app/commands/command.h"
#include "app/commands/help_command.h"
#include "app/document/version.h"
#include "core/formats/input_error.h"

#include <algorithm>
#include <filesystem>

namespace stagecraft::app::commands {

namespace {

const std::vector<Command>& commands() {
    static const std::vector<Command> all = {
        planCommand(),       autoCommand(),     checkCommand(),     explainCommand(),
        detailsCommand(),    editCommand(),     exportCommand(),    renderCommand(),
        importCommand(),     generateCommand(), paretoCommand(),    trainCommand(),
        migrateCommand(),    dynamicCommand(),  sweepCommand(),     mergeCommand(),
        reproduceCommand(),  plannersCommand(), schedulesCommand(), recogniseCommand(),
        compareRunCommand(), modelCommand(),    memoryCommand(),    configurationCommand(),
        lessonCommand(),     puzzleCommand(),   tourCommand(),      selfTestCommand()};
    return all;
}

const Command* findCommand(const std::string& name) {
    const auto found = std::find_if(commands().begin(), commands().end(),
                                    [&](const Command& command) { return command.name == name; });
    return found == commands().end() ? nullptr : &*found;
}

bool asksForVersion(const std::string& word) { return word == "--version" || word == "-V"; }
bool asksForHelp(const std::string& word) { return word == "--help" || word == "-h" || word == "help"; }

/// 'plan' keeps all of a project that it adds plans to, so that it may write to where it read.
bool addsToProject(const Command& command, const Arguments& arguments) {
    return command.name == "plan" && arguments.text("out").value_or("").ends_with(".stagecraft.json");
}

}  // namespace

bool isCommand(const std::vector<std::string>& arguments) {
    if (arguments.empty()) return false;
    const std::string& first = arguments.front();
    if (asksForHelp(first) || asksForVersion(first) || findCommand(first)) return true;
    const bool forQt = first.starts_with("-") && !first.starts_with("--");  // -platform, -style
    const bool mayBeFile = first.find_first_of("./") != std::string::npos || std::filesystem::exists(first);
    return !forQt && !mayBeFile;
}

int runCommand(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
    if (arguments.empty() || asksForHelp(arguments.front())) {
        const auto first = arguments.begin() + (arguments.empty() ? 0 : 1);
        return runHelp(commands(), {first, arguments.end()}, out, err);
    }
    if (asksForVersion(arguments.front())) {
        out << "stagecraft " << version() << "\n";
        return exitDone;
    }
    const Command* command = findCommand(arguments.front());
    if (!command) return unknownCommand(commands(), arguments.front(), err);
    const std::vector<std::string> words(arguments.begin() + 1, arguments.end());
    if (std::any_of(words.begin(), words.end(),
                    [](const auto& word) { return word == "--help" || word == "-h"; })) {
        printHelp(*command, out);
        return exitDone;
    }
    try {
        const Arguments taken(command->options, words);
        if (!addsToProject(*command, taken)) taken.refuseToOverwriteInput();
        return command->run(taken, out, err);
    } catch (const UsageError& error) {
        err << "stagecraft: " << error.what() << "\nSee 'stagecraft " << command->name << " --help'.\n";
        return exitBadInput;
    } catch (const InputError& error) {
        err << "stagecraft: " << error.what() << "\n";
        return exitBadInput;
    } catch (const std::exception& error) {
        err << "stagecraft: " << command->name << " failed: " << error.what() << "\n";
        return exitFailed;
    }
}

}  // namespace stagecraft::app::commands
