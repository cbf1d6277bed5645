#include "core/formats/files/import.h"
#include "core/formats/files/project_file.h"

namespace stagecraft::formats {

ImportedProfile openProfile(const std::filesystem::path& path) {
    return importProfile(readTextFile(path), path.string());
}

Cluster openCluster(const std::filesystem::path& path) {
    return importClusters({readTopologyFile(path)}).cluster;
}

Project openProject(const std::filesystem::path& path, DrawingMistakes mistakes) {
    return readProject(readTextFile(path), path.string(), path.parent_path(), mistakes);
}

PlanFile openPlan(const std::filesystem::path& path) {
    return readPlan(readTextFile(path), path.string(), path.parent_path());
}

}  // namespace stagecraft::formats
