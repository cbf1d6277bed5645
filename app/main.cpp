#include "app/commands/commands.h"
#include "app/commands/pictures.h"
#include "app/document/installed_place.h"
#include "app/shell/gui.h"
#include "core/base/freed_memory.h"

#include <QString>

#include <iostream>

int main(int argc, char** argv) {
    using namespace stagecraft::app::commands;
    stagecraft::app::document::useBroughtFonts();
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    if (isCommand(arguments)) {
        stagecraft::base::keepFreedMemory();
        return runCommand(arguments, std::cout, std::cerr);
    }
    if (!hasDisplay() && arguments.empty()) return runCommand({"tour"}, std::cout, std::cerr);
    if (!hasDisplay()) {
        std::cerr << "stagecraft: no display to open the window on; try 'stagecraft plan PROJECT' or "
                     "'stagecraft --help'\n";
        return 2;
    }
    QStringList files;
    for (const std::string& argument : arguments) files << QString::fromStdString(argument);
    return runGui(argc, argv, files);
}
