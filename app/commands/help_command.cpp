#include "app/commands/help_command.h"

#include "app/commands/text_table.h"
#include "app/document/version.h"
#include "app/help/help_text.h"

#include <algorithm>
#include <cstdlib>

namespace stagecraft::app::commands {

namespace {

std::string padded(const std::string& text, std::size_t width) {
    return text + std::string(width - std::min(width, characterCount(text)), ' ');
}

std::string named(const Option& option) {
    return "--" + option.name + (option.placeholder.empty() ? "" : " " + option.placeholder);
}

/// Of the terminal; 80 where it does not say.
int columns() {
    const char* told = std::getenv("COLUMNS");
    const int columns = told ? std::atoi(told) : 0;
    constexpr int usual = 80, least = 40, most = 120;
    return columns <= 0 ? usual : std::clamp(columns, least, most);
}

/// A name, and what is said of it beside it: in lines as wide as the terminal, below the name where that
/// leaves too little room. @param width of the column of names
void printEntry(const std::string& name, const std::string& text, std::size_t width, std::ostream& out) {
    constexpr std::size_t indent = 2, longest = 26;
    const std::size_t column = indent + std::min(width, longest) + 2;
    std::string first = std::string(indent, ' ') + name;
    if (characterCount(first) + 2 > column) {
        out << first << "\n";
        first.clear();
    }
    out << brokenText(QString::fromStdString(text), columns(), QString::fromStdString(padded(first, column)),
                      QString(static_cast<qsizetype>(column), ' '))
               .toStdString();
}

std::string firstSentence(const std::string& text) {
    const std::size_t end = text.find_first_of(".:;(", text.find(' '));
    return end == std::string::npos ? text : text.substr(0, text.find_last_not_of(' ', end - 1) + 1) + ".";
}

void printPlace(const HelpPlace& place, std::ostream& out) {
    out << helpAsText(*place.page, place.anchor, columns()).toStdString();
}

/// The sections that have the words, as topics to ask for.
void printHits(const std::vector<HelpHit>& hits, std::ostream& out) {
    for (const HelpHit& hit : hits) {
        const bool isPage = hit.section->level == 1;
        out << "stagecraft help " << hit.page->name.toStdString()
            << (isPage ? "" : "#" + hit.section->anchor.toStdString()) << "\n    " << hit.line.toStdString()
            << "\n";
    }
}

}  // namespace

void printUsage(const std::vector<Command>& commands, std::ostream& out) {
    out << "Stagecraft " << version() << ": plans pipeline-parallel training and shows the schedule.\n\n"
        << "  stagecraft [PROJECT]            opens the window\n"
        << "  stagecraft COMMAND ARGUMENTS…   see 'stagecraft help COMMAND'\n"
        << "  stagecraft help TOPIC           a page of help, an erratum, a word; 'help CONTENTS' lists the "
           "pages\n"
        << "  stagecraft --version            -V\n\n";
    std::size_t width = 0;
    for (const Command& command : commands) width = std::max(width, characterCount(command.name));
    for (const Command& command : commands)
        printEntry(command.name, firstSentence(command.summary), width, out);
}

void printHelp(const Command& command, std::ostream& out) {
    out << brokenText(QString::fromStdString(command.summary), columns(), {}, {}).toStdString() << "\n";
    for (const std::string& synopsis : command.synopses)
        out << "  stagecraft " << command.name << " " << synopsis << "\n";
    if (command.options.empty()) return;
    out << "\n";
    std::size_t width = 0;
    for (const Option& option : command.options) width = std::max(width, characterCount(named(option)));
    for (const Option& option : command.options) printEntry(named(option), option.help, width, out);
}

int unknownCommand(const std::vector<Command>& commands, const std::string& name, std::ostream& err) {
    std::vector<std::string> names;
    for (const Command& command : commands) names.push_back(command.name);
    err << "stagecraft: no command '" << name << "'" << spellingHint(name, names) << "\n";
    std::vector<std::string> about;
    for (const Command& command : commands)
        if (QString::fromStdString(command.summary)
                .contains(QString::fromStdString(name), Qt::CaseInsensitive))
            about.push_back(command.name);
    if (!about.empty()) err << "Commands that have to do with it: " << joinNames(about) << "\n";
    err << "'stagecraft help' lists the commands";
    if (!searchHelp(QString::fromStdString(name)).empty())
        err << ", 'stagecraft help " << name << "' what help says";
    err << "\n";
    return exitBadInput;
}

int runHelp(const std::vector<Command>& commands, const std::vector<std::string>& words, std::ostream& out,
            std::ostream& err) {
    if (words.empty() || words.front() == "help" || words.front() == "--help" || words.front() == "-h") {
        printUsage(commands, out);
        return exitDone;
    }
    if (words.front() == "--man") {
        printManual(commands, out);
        return exitDone;
    }
    if (words.front() == "--completion") {
        const std::vector<std::string>& shells = completedShells();
        if (words.size() != 2 || std::find(shells.begin(), shells.end(), words[1]) == shells.end()) {
            err << "stagecraft: --completion needs a shell: " << joinNames(shells, ", ") << "\n";
            return exitBadInput;
        }
        printCompletion(commands, words[1], out);
        return exitDone;
    }
    const std::string& first = words.front();
    const auto command = std::find_if(commands.begin(), commands.end(),
                                      [&](const Command& each) { return each.name == first; });
    if (words.size() == 1 && command != commands.end()) {
        printHelp(*command, out);
        return exitDone;
    }
    QStringList asked;
    for (const std::string& word : words) asked << QString::fromStdString(word);
    const QString topic = asked.join(' ');
    if (const auto place = findHelpPlace(topic)) {
        printPlace(*place, out);
        return exitDone;
    }
    const std::vector<HelpHit> hits = searchHelp(topic);
    if (hits.empty()) return unknownCommand(commands, topic.toStdString(), err);
    printHits(hits, out);
    return exitDone;
}

}  // namespace stagecraft::app::commands
