#include "app/commands/commands.h"

#include "app/commands/command.h"
#include "app/commands/text_table.h"
#include "app/document/version.h"
#include "core/formats/input_error.h"

#include <algorithm>
#include <filesystem>

namespace stagecraft::app {

namespace {

const std::vector<Command>& commands() {
    static const std::vector<Command> all = {
        planCommand(),   checkCommand(),  explainCommand(),   editCommand(),
        exportCommand(), renderCommand(), importCommand(),    generateCommand(),
        paretoCommand(), trainCommand(),  migrateCommand(),   dynamicCommand(),
        sweepCommand(),  mergeCommand(),  reproduceCommand(), plannersCommand(),
        schedulesCommand(), tourCommand()};
    return all;
}

const Command* findCommand(const std::string& name) {
    const auto found = std::find_if(commands().begin(), commands().end(),
                                    [&](const Command& command) { return command.name == name; });
    return found == commands().end() ? nullptr : &*found;
}

bool asksForVersion(const std::string& word) { return word == "--version" || word == "-V"; }
bool asksForHelp(const std::string& word) { return word == "--help" || word == "-h" || word == "help"; }

std::string padded(const std::string& text, std::size_t width) {
    return text + std::string(width - std::min(width, characterCount(text)), ' ');
}

void printUsage(std::ostream& out) {
    out << "Stagecraft " << version() << ": plans pipeline-parallel training and shows the schedule.\n\n"
        << "  stagecraft [PROJECT]            opens the window\n"
        << "  stagecraft COMMAND ARGUMENTS…   see 'stagecraft help COMMAND'\n"
        << "  stagecraft --version            -V\n\n";
    for (const Command& command : commands())
        out << "  " << padded(command.name, 10) << command.summary << "\n";
}

void printHelp(const Command& command, std::ostream& out) {
    out << command.summary << "\n\n";
    for (const std::string& synopsis : command.synopses)
        out << "  stagecraft " << command.name << " " << synopsis << "\n";
    if (command.options.empty()) return;
    out << "\n";
    std::size_t width = 0;
    const auto left = [](const Option& option) {
        return "--" + option.name + (option.placeholder.empty() ? "" : " " + option.placeholder);
    };
    for (const Option& option : command.options) width = std::max(width, characterCount(left(option)));
    for (const Option& option : command.options)
        out << "  " << padded(left(option), width + 2) << option.help << "\n";
}

/// 'plan' keeps all of a project that it adds plans to, so that it may write to where it read.
bool addsToProject(const Command& command, const Arguments& arguments) {
    return command.name == "plan" && arguments.text("out").value_or("").ends_with(".stagecraft.json");
}

int unknownCommand(const std::string& name, std::ostream& err) {
    std::vector<std::string> names;
    for (const Command& command : commands()) names.push_back(command.name);
    err << "stagecraft: no command '" << name << "'" << spellingHint(name, names) << "\n\n";
    printUsage(err);
    return exitBadInput;
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
        // 'help plan' is 'plan --help'.
        if (arguments.size() < 2 || asksForHelp(arguments[1])) {
            printUsage(out);
            return exitDone;
        }
        const Command* about = findCommand(arguments[1]);
        if (!about) return unknownCommand(arguments[1], err);
        printHelp(*about, out);
        return exitDone;
    }
    if (asksForVersion(arguments.front())) {
        out << "stagecraft " << version() << "\n";
        return exitDone;
    }
    const Command* command = findCommand(arguments.front());
    if (!command) return unknownCommand(arguments.front(), err);
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

}  // namespace stagecraft::app
