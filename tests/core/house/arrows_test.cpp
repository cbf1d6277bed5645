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

/// What a floor's file of namespaces says of its rooms.
struct Floor {
    std::map<std::string, Rooms> named;  ///< the rooms that each names
    std::map<std::string, Rooms> seen;   ///< these, and what they see
};

/// @param floor "core", "views" or "app"
/// @param end the line at which its rooms end
Floor readFloor(const std::string& path, const std::string& floor, const std::string& end) {
    Floor rooms;
    std::ifstream file(STAGECRAFT_SOURCE_DIR "/" + path);
    const std::regex opening(R"(^namespace (\w+) \{)"), seeing(R"(^using namespace (\w+);)");
    std::string line, room;
    std::smatch found;
    while (std::getline(file, line) && line != end) {
        if (std::regex_search(line, found, opening)) {
            room = floor + "/" + found.str(1);
            rooms.named[room];
            rooms.seen[room];
        } else if (std::regex_search(line, found, seeing)) {
            const std::string lower = floor + "/" + found.str(1);
            rooms.named[room].insert(lower);
            rooms.seen[room].insert(lower);
            rooms.seen[room].insert(rooms.seen.at(lower).begin(), rooms.seen.at(lower).end());
        }
    }
    return rooms;
}

const Floor& coreFloor() {
    static const Floor floor = readFloor("core/base/rooms.h", "core", "namespace views {");
    return floor;
}

const Floor& viewsFloor() {
    static const Floor floor = readFloor("views/rooms.h", "views", "}  // namespace stagecraft::views");
    return floor;
}

const Floor& appFloor() {
    static const Floor floor = readFloor("app/rooms.h", "app", "}  // namespace stagecraft::app");
    return floor;
}

/// What each room of the house may include besides itself: the rooms that its namespace sees. Views know all
/// of core, app knows all of both.
const std::map<std::string, Rooms>& arrows() {
    static const std::map<std::string, Rooms> rooms = [] {
        std::map<std::string, Rooms> all;
        Rooms below;
        for (const Floor* floor : {&coreFloor(), &viewsFloor(), &appFloor()}) {
            for (const auto& [room, seen] : floor->seen) {
                all[room] = seen;
                all[room].insert(below.begin(), below.end());
            }
            for (const auto& [room, seen] : floor->seen) below.insert(room);
        }
        return all;
    }();
    return rooms;
}

/// The program itself, which is in no room and may include any.
const std::string mainFile = "app/main.cpp";

/// Where the rooms of views and of app are: "views", "app".
bool isFloor(const std::string& room) { return room == "views" || room == "app"; }

bool isAllowed(const std::string& from, const std::string& to) {
    if (from == to) return true;
    if (from == "app" || to == "app") return from == "app" ? to == "views" : from.rfind("app/", 0) == 0;
    if (from == "views") return to == "core/base";
    if (to == "views") return from.rfind("views/", 0) == 0;
    return arrows().at(from).count(to) > 0;
}

std::string textOf(const std::string& path) {
    std::ifstream file(STAGECRAFT_SOURCE_DIR "/" + path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

/// "stagecraft::cost" of "core/cost", "stagecraft::views::plot" of "views/plot".
std::string spaceOf(const std::string& room) {
    std::string space = "stagecraft::" + (room.rfind("core/", 0) == 0 ? room.substr(5) : room);
    if (const std::size_t slash = space.find('/'); slash != std::string::npos) space.replace(slash, 1, "::");
    return space;
}

bool isOurs(const std::string& include) {
    return include.rfind("core/", 0) == 0 || include.rfind("views/", 0) == 0 || include.rfind("app/", 0) == 0;
}

/// What each library of a CMake file links in the end, by the names of rooms: "core/cost", "views/plot".
/// @param calls "stagecraft_core_room", which makes core_ROOM
void addLinked(const std::string& path, const std::string& call, const std::string& of,
               std::map<std::string, Rooms>& linked) {
    const std::string all = textOf(path);
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
    for (const Source& source : house::productSources()) {
        const std::string from = roomOf(source.path);
        if (source.path == mainFile) continue;
        ASSERT_TRUE(isFloor(from) ? source.path == from + "/rooms.h" : arrows().count(from) > 0)
            << source.path << " is in no room that has a namespace";
        for (const std::string& include : source.includes) {
            if (!isOurs(include)) continue;
            ++seen;
            EXPECT_TRUE(isAllowed(from, roomOf(include))) << source.path << " includes " << include;
        }
    }
    EXPECT_GT(seen, 50u);
}

TEST(House, LibrariesOfCoreLinkWhatTheirNamespacesSee) {
    std::size_t checked = 0;
    for (const auto& [room, linked] : linkedRooms()) {
        if (room.rfind("core/", 0) != 0) continue;
        ASSERT_TRUE(coreFloor().seen.count(room)) << room << " has no namespace";
        EXPECT_EQ(linked, coreFloor().seen.at(room)) << room;
        ++checked;
    }
    EXPECT_GT(checked, 20u);
}

TEST(House, LibrariesOfViewsLinkWhatTheirNamespacesSee) {
    std::size_t checked = 0;
    for (const auto& [room, linked] : linkedRooms()) {
        if (room.rfind("views/", 0) != 0) continue;
        ASSERT_TRUE(viewsFloor().seen.count(room)) << room << " has no namespace";
        Rooms views;
        for (const std::string& lower : linked)
            if (lower.rfind("views/", 0) == 0) views.insert(lower);
        EXPECT_EQ(views, viewsFloor().seen.at(room)) << room;
        ++checked;
    }
    EXPECT_EQ(checked, viewsFloor().seen.size());
    EXPECT_GT(checked, 15u);
}

/// app is one library: what a room of it names and does not include is not to be in reach.
TEST(House, RoomsOfAppSeeWhatTheyInclude) {
    std::map<std::string, Rooms> included;
    for (const Source& source : house::productSources())
        for (const std::string& include : source.includes)
            included[roomOf(source.path)].insert(roomOf(include));
    for (const auto& [room, named] : appFloor().named)
        for (const std::string& lower : named)
            EXPECT_TRUE(included[room].count(lower)) << room << " includes nothing of " << lower;
    EXPECT_GT(appFloor().named.size(), 15u);
}

TEST(House, AppSeesEachRoomOfViews) {
    const std::string rooms = textOf("app/rooms.h");
    for (const auto& [room, seen] : viewsFloor().seen)
        EXPECT_NE(rooms.find("\nusing namespace views::" + room.substr(6) + ";"), std::string::npos) << room;
    EXPECT_GT(viewsFloor().seen.size(), 15u);
}

TEST(House, ViewsLinkWhatTheyInclude) {
    std::size_t checked = 0;
    for (const Source& source : house::productSources()) {
        const auto linked = linkedRooms().find(roomOf(source.path));
        if (source.path.rfind("views/", 0) != 0 || isFloor(roomOf(source.path))) continue;
        ASSERT_TRUE(linked != linkedRooms().end()) << source.path << " is in no library";
        for (const std::string& include : source.includes) {
            const std::string to = roomOf(include);
            if (!isOurs(include) || to == linked->first || isFloor(to)) continue;
            ++checked;
            EXPECT_TRUE(linked->second.count(to))
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

/// Clang before 16 cannot compile what libstdc++ returns of these; fuzzing is built with Debian's, which
/// is 14.
TEST(House, ClangCompilesWhatItTakesOfRanges) {
    std::size_t seen = 0;
    for (const Source& source : house::productSources()) {
        const std::string text = textOf(source.path);
        seen += text.find("std::ranges::sort") != std::string::npos;
        for (const char* name : {"unique(", "rotate(", "remove(", "remove_if(", "partition(",
                                 "stable_partition(", "search(", "equal_range(", "find_end(", "subrange"})
            EXPECT_EQ(text.find(std::string("std::ranges::") + name), std::string::npos)
                << source.path << ": std::" << name;
        EXPECT_EQ(text.find("std::views::"), std::string::npos) << source.path;
    }
    EXPECT_GT(seen, 20u);
}

/// A window that takes its size by hand is larger than a small screen, or one at twice the scale.
TEST(House, EveryWindowOpensOnTheScreen) {
    std::map<std::string, bool> places;  // by a module that makes a window of its own
    const auto moduleOf = [](const std::string& path) { return path.substr(0, path.rfind('.')); };
    for (const bool looks : {true, false})
        for (const Source& source : house::productSources()) {
            if (!source.path.starts_with("app/")) continue;
            const std::string text = textOf(source.path);
            if (looks && (text.find("public QDialog") != std::string::npos ||
                          text.find("Qt::Window)") != std::string::npos))
                places[moduleOf(source.path)] = false;
            const auto window = places.find(moduleOf(source.path));
            if (!looks && window != places.end() && text.find("placeOnScreen(") != std::string::npos)
                window->second = true;
        }
    EXPECT_GT(places.size(), 12u);
    for (const auto& [module, isPlaced] : places) EXPECT_TRUE(isPlaced) << module << ": use placeOnScreen()";
}

TEST(House, ARoomsNamespaceHasItsName) {
    std::size_t seen = 0;
    for (const Source& source : house::productSources()) {
        const std::string space = spaceOf(roomOf(source.path));
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

/// It opens another's to declare types forward and for nothing else.
TEST(House, AFileOpensItsRoomsNamespace) {
    static const std::regex opening(R"(^namespace (stagecraft[\w:]*) \{$)"),
        forward(R"(^((class|struct|enum class) \w+( : [\w:]+)?;)?$)");
    std::size_t seen = 0, foreign = 0;
    for (const Source& source : house::productSources()) {
        const std::string room = roomOf(source.path);
        if (isFloor(room) || source.path == "core/base/rooms.h") continue;
        const std::string own = spaceOf(room) + "::";
        std::istringstream text(textOf(source.path));
        bool opened = false, isForeign = false;
        std::smatch found;
        for (std::string line; std::getline(text, line);) {
            if (std::regex_match(line, found, opening)) {
                const bool isOwn = (found.str(1) + "::").rfind(own, 0) == 0;
                opened = opened || isOwn;
                isForeign = !isOwn;
                foreign += isForeign;
            } else if (line.rfind("}", 0) == 0) {
                isForeign = false;
            } else if (isForeign) {
                EXPECT_TRUE(std::regex_match(line, forward)) << source.path << ": " << line;
            }
        }
        EXPECT_TRUE(opened) << source.path << " does not open " << spaceOf(room);
        ++seen;
    }
    EXPECT_GT(seen, 1500u);
    EXPECT_GT(foreign, 50u);
}

/// A room sees the names of all that it may include: one that two of these define is ambiguous in it, or
/// will be once both are included.
TEST(House, ANameMeansOneThingInARoom) {
    std::map<std::string, std::set<std::string>> roomsOf;  // by type
    for (const Source& source : house::productSources())
        for (const house::Type& type : source.types)
            if (!type.isInType && !type.isInFile) roomsOf[type.name].insert(roomOf(source.path));
    EXPECT_GT(roomsOf.size(), 900u);
    const auto sees = [](const auto& room, const std::string& other) {
        return room.first == other || room.second.count(other) > 0;
    };
    for (const auto& [name, rooms] : roomsOf)
        for (auto a = rooms.begin(); a != rooms.end(); ++a)
            for (auto b = std::next(a); b != rooms.end(); ++b)
                EXPECT_FALSE(std::ranges::any_of(
                    arrows(), [&](const auto& room) { return sees(room, *a) && sees(room, *b); }))
                    << name << " is a type of " << *a << " and of " << *b;
}

/// The constants that a source defines, one line each at the level of a namespace.
/// @param inFile those in its unnamed namespaces, or those outside
Rooms constantsOf(const std::string& text, bool inFile) {
    static const std::regex constant(
        R"(^(?:inline )?(?:static )?(?:constexpr|const|constinit) [\w:<>, *]*?\b(\w+)(?:\[\w*\])? ?(?:=|\{|;))"),
        next(R"(, (\w+) = )");
    Rooms names;
    bool isInFile = false;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line == "namespace {") isInFile = true;
        if (line == "}  // namespace") isInFile = false;
        std::smatch found;
        if (isInFile != inFile || !std::regex_search(line, found, constant)) continue;
        names.insert(found.str(1));
        for (std::sregex_iterator each(line.begin(), line.end(), next), end; each != end; ++each)
            names.insert(each->str(1));
    }
    return names;
}

/// In a batch of sources a constant of one source's unnamed namespace hides what a header calls the same, in
/// the sources after it too, without a word from the compiler.
TEST(House, NoSourceHidesAConstantOfAHeader) {
    std::map<std::string, Rooms> roomsOf;  // by constant
    for (const Source& source : house::productSources())
        if (source.path.ends_with(".h"))
            for (const std::string& name : constantsOf(textOf(source.path), false))
                roomsOf[name].insert(roomOf(source.path));
    EXPECT_GT(roomsOf.size(), 150u);
    std::size_t seen = 0;
    for (const Source& source : house::productSources())
        for (const std::string& name : constantsOf(textOf(source.path), true)) {
            ++seen;
            const auto rooms = roomsOf.find(name);
            if (rooms == roomsOf.end() || source.path == mainFile) continue;
            for (const std::string& room : rooms->second)
                EXPECT_FALSE(isAllowed(roomOf(source.path), room))
                    << source.path << ": " << name << " is a constant of " << room << ", too";
        }
    EXPECT_GT(seen, 1000u);
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
