#include "app/commands/help_command.h"

#include "core/planners/planning_goal.h"
#include "core/schedules/families.h"

#include <algorithm>
#include <sstream>

namespace stagecraft::app::commands {

namespace {

bool isName(const std::string& word) {
    return !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char each) {
        return std::isalnum(each) || each == '-' || each == '_' || each == '.';
    });
}

/// The names that an option's help lists: "pdf | svg | png; of a cluster: …".
std::vector<std::string> listed(const std::string& help) {
    std::vector<std::string> names;
    std::istringstream words(help);
    std::string word, before;
    for (; words >> word; before = word) {
        const bool follows = before == "|";
        if (word == "|" && names.empty() && isName(before)) names.push_back(before);
        if (!follows) continue;
        while (!word.empty() && !isName(word)) word.pop_back();
        if (word.empty()) break;
        names.push_back(word);
    }
    return names;
}

std::vector<std::string> valuesOf(const Option& option) {
    std::vector<std::string> names;
    if (option.name == "planner") {
        for (const std::unique_ptr<Planner>& planner : allPlanners())
            names.push_back(planner->description().id);
        if (option.placeholder.ends_with("|GOAL"))
            for (const PlanningGoal& goal : planningGoals()) names.push_back(goal.id);
    } else if (option.name == "schedule")
        for (const ScheduleFamily& family : scheduleFamilies()) names.push_back(family.id);
    else
        names = listed(option.help);
    if (option.placeholder.ends_with("|all")) names.push_back("all");
    return names;
}

std::string joined(const std::vector<std::string>& words) { return joinNames(words, " "); }

std::string optionNames(const Command& command) {
    std::vector<std::string> names;
    for (const Option& option : command.options) names.push_back("--" + option.name);
    return joined(names);
}

std::string commandNames(const std::vector<Command>& commands) {
    std::vector<std::string> names;
    for (const Command& command : commands) names.push_back(command.name);
    names.push_back("help");
    return joined(names);
}

void printBash(const std::vector<Command>& commands, std::ostream& out) {
    out << "# stagecraft completion for bash: source it, or put it into a folder of completions.\n"
        << "_stagecraft() {\n"
        << "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} choices=\n"
        << "    if [ \"$COMP_CWORD\" -eq 1 ]; then choices='" << commandNames(commands) << "'\n"
        << "    else case ${COMP_WORDS[1]}:$before in\n";
    for (const Command& command : commands)
        for (const Option& option : command.options)
            if (const auto values = valuesOf(option); !values.empty() && !option.placeholder.empty())
                out << "        " << command.name << ":--" << option.name << ") choices='" << joined(values)
                    << "' ;;\n";
    out << "        *) [[ $word == -* ]] && case ${COMP_WORDS[1]} in\n";
    for (const Command& command : commands)
        out << "            " << command.name << ") choices='" << optionNames(command) << "' ;;\n";
    out << "        esac ;;\n    esac; fi\n"
        << "    COMPREPLY=($(compgen -W \"$choices\" -- \"$word\"))\n"
        << "}\n"
        << "complete -o default -F _stagecraft stagecraft\n";
}

/// In single quotes, for zsh and fish.
std::string quoted(const std::string& text) {
    std::string out = "'";
    for (const char each : text) {
        if (each == '\'')
            out += "'\\''";
        else
            out += each;
    }
    return out + "'";
}

void printZsh(const std::vector<Command>& commands, std::ostream& out) {
    const auto withoutMarks = [](std::string text) {
        for (char& each : text)
            if (each == ':' || each == '[' || each == ']') each = ' ';
        return text;
    };
    out << "#compdef stagecraft\n_stagecraft() {\n    if (( CURRENT == 2 )); then\n        local -a "
           "commands=(\n";
    for (const Command& command : commands)
        out << "            " << quoted(command.name + ":" + withoutMarks(command.summary)) << "\n";
    out << "            'help:Shows a command, a page of help or an erratum'\n        )\n"
        << "        _describe command commands\n        _files\n        return\n    fi\n    case ${words[2]} "
           "in\n";
    for (const Command& command : commands) {
        out << "        " << command.name << ") shift words; (( CURRENT-- )); _arguments";
        for (const Option& option : command.options) {
            std::string spec = std::string(option.repeatable ? "*" : "") + "--" + option.name + "[" +
                               withoutMarks(option.help) + "]";
            const auto values = valuesOf(option);
            if (!option.placeholder.empty())
                spec += ":" + withoutMarks(option.placeholder) + ":" +
                        (values.empty() ? "_files" : "(" + joined(values) + ")");
            out << " \\\n            " << quoted(spec);
        }
        out << " \\\n            '*:file:_files' ;;\n";
    }
    out << "        *) _files ;;\n    esac\n}\n_stagecraft \"$@\"\n";
}

void printFish(const std::vector<Command>& commands, std::ostream& out) {
    out << "# stagecraft completion for fish\n";
    for (const Command& command : commands)
        out << "complete -c stagecraft -n __fish_use_subcommand -a " << command.name << " -d "
            << quoted(command.summary) << "\n";
    out << "complete -c stagecraft -n __fish_use_subcommand -a help -d 'Shows a command, a page of help or "
           "an erratum'\n";
    for (const Command& command : commands)
        for (const Option& option : command.options) {
            const auto values = valuesOf(option);
            out << "complete -c stagecraft -n '__fish_seen_subcommand_from " << command.name << "' -l "
                << option.name;
            if (!option.placeholder.empty())
                out << (values.empty() ? " -r" : " -x -a " + quoted(joined(values)));
            out << " -d " << quoted(option.help) << "\n";
        }
}

}  // namespace

const std::vector<std::string>& completedShells() {
    static const std::vector<std::string> shells = {"bash", "zsh", "fish"};
    return shells;
}

void printCompletion(const std::vector<Command>& commands, const std::string& shell, std::ostream& out) {
    if (shell == "bash") printBash(commands, out);
    if (shell == "zsh") printZsh(commands, out);
    if (shell == "fish") printFish(commands, out);
}

}  // namespace stagecraft::app::commands
