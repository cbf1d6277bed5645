// The scanner behind the house tests, on a small made-up text: what sees nothing would find no fault.
#include "tests/core/house/sources.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

const char madeUp[] = R"source(#include "core/base/units.h"
#include <vector>
#define BRACE {
namespace stagecraft {
/* { */ // {
struct Plain { int count_; };
class Chart : public QWidget {
public:
    explicit Chart(int width_) : width_(width_), names_{"}"} {}
    enum class Mode { idle, busy };
    int width() const { return width_ = 1; }
    class Inner { int own_; };

private:
    void paint(double at_) const;
    int width_ = 0, height_{0};
    std::map<int, std::vector<int>> names_, more_;
    std::function<void(int a_)> changed_;
    static constexpr int limit_ = 3;
};
class Later;
namespace {
struct Hidden {
    int x = 0;
};
}  // namespace
template <class T>
struct Pair : Base<T> {};
const std::vector<int> table = {1, 2, 3};
const auto text = R"(} { ")";
Chart::Chart(int width)
    : QWidget(nullptr), names_{'{', 1'000} {
    if (width) {

        // a comment
        paint(width);
    }
}
std::vector<int> Chart::paint(const std::string& a = {}) const { return {}; }
bool operator==(const Plain& a, const Plain& b) { return true; }
}  // namespace stagecraft
)source";

const house::Source& source() {
    static const house::Source read = house::readSource(madeUp, "views/chart.cpp");
    return read;
}

const house::Type& typeNamed(const std::string& name) {
    const auto& types = source().types;
    const auto found =
        std::find_if(types.begin(), types.end(), [&](const house::Type& type) { return type.name == name; });
    if (found == types.end()) throw std::runtime_error("the scanner finds no " + name);
    return *found;
}

}  // namespace

TEST(HouseScanner, FindsIncludes) {
    EXPECT_EQ(source().includes, (std::vector<std::string>{"core/base/units.h", "vector"}));
}

TEST(HouseScanner, FindsTypesWithTheirPlace) {
    std::vector<std::string> names;
    for (const house::Type& type : source().types) names.push_back(type.name);
    EXPECT_EQ(names, (std::vector<std::string>{"Plain", "Chart", "Mode", "Inner", "Hidden", "Pair"}));
    EXPECT_EQ(typeNamed("Chart").space, "stagecraft");
    EXPECT_EQ(typeNamed("Chart").line, 7);
    EXPECT_TRUE(typeNamed("Chart").isClass);
    EXPECT_FALSE(typeNamed("Plain").isClass);
    EXPECT_FALSE(typeNamed("Plain").isInFile);
    EXPECT_TRUE(typeNamed("Hidden").isInFile);
    EXPECT_TRUE(typeNamed("Mode").isInType);
    EXPECT_FALSE(typeNamed("Pair").isInType);
}

TEST(HouseScanner, CountsDataMembersAndNeitherParametersNorConstantsNorThoseOfAnInnerClass) {
    EXPECT_EQ(typeNamed("Chart").members,
              (std::vector<std::string>{"width_", "height_", "names_", "more_", "changed_"}));
    EXPECT_EQ(typeNamed("Inner").members, std::vector<std::string>{"own_"});
}

TEST(HouseScanner, MeasuresFunctionsWithoutBlankLinesAndComments) {
    std::vector<std::string> names;
    for (const house::Function& function : source().functions) names.push_back(function.name);
    EXPECT_EQ(names,
              (std::vector<std::string>{"Chart", "width", "Chart::Chart", "Chart::paint", "operator=="}));
    const house::Function& constructor = source().functions.at(2);
    EXPECT_EQ(constructor.owner, "Chart");
    EXPECT_EQ(constructor.space, "stagecraft");
    EXPECT_EQ(constructor.length, 6);
    EXPECT_EQ(constructor.line, 31);
    EXPECT_EQ(source().functions.at(0).owner, "") << "it is in its class";
    EXPECT_EQ(source().functions.at(3).owner, "Chart");
}

TEST(HouseScanner, FindsACircleOnceAndNamesTheWay) {
    EXPECT_EQ(house::circles({{"a", {"b"}}, {"b", {"c"}}, {"c", {"a", "d"}}, {"d", {"e"}}}),
              std::vector<std::string>{"a -> b -> c -> a"});
    EXPECT_TRUE(house::circles({{"a", {"b", "c"}}, {"b", {"c"}}}).empty());
}

TEST(HouseScanner, HeaderAndSourceAreOneAndAFolderIsOneToItsNeighbours) {
    const std::vector<house::Source> sources = {house::readSource("#include \"core/a/x.h\"", "core/a/x.cpp"),
                                                house::readSource("#include \"core/b/y.h\"", "core/a/x.h"),
                                                house::readSource("#include \"core/a/z.h\"", "core/b/w.cpp")};
    const house::Arrows files = house::arrowsOfFiles(sources);
    EXPECT_EQ(files, (house::Arrows{{"core/a/x", {"core/b/y"}}, {"core/b/w", {"core/a/z"}}}));
    EXPECT_TRUE(house::circles(files).empty());
    EXPECT_EQ(house::circles(house::arrowsOfFolders(files).at("core/")),
              std::vector<std::string>{"core/a -> core/b -> core/a"});
}
