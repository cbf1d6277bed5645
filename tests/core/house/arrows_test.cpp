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
    if (first == std::string::npos) return "";
    if (path.substr(0, first) == "app") return "app";
    const std::size_t second = path.find('/', first + 1);
    return second == std::string::npos ? path.substr(0, first) : path.substr(0, second);
}

/// What a room may include besides itself.
const std::map<std::string, std::set<std::string>>& allowed() {
    static const std::map<std::string, std::set<std::string>> rooms = [] {
        std::map<std::string, std::set<std::string>> arrows;
        arrows["core/model"] = {};
        arrows["core/formats"] = arrows["core/generation"] = {"core/model"};
        // An ONNX model becomes layers as other formats' graphs do, and times as the model zoo's do.
        arrows["core/onnx"] = {"core/model", "core/formats", "core/generation"};
        arrows["core/cost"] = {"core/model"};
        arrows["core/schedules"] = {"core/model", "core/cost"};
        arrows["core/simulation"] = {"core/model", "core/cost", "core/schedules"};
        arrows["core/planners"] = {"core/model", "core/cost", "core/schedules", "core/simulation"};
        // Training executes simulated timelines; generation has the random numbers that are the same
        // anywhere.
        arrows["core/training"] = {"core/model", "core/cost", "core/simulation", "core/generation"};
        // Experiments make the problems that they vary, and read and write files.
        arrows["core/experiments"] = {"core/model",    "core/cost",    "core/schedules", "core/simulation",
                                      "core/planners", "core/formats", "core/generation",
                                      "core/training"};
        const std::set<std::string> core = {
            "core/model",      "core/formats",  "core/generation", "core/cost", "core/schedules",
            "core/simulation", "core/planners", "core/training",   "core/onnx", "core/experiments"};
        for (const char* view : {"views/topology", "views/interconnect", "views/profile", "views/gantt",
                                 "views/compare", "views/training", "views/pattern", "views/pareto",
                                 "views/vpipe", "views/figures", "views/strip", "views/experiments"}) {
            arrows[view] = core;
            arrows[view].insert({"views/common", "views/figures"});
        }
        arrows["views/common"] = core;
        // Plans one above the other are charts of the Gantt view; playing shows one beside its cluster.
        arrows["views/stack"] = arrows["views/play"] = core;
        arrows["views/stack"].insert({"views/common", "views/gantt"});
        arrows["views/play"].insert({"views/common", "views/gantt", "views/topology"});
        arrows["app"] = core;
        arrows["app"].insert({"views/common", "views/topology", "views/interconnect", "views/profile",
                              "views/gantt", "views/compare", "views/training", "views/pattern",
                              "views/pareto", "views/vpipe", "views/figures", "views/stack", "views/strip",
                              "views/play", "views/experiments"});
        return arrows;
    }();
    return rooms;
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
            ASSERT_TRUE(allowed().count(from))
                << include.file << " is in a room that this test does not know: " << from;
            EXPECT_TRUE(from == to || allowed().at(from).count(to))
                << include.file << " includes " << include.what;
        }
    EXPECT_GT(seen, 50u);
}

TEST(House, CoreKnowsNoWidgets) {
    static const std::regex qt("^(Q[A-Z]|Qt|qcustomplot)");
    for (const Include& include : includesUnder("core"))
        EXPECT_FALSE(std::regex_search(include.what, qt)) << include.file << " includes " << include.what;
}

TEST(House, TheValidatorSharesNoCodeWithWhatItChecks) {
    std::size_t seen = 0;
    for (const Include& include : includesUnder("core/simulation")) {
        const bool validator = include.file.find("/validat") != std::string::npos;
        if (!validator || !isOurs(include.what)) continue;
        ++seen;
        const bool own = include.what.find("/validat") != std::string::npos;
        EXPECT_TRUE(own || roomOf(include.what) == "core/model")
            << include.file << " includes " << include.what;
    }
    EXPECT_GT(seen, 0u);
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
