// The arrows of the house point one way (README, "How the code is laid out"): read off the includes.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>

namespace fs = std::filesystem;

namespace {

struct Include {
    std::string file;  ///< relative to the root
    std::string what;
};

std::vector<Include> includesUnder(const std::string& folder) {
    static const std::regex directive(R"re(^\s*#include\s*[<"]([^">]+)[">])re");
    std::vector<Include> found;
    const fs::path root = STAGECRAFT_SOURCE_DIR;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
        if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
        std::ifstream file(entry.path());
        std::smatch match;
        for (std::string line; std::getline(file, line);)
            if (std::regex_search(line, match, directive))
                found.push_back({fs::relative(entry.path(), root).generic_string(), match[1]});
    }
    return found;
}

/// "core/cost" of "core/cost/cost_model.h"; "app" of "app/main.cpp".
std::string roomOf(const std::string& path) {
    const std::size_t first = path.find('/');
    const std::size_t second = path.find('/', first + 1);
    return path.substr(0, second == std::string::npos ? first : second);
}

using Rooms = std::set<std::string>;

/// What a room of core may include besides itself.
const std::map<std::string, Rooms>& coreArrows() {
    static const std::map<std::string, Rooms> rooms = [] {
        std::map<std::string, Rooms> arrows;
        const auto room = [&arrows](const std::string& name, const Rooms& nextBelow) {
            Rooms& below = arrows["core/" + name];
            for (const std::string& lower : nextBelow) {
                below.insert("core/" + lower);
                below.insert(arrows.at("core/" + lower).begin(), arrows.at("core/" + lower).end());
            }
        };
        room("base", {});
        room("model", {"base"});
        room("graph", {"model"});
        room("editing", {"graph"});
        room("cost", {"model"});
        room("schedules", {"cost"});
        room("simulation", {"schedules"});
        room("weights", {"simulation"});
        room("memory", {"weights"});
        room("validation", {"model"});
        room("analysis", {"memory", "validation", "editing"});
        room("planners", {"analysis"});
        room("formats", {"editing"});
        room("generation", {"editing"});
        // An ONNX model becomes layers as other formats' graphs do, and times as the model zoo's do.
        room("onnx", {"formats", "generation"});
        room("training", {"weights", "generation"});
        room("experiments", {"planners", "formats", "training"});
        return arrows;
    }();
    return rooms;
}

/// The rooms above core, each after those that it may include; all of them know core.
const std::vector<std::string>& upperRooms() {
    static const std::vector<std::string> rooms = {
        "views/common",   "views/figures",   "views/strip",        "views/training", "views/pareto",
        "views/pattern",  "views/profile",   "views/vpipe",        "views/compare",  "views/experiments",
        "views/topology", "views/timeline",  "views/resources",    "views/plan",     "views/stack",
        "views/play",     "views/interconnect", "app/actions",     "app/document",   "app/jobs",
        "app/panels",     "app/pareto",      "app/figures",        "app/experiments", "app/start",
        "app/profile",    "app/plan",        "app/play",           "app/compare",    "app/training",
        "app/vpipe",      "app/shell",       "app/commands",       "app"};
    return rooms;
}

bool isAllowed(const std::string& from, const std::string& to) {
    if (from == to) return true;
    if (const auto arrows = coreArrows().find(from); arrows != coreArrows().end())
        return arrows->second.count(to) > 0;
    if (coreArrows().count(to)) return true;
    const auto& rooms = upperRooms();
    return std::find(rooms.begin(), rooms.end(), to) < std::find(rooms.begin(), rooms.end(), from);
}

bool isOurs(const std::string& include) {
    return include.rfind("core/", 0) == 0 || include.rfind("views/", 0) == 0 || include.rfind("app/", 0) == 0;
}

}  // namespace

TEST(House, NoArrowRunsBack) {
    std::size_t seen = 0;
    for (const char* floor : {"core", "views", "app"})
        for (const Include& include : includesUnder(floor)) {
            if (!isOurs(include.what)) continue;
            ++seen;
            const std::string from = roomOf(include.file), to = roomOf(include.what);
            const bool known = coreArrows().count(from) || std::count(upperRooms().begin(), upperRooms().end(), from);
            ASSERT_TRUE(known) << include.file << " is in a room that this test does not know: " << from;
            EXPECT_TRUE(isAllowed(from, to)) << include.file << " includes " << include.what;
        }
    EXPECT_GT(seen, 50u);
}

TEST(House, CoreKnowsNoWidgets) {
    static const std::regex qt("^(Q[A-Z]|Qt|qcustomplot)");
    for (const Include& include : includesUnder("core"))
        EXPECT_FALSE(std::regex_search(include.what, qt)) << include.file << " includes " << include.what;
}

TEST(House, FilesStaySmall) {
    const fs::path root = STAGECRAFT_SOURCE_DIR;
    for (const char* floor : {"core", "views", "app", "tests"})
        for (const auto& entry : fs::recursive_directory_iterator(root / floor)) {
            if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
            std::ifstream file(entry.path());
            const auto lines =
                std::count(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>(), '\n');
            EXPECT_LE(lines, 500) << fs::relative(entry.path(), root) << " holds more than one thing";
        }
}
