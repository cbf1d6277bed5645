#include "app/commands/help_command.h"

#include "app/document/version.h"
#include "app/help/help_library.h"

namespace stagecraft::app::commands {

namespace {

/// Nothing in it means anything to troff.
std::string troff(const std::string& text) {
    std::string out;
    for (const char each : text) {
        const bool beginsLine = out.empty() || out.back() == '\n';
        if (beginsLine && (each == '.' || each == '\'')) out += "\\&";
        if (each == '\\')
            out += "\\e";
        else if (each == '-')
            out += "\\-";
        else
            out += each;
    }
    return out;
}

void printOption(const Option& option, std::ostream& out) {
    out << ".TP\n\\fB" << troff("--" + option.name) << "\\fR";
    if (!option.placeholder.empty()) out << " \\fI" << troff(option.placeholder) << "\\fR";
    out << "\n" << troff(option.help) << (option.repeatable ? " (may be repeated)" : "") << "\n";
}

void printCommand(const Command& command, std::ostream& out) {
    out << ".SS " << troff(command.name) << "\n";
    for (const std::string& synopsis : command.synopses)
        out << "\\fBstagecraft " << troff(command.name) << "\\fR " << troff(synopsis) << "\n.br\n";
    out << ".PP\n" << troff(command.summary) << "\n";
    for (const Option& option : command.options) printOption(option, out);
}

}  // namespace

void printManual(const std::vector<Command>& commands, std::ostream& out) {
    out << ".TH STAGECRAFT 1 \"\" \"Stagecraft " << version() << "\" \"User Commands\"\n"
        << ".SH NAME\nstagecraft \\- plan pipeline\\-parallel training and see the schedule\n"
        << ".SH SYNOPSIS\n\\fBstagecraft\\fR [\\fIPROJECT\\fR]\n.br\n"
        << "\\fBstagecraft\\fR \\fICOMMAND\\fR \\fIARGUMENTS\\fR\n.br\n"
        << "\\fBstagecraft help\\fR \\fITOPIC\\fR\n"
        << ".SH DESCRIPTION\nWithout a command Stagecraft opens its window. Each command does without one.\n"
        << "The exit status is 0 if all was done, 1 if it failed, and 2 if the command or a file was wrong.\n"
        << ".SH COMMANDS\n";
    for (const Command& command : commands) printCommand(command, out);
    out << ".SH HELP\n\\fBstagecraft help\\fR shows these pages, single entries such as E\\-SPP\\-6, and "
           "what is found "
           "of any other words:\n";
    for (const HelpPage& page : helpPages())
        out << ".TP\n\\fB" << troff(page.name.toStdString()) << "\\fR\n"
            << troff(page.title().toStdString()) << "\n";
}

}  // namespace stagecraft::app::commands
