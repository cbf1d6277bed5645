#include "core/programs/engine_files.h"

#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/formats/input_error.h"
#include "core/formats/text_file.h"

#include <map>

namespace stagecraft::programs {

const std::vector<EngineFormat>& engineFormats() {
    static const std::vector<EngineFormat> formats = {torchtitanEngine(), megatronEngine(), deepSpeedEngine(),
                                                      chakraEngine()};
    return formats;
}

void writeEngineFiles(const std::vector<EngineFile>& files, const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error || !std::filesystem::is_directory(folder))
        throw InputError(folder.string(), "", "the folder cannot be made", "a folder, or a new name");
    for (const EngineFile& file : files) writeFileAtomically(folder / file.name, file.text);
}

EngineFile readmeOf(const std::string& title, const std::vector<std::string>& lines) {
    std::string text = "# " + title + "\n\n";
    for (const std::string& line : lines)
        if (!line.empty()) text += "- " + line + "\n";
    return {"README.md", text};
}

std::string processText(const EngineLayout& layout, const Cluster& cluster) {
    constexpr std::size_t shown = 32;
    bool isAsNumbered = true;
    for (std::size_t process = 0; process < layout.devices.size(); ++process)
        isAsNumbered = isAsNumbered && layout.devices[process] == static_cast<int>(process);
    if (isAsNumbered) return {};
    std::string text = "Processes in the order of their ranks belong on";
    for (std::size_t process = 0; process < std::min(layout.devices.size(), shown); ++process)
        text += (process > 0 ? ", " : " ") + cluster.devices[at(layout.devices[process])].id;
    if (layout.devices.size() > shown) text += " and " + grouped(std::ssize(layout.devices) - 32) + " more";
    return text + ".";
}

std::string launchText(const EngineLayout& layout, const Cluster& cluster) {
    std::map<std::string, int> onServer;
    for (const int device : layout.devices) ++onServer[cluster.devices[at(device)].server];
    const int each = onServer.begin()->second;
    for (const auto& [server, count] : onServer)
        if (count != each) return "--nproc-per-node " + std::to_string(layout.devices.size());
    return "--nproc-per-node " + std::to_string(each) + " --nnodes " + std::to_string(onServer.size());
}

}  // namespace stagecraft::programs
