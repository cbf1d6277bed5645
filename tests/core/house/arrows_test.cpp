// The arrows of the house point one way (README, "How the code is laid out"): read off the includes.
#include "tests/core/house/sources.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace {

using house::Source;

/// "core/cost" of "core/cost/cost_model.h"; "app" of "app/main.cpp".
std::string roomOf(const std::string& path) {
    const std::size_t first = path.find('/');
    const std::size_t second = path.find('/', first + 1);
    return path.substr(0, second == std::string::npos ? first : second);
}

using Rooms = std::set<std::string>;

/// What a room of core may include besides itself: the rooms that its namespace sees.
const std::map<std::string, Rooms>& coreArrows() {
    static const std::map<std::string, Rooms> rooms = [] {
        std::map<std::string, Rooms> arrows;
        std::ifstream file(STAGECRAFT_SOURCE_DIR "/core/base/rooms.h");
        const std::regex opening(R"(^namespace (\w+) \{)"), seeing(R"(^using namespace (\w+);)");
        std::string line, room;
        std::smatch found;
        while (std::getline(file, line) && line != "namespace views {") {
            if (std::regex_search(line, found, opening)) {
                room = "core/" + found.str(1);
                arrows[room];
            } else if (std::regex_search(line, found, seeing)) {
                const std::string lower = "core/" + found.str(1);
                arrows[room].insert(lower);
                arrows[room].insert(arrows.at(lower).begin(), arrows.at(lower).end());
            }
        }
        return arrows;
    }();
    return rooms;
}

/// The rooms above core, each after those that it may include; all of them know core.
const std::vector<std::string>& upperRooms() {
    static const std::vector<std::string> rooms = {
        "views/common",   "views/figures",     "views/plot",     "views/strip",        "views/puzzles",
        "views/training", "views/pareto",      "views/pattern",  "views/profile",      "views/vpipe",
        "views/compare",  "views/experiments", "views/topology", "views/timeline",     "views/resources",
        "views/plan",     "views/stack",       "views/play",     "views/interconnect", "app/actions",
        "app/document",   "app/jobs",          "app/panels",     "app/figures",        "app/pages",
        "app/pareto",     "app/help",          "app/lessons",    "app/puzzles",        "app/experiments",
        "app/start",      "app/profile",       "app/plan",       "app/play",           "app/compare",
        "app/training",   "app/vpipe",         "app/shell",      "app/commands",       "app"};
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

/// What each library of a CMake file links in the end, by the names of rooms: "core/cost", "views/plot".
/// @param calls "stagecraft_core_room", which makes core_ROOM
void addLinked(const std::string& path, const std::string& call, const std::string& of,
               std::map<std::string, Rooms>& linked) {
    std::ifstream file(STAGECRAFT_SOURCE_DIR "/" + path);
    std::stringstream text;
    text << file.rdbuf();
    const std::string all = text.str();
    const std::regex line("\\n" + call + R"(\((\w+)([^)]*)\))"), library(R"((core|views)_(\w+))");
    for (std::sregex_iterator found(all.begin(), all.end(), line), end; found != end; ++found) {
        Rooms& own = linked[of + "/" + found->str(1)];
        const std::string libraries = found->str(2);
        for (std::sregex_iterator each(libraries.begin(), libraries.end(), library); each != end; ++each) {
            const std::string lower = each->str(1) + "/" + each->str(2);
            own.insert(lower);
            own.insert(linked.at(lower).begin(), linked.at(lower).end());
        }
    }
}

const std::map<std::string, Rooms>& linkedRooms() {
    static const std::map<std::string, Rooms> rooms = [] {
        std::map<std::string, Rooms> linked;
        addLinked("core/CMakeLists.txt", "stagecraft_core_room", "core", linked);
        addLinked("views/CMakeLists.txt", "stagecraft_view", "views", linked);
        return linked;
    }();
    return rooms;
}

std::string listed(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += "  " + line + "\n";
    return text;
}

}  // namespace

TEST(House, NoArrowRunsBack) {
    std::size_t seen = 0;
    for (const Source& source : house::productSources())
        for (const std::string& include : source.includes) {
            if (!isOurs(include)) continue;
            ++seen;
            const std::string from = roomOf(source.path), to = roomOf(include);
            const bool known =
                coreArrows().count(from) || std::count(upperRooms().begin(), upperRooms().end(), from);
            ASSERT_TRUE(known) << source.path << " is in a room that this test does not know: " << from;
            EXPECT_TRUE(isAllowed(from, to)) << source.path << " includes " << include;
        }
    EXPECT_GT(seen, 50u);
}

TEST(House, LibrariesOfCoreLinkWhatTheirNamespacesSee) {
    std::size_t checked = 0;
    for (const auto& [room, linked] : linkedRooms()) {
        if (room.rfind("core/", 0) != 0) continue;
        ASSERT_TRUE(coreArrows().count(room)) << room << " has no namespace";
        EXPECT_EQ(linked, coreArrows().at(room)) << room;
        ++checked;
    }
    EXPECT_GT(checked, 20u);
}

TEST(House, ViewsLinkWhatTheyInclude) {
    std::size_t checked = 0;
    for (const Source& source : house::productSources()) {
        const auto linked = linkedRooms().find(roomOf(source.path));
        if (source.path.rfind("views/", 0) != 0) continue;
        ASSERT_TRUE(linked != linkedRooms().end()) << source.path << " is in no library";
        for (const std::string& include : source.includes) {
            if (!isOurs(include) || roomOf(include) == linked->first) continue;
            ++checked;
            EXPECT_TRUE(linked->second.count(roomOf(include)))
                << source.path << " includes " << include << ", whose room its library does not link";
        }
    }
    EXPECT_GT(checked, 500u);
}

/// What a view shows of a planned run is in core/runs. Planners are known where what one of them looked
/// through is shown, or what is run by name: experiments, and puzzles, whose boards are made of programs'
/// orders.
TEST(House, ViewsOfRunsDoNotLinkPlanners) {
    const Rooms allowed = {"views/compare", "views/experiments", "views/interconnect",
                           "views/pareto",  "views/puzzles",     "views/vpipe"};
    Rooms found;
    for (const auto& [room, linked] : linkedRooms())
        if (room.rfind("views/", 0) == 0 && linked.count("core/planners")) found.insert(room);
    EXPECT_EQ(found, allowed) << "this list may only shrink";
}

/// A job voids older results, ends with its owner and reports progress and failures; a thread or a process
/// that is started by hand has to be taught all that again.
TEST(House, WindowsStartThreadsAndProcessesInOnePlaceAlone) {
    const std::set<std::string> byHand = {"QtConcurrentRun", "QtConcurrent", "QFutureWatcher", "QThread",
                                          "QRunnable",       "QProcess",     "future",         "spawn.h"};
    std::size_t allowed = 0;
    for (const Source& source : house::productSources())
        for (const std::string& include : source.includes) {
            if (source.path.rfind("core/", 0) == 0 || byHand.count(include) == 0) continue;
            if (source.path.rfind("views/common/job.", 0) == 0)
                ++allowed;
            else
                ADD_FAILURE() << source.path << " includes <" << include << ">: use views/common/job.h";
        }
    EXPECT_GT(allowed, 0u);
}

TEST(House, ARoomsNamespaceHasItsName) {
    std::size_t seen = 0;
    for (const Source& source : house::productSources()) {
        const std::string room = roomOf(source.path);
        const std::string space =
            "stagecraft::" + (room.rfind("core/", 0) == 0 ? room.substr(5) : room.substr(0, room.find('/')));
        const auto expectIn = [&](const std::string& found, const std::string& name) {
            ++seen;
            EXPECT_TRUE((found + "::").rfind(space + "::", 0) == 0)
                << source.path << ": " << name << " is in " << found << ", not in " << space;
        };
        for (const house::Type& type : source.types)
            if (!type.isInType && !type.isInFile) expectIn(type.space, type.name);
        for (const house::Function& function : source.functions)
            if (function.owner.empty() && function.name != "main" && !function.space.empty())
                expectIn(function.space, function.name);
    }
    EXPECT_GT(seen, 3000u);
}

/// A room sees the names of all that it may include: one that two of these define is ambiguous in it, or
/// will be once both are included.
TEST(House, ANameMeansOneThingInARoom) {
    std::map<std::string, std::set<std::string>> roomsOf;  // by type
    for (const Source& source : house::productSources())
        for (const house::Type& type : source.types) {
            if (type.isInType || type.isInFile) continue;
            const std::string room = roomOf(source.path);
            roomsOf[type.name].insert(room.rfind("core/", 0) == 0 ? room : room.substr(0, room.find('/')));
        }
    EXPECT_GT(roomsOf.size(), 900u);
    const auto meets = [](const std::string& a, const std::string& b) {
        const auto sees = [](const std::string& from, const std::string& to) {
            const auto arrows = coreArrows().find(from);
            return from == to || (arrows != coreArrows().end() ? arrows->second.count(to) > 0
                                                               : from == "app" || to != "app");
        };
        return std::ranges::any_of(
                   coreArrows(),
                   [&](const auto& each) { return sees(each.first, a) && sees(each.first, b); }) ||
               (sees("views", a) && sees("views", b)) || (sees("app", a) && sees("app", b));
    };
    for (const auto& [name, rooms] : roomsOf)
        for (auto a = rooms.begin(); a != rooms.end(); ++a)
            for (auto b = std::next(a); b != rooms.end(); ++b)
                EXPECT_FALSE(meets(*a, *b)) << name << " is a type of " << *a << " and of " << *b;
}

/// Lowering gives it orders (core/schedules/lowering.h); a new family is none of its business.
TEST(House, TheEngineKnowsNoScheduleFamily) {
    std::map<std::string, std::vector<std::string>> includes;
    for (const Source& source : house::productSources()) includes[source.path] = source.includes;
    const Rooms families = {"core/schedules/families.h", "core/schedules/schedule_family.h",
                            "core/schedules/device_orders.h", "core/schedules/one_forward_one_backward.h"};
    for (const std::string& family : families) EXPECT_EQ(includes.count(family), 1u) << family;
    std::size_t seen = 0;
    for (const auto& [path, ownIncludes] : includes) {
        if (roomOf(path) != "core/simulation") continue;
        ++seen;
        std::set<std::string> reached(ownIncludes.begin(), ownIncludes.end());
        std::vector<std::string> open = ownIncludes;
        while (!open.empty()) {
            const std::string header = open.back();
            open.pop_back();
            EXPECT_EQ(families.count(header), 0u) << path << " comes to include " << header;
            for (const std::string& next : includes[header])
                if (reached.insert(next).second) open.push_back(next);
        }
    }
    EXPECT_GT(seen, 10u);
}

TEST(House, NoFilesIncludeEachOtherInACircle) {
    const house::Arrows arrows = house::arrowsOfFiles(house::productSources());
    EXPECT_GT(arrows.size(), 400u);
    const std::vector<std::string> found = house::circles(arrows);
    EXPECT_TRUE(found.empty()) << "a header and the source of its name count as one:\n" << listed(found);
}

TEST(House, NothingInAFolderKnowsItsNeighboursInACircle) {
    std::size_t seen = 0;
    for (const auto& [folder, arrows] :
         house::arrowsOfFolders(house::arrowsOfFiles(house::productSources()))) {
        ++seen;
        const std::vector<std::string> found = house::circles(arrows);
        EXPECT_TRUE(found.empty()) << "in " << folder << ":\n" << listed(found);
    }
    EXPECT_GT(seen, 20u);
}

TEST(House, CoreKnowsNoWidgets) {
    static const std::regex qt("^(Q[A-Z]|Qt|qcustomplot)");
    for (const Source& source : house::productSources()) {
        if (source.path.rfind("core/", 0) != 0) continue;
        for (const std::string& include : source.includes)
            EXPECT_FALSE(std::regex_search(include, qt)) << source.path << " includes " << include;
    }
}
